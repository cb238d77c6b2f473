#!/usr/bin/env bash
# What a new TLS connection costs: a clip's first byte on a warm connection, on a new one, on a new plain one, by curl;
# handshakes a second by openssl, full and resumed. Rough: curl starts anew for each new connection.
# usage: measure/tls/handshakes.sh target/release/shruti [ROUNDS]
set -euo pipefail
shruti=$(realpath "${1:?usage: measure/tls/handshakes.sh path/to/shruti [rounds]}")
rounds=${2:-100}
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT

start() { # name, flags: sets key and port
  mkfifo "$folder/$1"
  "$shruti" serve --listen 127.0.0.1:0 --data-dir "$folder/$1.data" "${@:2}" >"$folder/$1" 2>"$folder/$1.log" &
  key=$(grep -m1 -x 'sk_[A-Za-z0-9]*' <"$folder/$1")
  address=$(grep -om1 'address=[0-9.:]*' <(timeout 10 tail -n +1 -f "$folder/$1.log"))
  port=${address##*:}
}
percentile() { sort -n | awk -v name="$1" '{ v[NR] = $1 * 1000 } END { printf "%-28s p50 %6.2f  p90 %6.2f ms\n", name, v[int(NR * .5 + .5)], v[int(NR * .9 + .5)] }'; }
speak() { # URL, more: seconds from the beginning of each request to the first byte of its clip
  curl -sS -o /dev/null -w '%{time_starttransfer}\n' -H "Authorization: Bearer $key" -H 'content-type: application/json' \
    -d '{"text": "नमस्ते, आपका ऑर्डर आज शाम को आपके घर पर पहुँच जाएगा।"}' "$@"
}

start plain
url=http://localhost:$port/v1/tts
for _ in $(seq "$rounds"); do speak "$url"; done | percentile "HTTP, new connection"
start secure --tls-self-signed
certificate=$folder/secure.data/self-signed.pem
url=https://localhost:$port/v1/tts
for _ in $(seq "$rounds"); do speak --cacert "$certificate" "$url"; done | percentile "HTTPS, new connection"
# one curl, one connection: the first transfer pays for the handshake and is left out
speak --cacert "$certificate" --http1.1 $(for _ in $(seq "$rounds"); do echo "$url -o /dev/null"; done) | tail -n +2 | percentile "HTTPS, warm connection"
for kind in new reuse; do
  openssl s_time -connect "localhost:$port" -CAfile "$certificate" "-$kind" -time 3 2>/dev/null | awk -v kind="$kind" '/real seconds/ { print "openssl s_time -" kind ": " $0 }'
done
