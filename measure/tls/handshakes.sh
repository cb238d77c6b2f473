#!/usr/bin/env bash
# Measures the cost of a new TLS connection: time to the first byte of a clip on a warm connection, on a new connection
# and on a new connection without TLS (curl), and full and resumed handshakes per second (openssl). The times are rough:
# each time for a new connection includes the start of curl.
# usage: measure/tls/handshakes.sh target/release/shruti [ROUNDS]
set -euo pipefail
shruti=$(realpath "${1:?usage: measure/tls/handshakes.sh path/to/shruti [rounds]}")
rounds=${2:-100}
. "$(dirname "$0")/../../checks/harness/server.sh"

percentile() { sort -n | awk -v name="$1" '{ v[NR] = $1 * 1000 } END { printf "%-28s p50 %6.2f  p90 %6.2f ms\n", name, v[int(NR * .5 + .5)], v[int(NR * .9 + .5)] }'; }
speak() { # URL, curl options: prints the seconds from the start of each request to the first byte of its clip
  curl -sS -o /dev/null -w '%{time_starttransfer}\n' -H "Authorization: Bearer $key" -H 'content-type: application/json' \
    -d '{"text": "नमस्ते, आपका ऑर्डर आज शाम को आपके घर पर पहुँच जाएगा।"}' "$@"
}

serve "$shruti"
url=http://localhost:$port/v1/tts
for _ in $(seq "$rounds"); do speak "$url"; done | percentile "HTTP, new connection"
stop
serve "$shruti" --tls-self-signed
certificate=$data/self-signed.pem
url=https://localhost:$port/v1/tts
for _ in $(seq "$rounds"); do speak --cacert "$certificate" "$url"; done | percentile "HTTPS, new connection"
# one run of curl uses one connection: its first transfer includes the handshake and is skipped
speak --cacert "$certificate" --http1.1 $(for _ in $(seq "$rounds"); do echo "$url -o /dev/null"; done) | tail -n +2 | percentile "HTTPS, warm connection"
for kind in new reuse; do
  openssl s_time -connect "localhost:$port" -CAfile "$certificate" "-$kind" -time 3 2>/dev/null | awk -v kind="$kind" '/real seconds/ { print "openssl s_time -" kind ": " $0 }'
done
