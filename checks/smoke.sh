#!/usr/bin/env bash
# Checks that a release binary speaks: every language and voice to a WAV file, a clip over HTTP, and a clean shutdown.
# usage: checks/smoke.sh target/release/shruti
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/smoke.sh path/to/shruti}")
. "$(dirname "$0")/harness/server.sh"

passed=0
fail() { echo "smoke: $1"; exit 1; }

while IFS=$'\t' read -r language greeting; do
  for voice in Ananya Arjun; do
    "$shruti" say -l "$language" --voice "$voice" -o "$work/clip.wav" "$greeting" </dev/null
    [ "$(stat -c %s "$work/clip.wav")" -gt 40000 ] || fail "$language $voice produced less than a second of audio"
    passed=$((passed + 1))
  done
done <"$(dirname "$0")/greetings.tsv"

serve "$shruti"
[ -n "$key" ] || fail "the first start printed no key"
passed=$((passed + 1))
python3 - "$url" "$key" <<'PY' || fail "the server did not speak"
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
stop || fail "the server did not end cleanly on SIGTERM"
passed=$((passed + 1))
echo "smoke: $passed passed, 0 failed"
