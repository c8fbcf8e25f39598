#!/usr/bin/env bash
# boot.sh ROOT: becomes the first process of the Debian system in ROOT, which must have systemd. To be run by
# `unshare --fork --pid --mount --uts --ipc --cgroup --net`; all that it mounts is gone with it.
set -euo pipefail

root=$1
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=755,size=16m tmpfs dev
for device in null zero full random urandom tty; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t tmpfs tmpfs dev/shm
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs tmpfs tmp
mount -t cgroup2 cgroup2 sys/fs/cgroup
mkdir -p old
pivot_root . old
umount -l old
exec env -i container=einlass PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=null \
  --show-status=no
