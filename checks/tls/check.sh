#!/usr/bin/env bash
# HTTPS and WSS of a release binary, by clients that nobody here wrote: curl, openssl, Python, a browser.
# usage: checks/tls/check.sh target/release/shruti
# PYTHON names a Python with `websockets` for the conversation; without one, that is left out and said. Needs chromium
# and Node.
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/tls/check.sh path/to/shruti}")
here=$(realpath "$(dirname "$0")")
clients=$here/../clients/.venv/bin/python
python=${PYTHON:-$([ -x "$clients" ] && echo "$clients" || echo python3)}
folder=$(mktemp -d)
trap 'kill "${server:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
passed=0
fail() { echo "tls: $1"; tail -n 5 "$folder/log"; exit 1; }
ok() { passed=$((passed + 1)); }

mkfifo "$folder/out"
"$shruti" serve --listen 127.0.0.1:0 --tls-self-signed --data-dir "$folder/data" >"$folder/out" 2>"$folder/log" &
server=$!
key=$(grep -m1 -x 'sk_[A-Za-z0-9]*' <"$folder/out") || fail "no key was printed"
address=$(grep -om1 'address=[0-9.:]*' <(timeout 10 tail -n +1 -f "$folder/log")) || fail "the log does not tell the address"
port=${address##*:}
url=https://localhost:$port
certificate=$folder/data/self-signed.pem
body='{"text": "नमस्ते दुनिया", "voice": "Arjun"}'

# the log's own words: the fingerprint, and the command that tries it
fingerprint=$(openssl x509 -in "$certificate" -noout -fingerprint -sha256 | cut -d= -f2)
grep -qF "$fingerprint" "$folder/log" || fail "the log does not tell the fingerprint"
ok
command=$(grep -om1 'curl --cacert.*healthz' "$folder/log") || fail "the log does not tell how to try it"
[ "$(eval "$command -sS")" = '{"status":"ok"}' ] || fail "the command of the log does not work: $command"
ok
[ "$(stat -c %a "$folder/data/self-signed.key")" = 600 ] || fail "others may read the key"
ok

for version in 1.1 2; do
  for tls in 1.2 1.3; do
    said=$(curl -sS --fail-with-body --cacert "$certificate" "--http$version" "--tlsv$tls" --tls-max "$tls" "$url/v1/tts" -o "$folder/clip.raw" \
      -H "Authorization: Bearer $key" -H 'content-type: application/json' -d "$body" -w '%{http_version} %{content_type}')
    [ "$said" = "$version audio/L16; rate=24000; channels=1" ] || fail "curl, HTTP/$version, TLS $tls: $said"
    [ "$(stat -c %s "$folder/clip.raw")" -gt 20000 ] || fail "curl got no clip over HTTP/$version, TLS $tls"
    ok
  done
done
if curl -sS "$url/healthz" >/dev/null 2>"$folder/said"; then fail "curl trusts what nobody has signed"; fi
grep -qi 'self.signed' "$folder/said" || fail "curl: $(cat "$folder/said")"
ok
if curl -sS --cacert "$certificate" --resolve "speech.example:$port:127.0.0.1" "https://speech.example:$port/healthz" >/dev/null 2>"$folder/said"; then
  fail "curl takes the certificate for another host"
fi
ok
said=$(curl -sS "http://localhost:$port/v1/tts" -d "$body" -w '%{http_code}')
[[ $said == *'"code":"https_required"'*400 ]] || fail "plain HTTP: $said"
ok

# a request, so that the tickets of TLS 1.3 have come when openssl keeps the session
ask() { printf 'GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'; }
for tls in tls1_2 tls1_3; do
  connect=(openssl s_client -connect "localhost:$port" -CAfile "$certificate" -verify_return_error -servername localhost "-$tls" -ign_eof)
  ask | "${connect[@]}" -sess_out "$folder/session" >"$folder/first" 2>&1 || fail "openssl, $tls: $(tail -n 3 "$folder/first")"
  ask | "${connect[@]}" -sess_in "$folder/session" >"$folder/second" 2>&1 || fail "openssl, $tls: $(tail -n 3 "$folder/second")"
  grep -q '^New, ' "$folder/first" && grep -q '^Reused, ' "$folder/second" || fail "openssl, $tls: the session was not resumed"
  grep -q '{"status":"ok"}' "$folder/second" || fail "openssl, $tls: no answer in the resumed session"
  ok
done
for protocol in h2 http/1.1; do
  openssl s_client -connect "localhost:$port" -alpn "$protocol" </dev/null 2>/dev/null | grep -q "ALPN protocol: $protocol" || fail "ALPN $protocol"
  ok
done

"$python" "$here/python.py" "$url" "$key" "$certificate" || fail "Python"
ok

# the browser trusts this one key, as if somebody had signed it; without that it goes no further
free=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
page_key=$("$shruti" keys create --data-dir "$folder/data" --name page --origin "http://127.0.0.1:$free" 2>/dev/null | grep -x 'sk_[A-Za-z0-9]*')
public=$(openssl x509 -in "$certificate" -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64)
NODE_EXTRA_CA_CERTS=$certificate CHROMIUM_FLAGS="--ignore-certificate-errors-spki-list=$public" PORT=$free STRANGER=$key \
  node "$here/../clients/browser.mjs" "$url" "$page_key" "$folder" || fail "the browser"
ok
browse() { timeout 30 chromium --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir="$folder/chromium" "$@" --dump-dom "$url/healthz" 2>&1; }
browse | grep -q ERR_CERT_AUTHORITY_INVALID || fail "the browser trusts what nobody has signed"
browse --ignore-certificate-errors-spki-list="$public" | grep -qF '{"status":"ok"}' || fail "the browser does not show what it trusts"
ok

# another certificate, while the server runs and a client holds a connection
serial() { openssl s_client -connect "localhost:$port" </dev/null 2>/dev/null | openssl x509 -noout -serial; }
before=$(serial)
exec 3<>"/dev/tcp/127.0.0.1/$port" # never speaks
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -addext 'subjectAltName=DNS:localhost' \
  -days 30 -keyout "$folder/new.key" -out "$folder/new.pem" 2>/dev/null
mv "$folder/new.pem" "$certificate"
mv "$folder/new.key" "$folder/data/self-signed.key"
for _ in $(seq 100); do
  [ "$(serial)" != "$before" ] && break
  sleep 0.1
done
[ "$(serial)" != "$before" ] || fail "the certificate was not read again"
curl -sS --cacert "$certificate" "$url/healthz" >/dev/null || fail "the new certificate does not work"
ok
exec 3>&-

kill -TERM "$server"
wait "$server" || fail "the server did not end cleanly on SIGTERM"
ok
echo "tls: $passed passed, 0 failed"
