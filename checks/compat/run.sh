#!/usr/bin/env bash
# Tests a release binary with pinned SDKs and plugins made for other services: the libraries of OpenAI, Cartesia,
# ElevenLabs, Deepgram and Sarvam, and the Pipecat services and LiveKit plugins for them. Needs Python 3.11 or later;
# installs the packages of requirements.txt in this folder.
# usage: checks/compat/run.sh target/release/shruti
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/compat/run.sh path/to/shruti}")
cd "$(dirname "$0")"
. ../harness/server.sh
. ../harness/install.sh
export TMPDIR=$work

python_packages .

failed=0
# names of voices that Sarvam's clients accept
aliases=anushka=Ananya,abhilash=Arjun,shubh=Ananya,shubh_en_narration=Ananya
serve "$shruti" --voice-aliases "$aliases"
libraries="openai_sdk.py cartesia_sdk.py deepgram_sdk.py elevenlabs_sdk.py sarvam_sdk.py"
for script in $libraries pipecat_services.py livekit_plugins.py; do
  echo "== $script"
  timeout 300 .venv/bin/python "$script" "$url" "$key" || failed=1
done
echo "== limits.py"
spent=$("$shruti" keys create --data-dir "$data" --monthly-cap 20)
slow=$("$shruti" keys create --data-dir "$data" --rate 1 --burst 1)
timeout 300 .venv/bin/python limits.py "$url" "$spent" "$slow" || failed=1
stop || failed=1
plain_log=$log
# the ElevenLabs library opens one of its sockets only with TLS
serve "$shruti" --tls-self-signed
echo "== elevenlabs_sdk.py, over TLS"
certificate=$data/self-signed.pem url=https://localhost:$port
SSL_CERT_FILE=$certificate timeout 300 .venv/bin/python elevenlabs_sdk.py "$url" "$key" "$url" "$certificate" || failed=1
stop || failed=1
[ "$failed" = 0 ] || { echo "compat: FAILED; the ends of the servers' logs:"; tail -n 20 "$plain_log" "$log"; exit 1; }
echo "compat: all held"
