#!/usr/bin/env bash
# Checks the package that build.sh has built: its samples against those of a release binary, and the package in headless
# Chromium, with figures. Needs Node 20 or later and chromium.
# usage: sdk/wasm/check.sh target/release/shruti
set -euo pipefail
SHRUTI_BINARY=$(realpath "${1:?usage: sdk/wasm/check.sh path/to/shruti}")
export SHRUTI_BINARY
cd "$(dirname "$0")"
[ -f dist/data/shruti.wasm ] || { echo "build the package first: sdk/wasm/build.sh"; exit 1; }
npm run --silent lint
node --test tests
node measure.mjs
