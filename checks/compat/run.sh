#!/usr/bin/env bash
# The SDKs and plugins that other services' users have, pinned, against a release binary: the libraries of OpenAI,
# Cartesia, ElevenLabs, Deepgram and Sarvam, Pipecat's services and LiveKit's plugins for them. Needs Python 3.11 or
# later; installs the packages of requirements.txt beside itself.
# usage: checks/compat/run.sh target/release/shruti
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/compat/run.sh path/to/shruti}")
folder=$(mktemp -d)
export TMPDIR=$folder
cd "$(dirname "$0")"
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT

[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check -r requirements.txt

# serve NAME OPTION...: starts a server, and sets $server, $key and $address
serve() {
  local name=$1
  shift
  mkfifo "$folder/$name.out"
  "$shruti" serve --listen 127.0.0.1:0 --data-dir "$folder/$name" "$@" >"$folder/$name.out" 2>"$folder/$name.log" &
  server=$!
  key=$(grep -m1 -x 'sk_[A-Za-z0-9]*' <"$folder/$name.out")
  address=$(grep -om1 'address=[0-9.:]*' <(timeout 10 tail -n +1 -f "$folder/$name.log"))
  address=${address#address=}
}

# stop: ends it as an operator would
stop() {
  kill -TERM "$server"
  wait "$server" || failed=1
}

failed=0
# names that Sarvam's clients check before they send them
aliases=anushka=Ananya,abhilash=Arjun,shubh=Ananya,shubh_en_narration=Ananya
serve plain --voice-aliases "$aliases"
libraries="openai_sdk.py cartesia_sdk.py deepgram_sdk.py elevenlabs_sdk.py sarvam_sdk.py"
for script in $libraries pipecat_services.py livekit_plugins.py; do
  echo "== $script"
  timeout 300 .venv/bin/python "$script" "http://$address" "$key" || failed=1
done
echo "== limits.py"
spent=$("$shruti" keys create --data-dir "$folder/plain" --monthly-cap 20)
slow=$("$shruti" keys create --data-dir "$folder/plain" --rate 1 --burst 1)
timeout 300 .venv/bin/python limits.py "http://$address" "$spent" "$slow" || failed=1
stop
# the library of ElevenLabs opens one of its sockets over TLS alone
serve tls --tls-self-signed
echo "== elevenlabs_sdk.py, over TLS"
certificate=$folder/tls/self-signed.pem url=https://localhost:${address##*:}
SSL_CERT_FILE=$certificate timeout 300 .venv/bin/python elevenlabs_sdk.py "$url" "$key" "$url" "$certificate" || failed=1
stop
[ "$failed" = 0 ] || { echo "compat: FAILED; the servers said:"; tail -n 20 "$folder"/*.log; exit 1; }
echo "compat: all held"
