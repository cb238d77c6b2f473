#!/usr/bin/env bash
# Tests the SDKs with a release binary: style and types, the conformance vectors, conversations with a server, the
# plugins in their frameworks, and the examples. Builds all packages from the sources and installs the resulting files.
# At the end, measures the time to first audio. Needs Python 3.11 or later and Node; installs the packages of
# requirements.txt in this folder.
# usage: sdk/check.sh target/release/shruti
set -euo pipefail
SHRUTI_BINARY=$(realpath "${1:?usage: sdk/check.sh path/to/shruti}")
export SHRUTI_BINARY
cd "$(dirname "$0")"
. ../checks/harness/server.sh
export TMPDIR=$work

# a new environment each time, so that no older package is tested
python3 -m venv "$work/venv"
bin=$work/venv/bin
"$bin/pip" install --quiet --disable-pip-version-check -r requirements.txt

echo "== versions are in step"
"$bin/python" versions.py

echo "== wheels, built and installed from files"
for package in python pipecat livekit; do
  "$bin/python" -m build --quiet --no-isolation --wheel --outdir "$work/dist" "$package"
done
"$bin/pip" install --quiet --disable-pip-version-check --find-links "$work/dist" "$work"/dist/*.whl
ls "$work/dist"

echo "== style and types"
"$bin/ruff" format --check python pipecat livekit
"$bin/ruff" check python pipecat livekit
"$bin/pyright" --pythonpath "$bin/python" -p python

# run the TypeScript tests concurrently with the Python tests, because both mostly wait for servers
typescript/check.sh "$SHRUTI_BINARY" >"$work/typescript" 2>&1 &
typescript=$!
failed=0
# `python -m pytest` is not used: it would import the sources in this folder instead of the installed packages
export PYTHONDONTWRITEBYTECODE=1
for tests in python/tests pipecat/tests livekit/tests ../examples/tests; do
  echo "== $tests"
  (cd "$tests/.." && timeout 600 "$bin/pytest" -p no:cacheprovider tests) || failed=1
done

echo "== typescript"
wait "$typescript" || failed=1
cat "$work/typescript"

echo "== time to first audio"
serve "$SHRUTI_BINARY"
"$bin/python" ../measure/sdk/first_sound.py "$url" "$key" || failed=1
[ ! -d typescript/dist ] || node ../measure/sdk/first_sound.mjs "$url" "$key" || failed=1
stop || failed=1
[ "$failed" = 0 ] || { echo "sdk: FAILED"; exit 1; }
echo "sdk: all held"
