#!/usr/bin/env bash
# Runs one fuzzer from its seeds for so many seconds:   run.sh PROGRAM SECONDS [FOLDER]
#
# What it finds on its way goes into FOLDER, which is thrown away where none is named. An input that
# breaks something is left in the working folder, and named.
set -euo pipefail

program=$1
seconds=$2
name=$(basename "$program")
here=$(dirname "${BASH_SOURCE[0]}")
thrown=()
trap 'rm -rf "${thrown[@]}"' EXIT

if [ $# -gt 2 ]; then
  found=$3
  mkdir -p "$found"
else
  found=$(mktemp -d)
  thrown+=("$found")
fi

seeds=()
longest=4096
[ -d "$here/corpus/${name#fuzz_}" ] && seeds+=("$here/corpus/${name#fuzz_}")
if [ "$name" = fuzz_config ]; then
  # The fuzzer leaves out what names files: with them everything.yaml would be no seed.
  every_option=$(mktemp -d)
  thrown+=("$every_option")
  sed 's/ # .*//; /_file/d; /^  tls:/d' "$here/../../config/everything.yaml" > "$every_option/everything.yaml"
  seeds+=("$here/../../config" "$here/../e2e/wrong_configs" "$every_option")
  longest=16384
fi
[ "$name" = fuzz_replay_trace ] && seeds+=("$here/../e2e/wrong_traces" "$here/../conformance/vectors")

# A reader that takes 1 GB is a finding. The time is that of the clock, and other work may have the
# processor: only an input that hangs takes two minutes.
"$program" -max_total_time="$seconds" -timeout=120 -rss_limit_mb=1024 -max_len="$longest" \
  -print_final_stats=1 -verbosity=1 -artifact_prefix="$PWD/$name-" "$found" "${seeds[@]}" 2>&1 |
  grep -v '^#[0-9]*[[:space:]]*\(NEW\|REDUCE\|pulse\|RELOAD\)' | tail -n 60
