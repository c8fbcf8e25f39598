#!/usr/bin/env bash
# Installs what is missing, builds, and tests against a real Redis and a real Kafka.
#
#   ./test.sh           each guarantee, feature and rule once: 15 minutes on two cores, 25 with the first build
#   ./test.sh --fast    only what needs no servers: 3 minutes
#   ./test.sh --all     all there is: chaos, long random walks, fuzzers, sanitizers, other versions, the pages in a browser;
#                       what came of it is written into tests/RESULTS.md, also when it is interrupted: ./test.sh --all --continue
#                       then runs what has not passed
#   ./test.sh --deploy  what deploy/ holds: real containers, an API server, fresh systems of Debian 12 and 13 (wants root, and Go
#                       for what Debian does not have)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

sections=(build servers docs test)
case "${1-}" in
  "" | --fast) ;;
  --all) sections+=(whole) ;;
  --deploy) sections+=(whole deploy) ;;
  *)
    printf 'usage: ./test.sh [--fast | --all [--continue] | --deploy]\n' >&2
    exit 64
    ;;
esac

deploy/install_packages.sh "${sections[@]}"
cmake --preset release --log-level=WARNING -DEINLASS_TESTS=ON >/dev/null
exec /usr/bin/python3 tests/suite/run.py "$@"
