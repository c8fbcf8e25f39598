#!/usr/bin/env bash
# build_root.sh ROOT CACHE COMMAND: runs COMMAND by bash in the Debian system in ROOT, at the sources, with the host's
# network, as the first process of `unshare --fork --pid --mount`. CACHE is where its compiler's cache lies.
set -euo pipefail

root=$1
cache=$2
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys"
mount --rbind /dev "$root/dev"
mkdir -p "$root/root/.cache/ccache"
mount --bind "$cache" "$root/root/.cache/ccache"
exec chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
  bash -c "cd /root/einlass && $3"
