#!/usr/bin/env bash
# Do clips in every format play, as long as they are and in their place? Decoded by ffmpeg and sox, which nobody here
# wrote. Prints a table of speed, delay and size.
# usage: checks/formats/run.sh target/release/shruti
# Needs cargo (for the encoder by itself), ffmpeg, sox, and Python's standard library; with chromium in the path, also
# says whether that plays them.
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/formats/run.sh path/to/shruti}")
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
fail() { echo "formats: $1"; exit 1; }

cargo build --quiet --release --locked -p shruti-audio --example encode
encode=${CARGO_TARGET_DIR:-target}/release/examples/encode

mkfifo "$folder/out"
"$shruti" serve --listen 127.0.0.1:0 --data-dir "$folder/data" >"$folder/out" 2>"$folder/log" &
server=$!
key=$(grep -m1 -x 'sk_[A-Za-z0-9]*' <"$folder/out") || fail "no key was printed"
address=$(grep -om1 'address=[0-9.:]*' <(timeout 10 tail -n +1 -f "$folder/log")) ||
  fail "the log does not tell the address"
python3 checks/formats/check.py "$encode" "http://${address#address=}" "$key" "$folder"
