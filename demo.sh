#!/usr/bin/env bash
# Builds Einlass and shows it at work.
#
#   ./demo.sh [--seconds N] [--limit N]           with nothing else needed: a mock Kafka, limits in memory, a built-in receiver
#   ./demo.sh --real [--records N] [--limit N]    on a real Kafka and a real Redis that it starts and stops
#
# The first run installs packages of Debian and compiles, for some minutes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# Before anything is installed for it.
case " $* " in
  *" --help "* | *" -h "*)
    sed -n '2,/^set/s/^# \{0,1\}//p' demo.sh
    exit 0
    ;;
esac

real=0
if [ "${1-}" = --real ]; then
  real=1
  shift
fi

if [ "$real" -eq 1 ]; then
  deploy/install_packages.sh build servers
else
  deploy/install_packages.sh build
fi

if [ ! -f build/release/build.ninja ]; then
  printf 'Building Einlass; the first time this takes some minutes.\n'
  cmake --preset release --log-level=WARNING -DEINLASS_TESTS=OFF >/dev/null
fi
# A terminal shows ninja's one moving line; elsewhere only what goes wrong is of interest.
quiet=(--quiet)
[ -t 1 ] && quiet=()
NINJA_STATUS='[%p of the build] ' cmake --build --preset release --target einlass -- "${quiet[@]}"

if [ "$real" -eq 1 ]; then
  exec python3 deploy/local/real_demo.py "$@"
fi
exec build/release/einlass demo "$@"
