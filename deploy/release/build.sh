#!/usr/bin/env bash
# Makes what a release consists of, from a commit, on Debian 12 or 13, as root:
#
#   deploy/release/build.sh 0.1.0                        of HEAD, into dist/
#   deploy/release/build.sh 0.1.0~rc1 --output DIRECTORY --commit COMMIT
#
# Debian packages for 12 and 13, each built in a fresh system; an image for containers, with a bill of materials; the chart; notes
# from the changelog; SHA256SUMS. The same commit and the same packages of Debian give the same files, byte for byte.
set -euo pipefail

here=$(dirname "${BASH_SOURCE[0]}")
for tool in mmdebstrap dpkg-deb git python3; do
  if ! command -v "$tool" >/dev/null; then
    "$here/../install_packages.sh" release
    break
  fi
done
exec nice /usr/bin/python3 "$here/build.py" "$@"
