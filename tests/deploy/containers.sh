#!/usr/bin/env bash
# containers.sh build|serve HOME COMMAND...: runs podman's COMMAND with what it keeps in HOME, as the first process of
# `unshare --fork --pid --mount --ipc` (and --net to serve): containers, networks and mounts are gone with it, and
# this machine's own are never seen.
set -euo pipefail

what=$1
home=$2
shift 2
mount --make-rprivate /
mount -t proc proc /proc
mount -t tmpfs tmpfs /dev/shm
mkdir -p "$home/run"
# What podman believes of an earlier time is gone, as after the start of a machine.
mount -t tmpfs tmpfs "$home/run"
if [ "$what" = serve ]; then
  mount -t tmpfs -o mode=755 tmpfs /run
  ip link set lo up
fi
# The first process must bury the others.
exec catatonit -- "$@"
