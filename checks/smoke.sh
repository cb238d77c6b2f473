#!/usr/bin/env bash
# Does a release binary speak? Every language and voice into a WAV file, a running server over HTTP, a clean end.
# usage: checks/smoke.sh target/release/shruti
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/smoke.sh path/to/shruti}")
folder=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT

passed=0
fail() { echo "smoke: $1"; exit 1; }

while IFS=$'\t' read -r language greeting; do
  for voice in Ananya Arjun; do
    "$shruti" say -l "$language" --voice "$voice" -o "$folder/clip.wav" "$greeting" </dev/null
    [ "$(stat -c %s "$folder/clip.wav")" -gt 40000 ] || fail "$language $voice said less than a second"
    passed=$((passed + 1))
  done
done <"$(dirname "$0")/greetings.tsv"

# the first start prints the key, alone on a line, before it answers
mkfifo "$folder/out"
"$shruti" serve --listen 127.0.0.1:0 --data-dir "$folder/data" >"$folder/out" 2>"$folder/log" &
server=$!
key=$(grep -m1 -x 'sk_[A-Za-z0-9]*' <"$folder/out") || fail "no key was printed"
passed=$((passed + 1))
address=$(grep -om1 'address=[0-9.:]*' <(timeout 10 tail -n +1 -f "$folder/log")) || fail "the log does not tell the address"
address=http://${address#address=}
python3 - "$address" "$key" <<'PY' || fail "the server did not speak"
import sys, urllib.request, json
address, key = sys.argv[1:]
body = json.dumps({"text": "नमस्ते दुनिया", "voice": "Arjun"}).encode()
request = urllib.request.Request(address + "/v1/tts", body, {"authorization": f"Bearer {key}", "content-type": "application/json"})
with urllib.request.urlopen(request) as response:
    samples = response.read()
    assert response.headers["content-type"] == "audio/L16; rate=24000; channels=1", response.headers
    assert response.headers["x-tts-language"] == "hi" and "ttfa;dur=" in response.headers["server-timing"]
assert len(samples) > 20000 and len(samples) % 2 == 0
PY
passed=$((passed + 1))
kill -TERM "$server"
wait "$server" || fail "the server did not end cleanly on SIGTERM"
passed=$((passed + 1))
echo "smoke: $passed passed, 0 failed"
