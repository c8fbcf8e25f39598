#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test against a real Redis and a real Kafka.
#
#   ./test.sh           everything
#   ./test.sh --fast    without the tests labelled slow (end to end, the long random walks)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

selection=()
case "${1-}" in
  "") ;;
  --fast) selection=(-LE slow) ;;
  *)
    printf 'usage: ./test.sh [--fast]\n' >&2
    exit 64
    ;;
esac

deploy/install_packages.sh build test

printf 'Building...\n'
cmake --preset release --log-level=WARNING -DEINLASS_TESTS=ON >/dev/null
# A terminal shows ninja's one moving line; a log file gets what goes wrong and nothing else.
quiet=(--quiet)
[ -t 1 ] && quiet=()
cmake --build --preset release -- "${quiet[@]}"

printf 'Testing...\n'
exec ctest --preset release --parallel "$(nproc)" "${selection[@]}"
