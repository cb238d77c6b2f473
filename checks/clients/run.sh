#!/usr/bin/env bash
# Tests a release binary with third-party clients: Python's `websockets`, Node's `ws`, a browser's WebSocket, and the
# Wyoming and MCP libraries. Includes a thousand cancels at random moments. Then runs the examples of the README and of
# docs/. Needs ffmpeg, sox, chromium, Python, Node; installs the libraries in this folder.
# usage: checks/clients/run.sh target/release/shruti [FOLDER FOR LOGS]
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/clients/run.sh path/to/shruti [folder for logs]}")
logs=${2:-}
[ -z "$logs" ] || { mkdir -p "$logs"; logs=$(realpath "$logs"); }
cd "$(dirname "$0")"
. ../harness/server.sh
. ../harness/install.sh
export TMPDIR=$work
[ -n "$logs" ] || { logs=$work/logs; mkdir "$logs"; }

python_packages .
node_packages .

serve "$shruti" --wyoming 127.0.0.1:0

failed=0
.venv/bin/python python.py "$url" "$key" "$logs" || failed=1
node node.mjs "$url" "$key" "$logs" || failed=1
.venv/bin/python ../../measure/stream/cancels.py "${url/http/ws}" "$key" --cancels 1000 || failed=1
page_port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
page_key=$("$shruti" keys create --data-dir "$data" --name page --origin "http://127.0.0.1:$page_port" --origin "http://localhost:$page_port" 2>/dev/null | grep -x 'sk_[A-Za-z0-9]*')
PORT=$page_port STRANGER=$key node browser.mjs "$url" "$page_key" "$logs" || failed=1
.venv/bin/python wyoming_client.py "$wyoming" || failed=1
.venv/bin/python mcp_client.py "$shruti" "$url" "$key" || failed=1
.venv/bin/python readme.py ../../README.md "$shruti" || failed=1
.venv/bin/python documents.py ../../docs "$shruti" || failed=1
stop || failed=1
[ "$failed" = 0 ] || { echo "clients: FAILED; the end of the server's log:"; tail -n 20 "$log"; exit 1; }
echo "clients: all held"
