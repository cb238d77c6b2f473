#!/usr/bin/env bash
# Checks the package that build.sh has built: compares its samples with those of a release binary, then measures the
# package in headless Chromium. Needs Node 20 or later and Chromium.
# usage: sdk/wasm/check.sh target/release/shruti
set -euo pipefail
SHRUTI_BINARY=$(realpath "${1:?usage: sdk/wasm/check.sh path/to/shruti}")
export SHRUTI_BINARY
cd "$(dirname "$0")"
[ -f dist/data/shruti.wasm ] || { echo "build the package first: sdk/wasm/build.sh"; exit 1; }
npm run --silent lint
node --test tests
node measure.mjs
