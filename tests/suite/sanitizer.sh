#!/usr/bin/env bash
# The program and its unit tests once under a sanitizer, with some scenarios of each kind:   sanitizer.sh asan|tsan
#
# tests/README.md says how to run all of the suite that way.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

cmake --preset "$1" --log-level=WARNING >/dev/null
cmake --build --preset "$1" --target einlass unit_core unit_limits unit_config unit_app adapters_http adapters_redis kafka_tool \
  receiver simulation -- --quiet
scenarios='e2e_(leaving|records|http_batch|http_login|kafka_target|limiters|outages|reload|shards|why)'
ctest --preset "$1" --parallel 4 -R "^(unit_(core|limits|config|app)|adapters_http|adapters_redis|simulation$|$scenarios)"
