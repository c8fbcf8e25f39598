#!/usr/bin/env bash
# Installs the Debian packages of the given sections of packages.txt that are missing:
#
#   deploy/install_packages.sh build servers test
#
# Does nothing where all are there. Works as root or through sudo; else says what to run. Removes no package, and starts and
# enables none of the services that packages bring: whoever needs one here starts it on a port of its own.
set -euo pipefail

list="$(dirname "${BASH_SOURCE[0]}")/../packages.txt"

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

# The entries of one section.
entries() {
  local found
  found=$(awk -v section="[$1]" '/^#/ || NF == 0 { next } /^\[/ { on = ($1 == section); next }
                                 on { print $1 }' "$list")
  [ -n "$found" ] || fail "$list has no section [$1]"
  printf '%s\n' "$found"
}

# Runs a command as root.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# What apt says matters only where it fails.
apt() {
  local said
  said=$(as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q \
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" 2>&1) && return
  printf '%s\n' "$said" | tail -n 30 >&2
  [[ $said != *"remove is disabled"* ]] || fail "Other packages of this machine would have to go for these." \
    "See which, and decide: apt-get install --no-install-recommends ${chosen[*]}"
  return 1
}

enabled_units() {
  systemctl list-unit-files --no-legend --no-pager --state=enabled | awk '{ print $1 }' | sort
}

policy=/usr/sbin/policy-rc.d

# For this script's life alone, even if it is killed; who has a policy already keeps that one. Others than starts are none of
# its business: an upgrade may restart what runs.
forbid_starts() {
  if [ -e "$policy" ] || [ -L "$policy" ]; then return; fi
  trap 'as_root rm -f "$policy"' EXIT
  as_root tee "$policy" >/dev/null <<EOF
#!/bin/sh
# Of deploy/install_packages.sh, which takes it away again.
case " \$* " in *[\ \(]start[\ \)]*) [ ! -d /proc/$$ ] || exit 101 ;; esac
EOF
  as_root chmod 755 "$policy"
}

# The packages of `chosen`, with what they need.
install_chosen() {
  local before new
  [ ! -d /run/systemd/system ] || before=$(enabled_units)
  apt install -y --no-install-recommends --no-remove "${chosen[@]}" || return
  [ -d /run/systemd/system ] || return 0
  new=$(comm -13 <(printf '%s\n' "$before") <(enabled_units))
  # shellcheck disable=SC2086  # Names of units, without blanks.
  [ -z "$new" ] || as_root systemctl --quiet disable $new
}

# Succeeds if apt could install this package now.
can_be_had() {
  # Not grep -q: it would leave early, and apt-cache would die of the broken pipe.
  LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep '^  Candidate: [^(]' >/dev/null
}

# Prints the first of `a|b` that can be had.
choose() {
  local name
  for name in ${1//|/ }; do
    if can_be_had "$name"; then
      printf '%s\n' "$name"
      return 0
    fi
  done
  return 1
}

# Sets `chosen` for all of `missing`. Entries that only help are left out where they cannot be had.
choose_all() {
  local entry name
  chosen=()
  for entry in "${missing[@]}"; do
    if name=$(choose "${entry%\?}"); then
      chosen+=("$name")
    elif [[ $entry != *\? ]]; then
      unavailable=$entry
      return 1
    fi
  done
}

[ $# -gt 0 ] || fail "usage: $0 SECTION...    (the sections of packages.txt: build, servers, test, docs, release, run)"
command -v dpkg-query >/dev/null ||
  fail "This is not a Debian system. Install what packages.txt lists under: $*"

wanted=()
for section in "$@"; do
  section_entries=$(entries "$section")
  mapfile -t -O "${#wanted[@]}" wanted <<<"$section_entries"
done

names=$(printf '%s\n' "${wanted[@]%\?}" | tr '|' '\n')
# One call for all; names that dpkg has never heard of only make it complain.
mapfile -t names <<<"$names"
installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' "${names[@]}" 2>/dev/null || true)"

missing=()
needed=0
for entry in "${wanted[@]}"; do
  there=0
  plain=${entry%\?}
  for name in ${plain//|/ }; do
    [[ $installed == *" installed:$name "* ]] && there=1
  done
  [ "$there" -eq 1 ] && continue
  missing+=("$entry")
  [[ $entry == *\? ]] || needed=1
done
[ "$needed" -eq 1 ] || exit 0

printf 'Installing what is missing: %s\n' "${missing[*]}"
if [ "$(id -u)" -ne 0 ] && ! { command -v sudo && { sudo -n true || [ -t 0 ]; }; } >/dev/null 2>&1
then
  choose_all || chosen=("${missing[@]%%|*}")
  fail "That needs root. Run this, then start again:" \
    "  su -c 'apt-get update && apt-get install -y --no-install-recommends ${chosen[*]%\?}'"
fi

forbid_starts
updated=0
if ! choose_all; then
  apt update
  updated=1
  choose_all || fail "apt knows no package $unavailable. Is this Debian 12 or 13?"
fi
if ! install_chosen; then
  # Package lists that are out of date name files that are gone.
  [ "$updated" -eq 0 ] || exit 1
  apt update
  choose_all || fail "apt knows no package $unavailable. Is this Debian 12 or 13?"
  install_chosen
fi
