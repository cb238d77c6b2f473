#!/usr/bin/env bash
# Checks `<shruti-read-aloud>` on the page `/docs/read-aloud` in headless Chromium. Needs chromium and Node; installs
# axe-core in checks/studio.
# usage: checks/pages/run.sh target/release/shruti
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/pages/run.sh path/to/shruti}")
cd "$(dirname "$0")"
. ../harness/server.sh
. ../harness/install.sh
node_packages ../studio
export TMPDIR=$work

for part in control end; do
  serve "$shruti" --open-playground
  node read-aloud.mjs "$url" "$part"
  stop
done
SHRUTI_OPEN_PLAYGROUND=false serve "$shruti"
node read-aloud.mjs "$url" closed
