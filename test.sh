#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test against a real Redis and a real Kafka.
#
#   ./test.sh           everything but what follows
#   ./test.sh --fast    without the tests labelled slow (end to end, the long random walks)
#   ./test.sh --deploy  what deploy/ holds: real containers, an API server, fresh systems of Debian 12 and 13 (wants root, and Go
#                       for what Debian does not have)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

sections=(build servers docs test)
selection=(-LE fresh_system)
case "${1-}" in
  "") ;;
  --fast) selection=(-LE slow) ;;
  --deploy)
    sections+=(deploy)
    selection=(-L deploy)
    ;;
  *)
    printf 'usage: ./test.sh [--fast | --deploy]\n' >&2
    exit 64
    ;;
esac

deploy/install_packages.sh "${sections[@]}"

printf 'Building...\n'
cmake --preset release --log-level=WARNING -DEINLASS_TESTS=ON >/dev/null
# A terminal shows ninja's one moving line; a log file gets what goes wrong and nothing else.
quiet=(--quiet)
[ -t 1 ] && quiet=()
cmake --build --preset release -- "${quiet[@]}"

printf 'Testing...\n'
exec ctest --preset release --parallel "$(nproc)" "${selection[@]}"
