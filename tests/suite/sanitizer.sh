#!/usr/bin/env bash
# The program once under a sanitizer, with some scenarios of each kind:   sanitizer.sh asan|tsan
#
# And for memory the unit tests of what reads strangers' bytes. Threads are the program's own: its shards.
# tests/README.md says how to run all of the suite that way.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

case "$1" in
  asan) programs=(unit_core unit_limits unit_app unit_memory adapters_http adapters_redis) ;;
  tsan) programs=() ;;
  *) echo "$0: asan or tsan, not '$1'" >&2; exit 2 ;;
esac
scenarios=(leaving records http_batch http_login kafka_target limiters outages reload shards why)
names=("${scenarios[@]/#/e2e_}" "${programs[@]}")

cmake --preset "$1" --log-level=WARNING >/dev/null
# As polite as the tests that only compute, which run beside it and would else be over their time.
nice -n 10 cmake --build --preset "$1" --target einlass kafka_tool receiver "${programs[@]}" -- --quiet
for name in "${names[@]}"; do  # What no test is named by any more would be left out, and nobody would see it.
  if ctest --preset "$1" -N -R "^$name" | grep -x 'Total Tests: 0' >&2; then
    echo "$0: no test is named $name" >&2; exit 1
  fi
done
ctest --preset "$1" --parallel 8 --no-tests=error -R "^($(IFS='|'; echo "${names[*]}"))"
