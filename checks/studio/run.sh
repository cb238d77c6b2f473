#!/usr/bin/env bash
# Checks the Studio in headless Chromium, each part with a separate server. Needs chromium, Node and cargo; installs
# axe-core in this folder.
# usage: checks/studio/run.sh target/release/shruti
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/studio/run.sh path/to/shruti}")
cd "$(dirname "$0")"
. ./studio.sh
. ../harness/install.sh

node_packages .
node --test --test-reporter=spec units.test.mjs

# far.test is a host name of this machine that the server must allow
studio "$shruti" --allow-hosts far.test
node check.mjs "$url" "$promo" "$link"
studio "$shruti" --allow-hosts far.test --open-playground
node check.mjs "$url" "$promo" "$link" visitor

# the recorded samples come from the learned voices, which a server with the rule-based engine does not have
SHRUTI_VOICE_ENGINE=auto studio_with_pack "$shruti" --open-playground
node voices.mjs "$url"
SHRUTI_VOICE_ENGINE=auto studio "$shruti"
node playground.mjs "$url" "$promo"

node long-text.mjs "$shruti"

studio "$shruti"
node pronunciation.mjs "$url" "$promo"
studio "$shruti"
node operator.mjs "$url" "$promo" "$link"

node mails.mjs "$shruti"

studio "$shruti" --allow-hosts far.test
node refusals.mjs "$url"
studio "$shruti" --open-playground
node budgets.mjs "$url"
