#!/usr/bin/env bash
# Every shell script of the repository is clean to shellcheck:   scripts.sh [ROOT]
set -euo pipefail
cd "${1:-.}"
mapfile -t scripts < <(
  find . \( -name build -o -name .git -o -name .cache \) -prune -o -name '*.sh' -print
  [ -f .ci/run ] && echo .ci/run
)
exec shellcheck --external-sources --format=gcc "${scripts[@]}"
