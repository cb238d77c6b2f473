#!/usr/bin/env bash
# The Studio in headless Chromium, against the server itself. Needs chromium, Node and cargo; installs axe-core beside
# itself.
# usage: checks/studio/run.sh target/release/shruti
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/studio/run.sh path/to/shruti}")
cd "$(dirname "$0")"
. ./server.sh

npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
node --test --test-reporter=spec units.test.mjs

check() {
  serve "$shruti" --allow-hosts far.test "${flags[@]}" # the name of this machine as another one would use it
  export TMPDIR=$folder
  node check.mjs "$base" "$promo" "$(sed -n 2p "$folder/printed")" "$@" # the link as the first start prints it
}
flags=()
(check)
flags=(--open-playground)
(check visitor)

# the recordings of the voices are of the learned ones: a server that speaks by rule has none
with_learned_voices() { export SHRUTI_VOICE_ENGINE=auto; }

voices() {
  with_learned_voices
  with_pack
  serve "$shruti" --open-playground
  export TMPDIR=$folder
  node voices.mjs "$base"
}
(voices)

playground() {
  with_learned_voices
  serve "$shruti"
  export TMPDIR=$folder
  node playground.mjs "$base" "$promo"
}
(playground)

node long-text.mjs "$shruti"

pronunciation() {
  serve "$shruti"
  export TMPDIR=$folder
  node pronunciation.mjs "$base" "$promo"
}
(pronunciation)

operator() {
  serve "$shruti"
  export TMPDIR=$folder
  node operator.mjs "$base" "$promo" "$(sed -n 2p "$folder/printed")"
}
(operator)

node mails.mjs "$shruti"

refusals() {
  serve "$shruti" --allow-hosts far.test
  export TMPDIR=$folder
  node refusals.mjs "$base"
}
(refusals)

budgets() {
  serve "$shruti" --open-playground
  export TMPDIR=$folder
  node budgets.mjs "$base"
}
(budgets)
