#!/usr/bin/env bash
# Takes screenshots of every page of the Studio for manual review: desktop and phone, light and dark, with Hindi, Tamil
# and Odia text. Needs chromium, Node, Python, cargo, and fonts for the scripts (Debian: fonts-noto-core).
# usage: checks/studio/pictures.sh target/release/shruti FOLDER
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/studio/pictures.sh path/to/shruti FOLDER}")
mkdir -p "${2:?usage: checks/studio/pictures.sh path/to/shruti FOLDER}"
pictures=$(realpath "$2")
cd "$(dirname "$0")"
. ./studio.sh

studio "$shruti"
node operator.mjs "$url" "$promo" "$link" "$pictures"

node mails.mjs "$shruti" "$pictures"

studio_with_pack "$shruti" --allow-hosts far.test
node screenshots.mjs "$url" "$promo" "$link" "$data" "$pictures"
