#!/usr/bin/env bash
# Checks that ffmpeg, sox and Chromium decode clips in every format with the right length and position. Prints a table
# of speed, delay and size.
# usage: checks/formats/run.sh target/release/shruti
# Needs cargo (only for the encoder), ffmpeg, sox and Python; Chromium is optional.
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/formats/run.sh path/to/shruti}")
cd "$(dirname "$0")/../.."
. checks/harness/server.sh

cargo build --quiet --release --locked -p shruti-audio --example encode
encode=${CARGO_TARGET_DIR:-target}/release/examples/encode

serve "$shruti"
python3 checks/formats/check.py "$encode" "$url" "$key" "$work"
