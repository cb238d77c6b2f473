#!/usr/bin/env bash
# Pictures of every page of the Studio: desktop and phone, light and dark, with Hindi, Tamil and Odia text; to be looked at.
# Needs chromium, Node, Python, cargo, and fonts for the scripts (Debian: fonts-noto-core).
# usage: checks/studio/pictures.sh target/release/shruti FOLDER
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/studio/pictures.sh path/to/shruti FOLDER}")
mkdir -p "${2:?usage: checks/studio/pictures.sh path/to/shruti FOLDER}"
pictures=$(realpath "$2")
cd "$(dirname "$0")"
. ./server.sh

operator() {
  serve "$shruti"
  export TMPDIR=$folder
  node operator.mjs "$base" "$promo" "$(sed -n 2p "$folder/printed")" "$pictures"
}
(operator)

node mails.mjs "$shruti" "$pictures"

with_pack
serve "$shruti" --allow-hosts far.test
export TMPDIR=$folder
node screenshots.mjs "$base" "$promo" "$(sed -n 2p "$folder/printed")" "$data" "$pictures"
