#!/usr/bin/env bash
# The clients of our own against a release binary: style and types, the conformance vectors, conversations with a server,
# the plugins in their frameworks, the examples, all from packages that were built here and installed from files; then how
# soon they sound. Needs Python 3.11 or later and Node; installs what requirements.txt names beside itself.
# usage: sdk/check.sh target/release/shruti
set -euo pipefail
SHRUTI_BINARY=$(realpath "${1:?usage: sdk/check.sh path/to/shruti}")
export SHRUTI_BINARY
folder=$(mktemp -d)
export TMPDIR=$folder
cd "$(dirname "$0")"
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT

# a folder of its own each time: what was installed before must not be what is tested
python3 -m venv "$folder/venv"
bin=$folder/venv/bin
"$bin/pip" install --quiet --disable-pip-version-check -r requirements.txt

echo "== versions are in step"
"$bin/python" versions.py

echo "== wheels, built and installed from files"
for package in python pipecat livekit; do
  "$bin/python" -m build --quiet --no-isolation --wheel --outdir "$folder/dist" "$package"
done
"$bin/pip" install --quiet --disable-pip-version-check --find-links "$folder/dist" "$folder"/dist/*.whl
ls "$folder/dist"

echo "== style and types"
"$bin/ruff" format --check python pipecat livekit
"$bin/ruff" check python pipecat livekit
"$bin/pyright" --pythonpath "$bin/python" -p python

failed=0
# not `python -m pytest`, which would import what lies in this folder in place of the packages that were installed
export PYTHONDONTWRITEBYTECODE=1
for tests in python/tests pipecat/tests livekit/tests ../examples/tests; do
  echo "== $tests"
  (cd "$tests/.." && timeout 600 "$bin/pytest" -p no:cacheprovider tests) || failed=1
done

if [ -x typescript/check.sh ]; then
  echo "== typescript"
  typescript/check.sh "$SHRUTI_BINARY" || failed=1
fi

echo "== the first sound"
mkfifo "$folder/out"
"$SHRUTI_BINARY" serve --listen 127.0.0.1:0 --data-dir "$folder/data" >"$folder/out" 2>"$folder/log" &
server=$!
key=$(grep -m1 -x 'sk_[A-Za-z0-9]*' <"$folder/out")
address=$(grep -om1 'address=[0-9.:]*' <(timeout 10 tail -n +1 -f "$folder/log"))
"$bin/python" ../measure/sdk/first_sound.py "http://${address#address=}" "$key" || failed=1
[ ! -d typescript/dist ] || node ../measure/sdk/first_sound.mjs "http://${address#address=}" "$key" || failed=1
kill -TERM "$server"
wait "$server" || failed=1
[ "$failed" = 0 ] || { echo "sdk: FAILED"; exit 1; }
echo "sdk: all held"
