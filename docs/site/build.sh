#!/usr/bin/env bash
# Makes the site of all Markdown pages:   docs/site/build.sh [FOLDER]     (build/site)
#
# deploy/install_packages.sh docs installs what it needs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# Each warning is an error: a link that leads nowhere, a page that has no place in the navigation.
exec /usr/bin/python3 -m sphinx -q -W --keep-going -b html -c docs/site . "${1:-build/site}"
