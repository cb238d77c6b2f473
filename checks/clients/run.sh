#!/usr/bin/env bash
# Clients that nobody here wrote, against a release binary: Python's `websockets`, Node's `ws`, a browser's WebSocket,
# a thousand cancels at random moments, the libraries of the Wyoming protocol and of MCP, then the examples of the README
# and of docs/. Needs ffmpeg, sox, chromium, Python, Node; installs the libraries beside itself.
# usage: checks/clients/run.sh target/release/shruti [FOLDER FOR LOGS]
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/clients/run.sh path/to/shruti [folder for logs]}")
folder=$(mktemp -d)
logs=${2:-$folder/logs}
mkdir -p "$logs"
logs=$(realpath "$logs")
export TMPDIR=$folder
cd "$(dirname "$0")"
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT

[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

mkfifo "$folder/out"
"$shruti" serve --listen 127.0.0.1:0 --wyoming 127.0.0.1:0 --data-dir "$folder/data" >"$folder/out" 2>"$folder/log" &
server=$!
key=$(grep -m1 -x 'sk_[A-Za-z0-9]*' <"$folder/out")
address=$(grep -om1 'address=[0-9.:]*' <(timeout 10 tail -n +1 -f "$folder/log"))
url=http://${address#address=}
wyoming=$(grep -om1 'wyoming=[0-9.:]*' "$folder/log")

failed=0
.venv/bin/python python.py "$url" "$key" "$logs" || failed=1
node node.mjs "$url" "$key" "$logs" || failed=1
.venv/bin/python ../../measure/stream/cancels.py "${url/http/ws}" "$key" --cancels 1000 || failed=1
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
page_key=$("$shruti" keys create --data-dir "$folder/data" --name page --origin "http://127.0.0.1:$port" --origin "http://localhost:$port" 2>/dev/null | grep -x 'sk_[A-Za-z0-9]*')
PORT=$port STRANGER=$key node browser.mjs "$url" "$page_key" "$logs" || failed=1
.venv/bin/python wyoming_client.py "${wyoming#wyoming=}" || failed=1
.venv/bin/python mcp_client.py "$shruti" "$url" "$key" || failed=1
.venv/bin/python readme.py ../../README.md "$shruti" || failed=1
.venv/bin/python documents.py ../../docs "$shruti" || failed=1
kill -TERM "$server"
wait "$server" || failed=1
[ "$failed" = 0 ] || { echo "clients: FAILED; the server said:"; tail -n 20 "$folder/log"; exit 1; }
echo "clients: all held"
