#!/usr/bin/env bash
# The Studio's pages in headless Chromium, against a release binary behind a stand-in for the pages' own API. Needs
# chromium and Node.
# usage: eval/studio/run.sh target/release/shruti
set -euo pipefail
shruti=$(realpath "${1:?usage: eval/studio/run.sh path/to/shruti}")
folder=$(mktemp -d)
export TMPDIR=$folder
cd "$(dirname "$0")"
trap 'kill "${server:-}" "${mock:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT

node --test --test-reporter=spec units.test.mjs

mkfifo "$folder/out" "$folder/mock"
"$shruti" serve --listen 127.0.0.1:0 --data-dir "$folder/data" >"$folder/out" 2>"$folder/log" &
server=$!
key=$(grep -m1 -x 'sk_[A-Za-z0-9]*' <"$folder/out")
address=$(grep -om1 'address=[0-9.:]*' <(timeout 10 tail -n +1 -f "$folder/log"))
node mock.mjs "http://${address#address=}" "$key" >"$folder/mock" &
mock=$!
read -r studio <"$folder/mock"
node check.mjs "${studio%/studio}" GOOD-CODE
