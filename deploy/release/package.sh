#!/usr/bin/env bash
# package.sh VERSION JOBS: in a fresh Debian, at the sources: the Debian package of that version in build/, and installed, so
# that it is known what it depends on.
#
# SOURCE_DATE_EPOCH is the time that everything in the package has.
set -euo pipefail
umask 022  # Folders in the package are made as whoever builds makes them.

version=$1
jobs=$2

deploy/install_packages.sh build
apt-get -qy --no-install-recommends install dpkg-dev file
# Stripped when it is linked: else the program's build id would follow from paths that a compiler's cache remembers.
cmake --preset release --log-level=WARNING -DEINLASS_TESTS=OFF "-DEINLASS_VERSION=${version%+deb*}" \
  -DCMAKE_EXE_LINKER_FLAGS=-s
nice cmake --build build/release --parallel "$jobs" -- --quiet
cpack -G DEB --config build/release/CPackConfig.cmake -B build -D "CPACK_PACKAGE_VERSION=$version"

# cpack gives each file the time at which it was made. dpkg-deb takes none that is later than SOURCE_DATE_EPOCH.
built=(build/einlass_*.deb)
dpkg-deb --raw-extract "${built[0]}" build/unpacked
find build/unpacked -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
rm "${built[0]}"
dpkg-deb --root-owner-group --build build/unpacked "${built[0]}"
apt-get -qy --no-install-recommends install "./${built[0]}"
