#!/usr/bin/env bash
# Builds the fuzzers, in build/fuzz.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cmake --preset fuzz --log-level=WARNING >/dev/null
# As polite as the tests that only compute, which run beside it and would else be over their time.
nice -n 10 cmake --build --preset fuzz --target fuzzers -- --quiet
