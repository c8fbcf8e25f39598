#!/usr/bin/env bash
# Builds the fuzzers, in build/fuzz.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cmake --preset fuzz --log-level=WARNING >/dev/null
cmake --build --preset fuzz --target fuzzers -- --quiet
