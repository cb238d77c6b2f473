#!/usr/bin/env bash
# Checks HTTPS and WSS of a release binary with third-party clients: curl, openssl, Python and a browser.
# usage: checks/tls/check.sh target/release/shruti
# PYTHON selects a Python with the package `websockets`. Without that package, the conversation is skipped. Needs
# chromium and Node.
set -euo pipefail
shruti=$(realpath "${1:?usage: checks/tls/check.sh path/to/shruti}")
here=$(realpath "$(dirname "$0")")
clients=$here/../clients/.venv/bin/python
python=${PYTHON:-$([ -x "$clients" ] && echo "$clients" || echo python3)}
. "$here/../harness/server.sh"
passed=0
fail() { echo "tls: $1"; tail -n 5 "$log"; exit 1; }
ok() { passed=$((passed + 1)); }

serve "$shruti" --tls-self-signed
url=https://localhost:$port # the name in the certificate
certificate=$data/self-signed.pem
body='{"text": "नमस्ते दुनिया", "voice": "Arjun"}'

# the log must show the fingerprint, and a command that tests the certificate
fingerprint=$(openssl x509 -in "$certificate" -noout -fingerprint -sha256 | cut -d= -f2)
grep -qF "$fingerprint" "$log" || fail "the log does not show the fingerprint"
ok
command=$(grep -om1 'curl --cacert.*healthz' "$log") || fail "the log shows no command to try it"
[ "$(eval "$command -sS")" = '{"status":"ok"}' ] || fail "the command of the log does not work: $command"
ok
[ "$(stat -c %a "$data/self-signed.key")" = 600 ] || fail "others may read the key"
ok

for version in 1.1 2; do
  for tls in 1.2 1.3; do
    said=$(curl -sS --fail-with-body --cacert "$certificate" "--http$version" "--tlsv$tls" --tls-max "$tls" "$url/v1/tts" -o "$work/clip.raw" \
      -H "Authorization: Bearer $key" -H 'content-type: application/json' -d "$body" -w '%{http_version} %{content_type}')
    [ "$said" = "$version audio/L16; rate=24000; channels=1" ] || fail "curl, HTTP/$version, TLS $tls: $said"
    [ "$(stat -c %s "$work/clip.raw")" -gt 20000 ] || fail "curl got no clip over HTTP/$version, TLS $tls"
    ok
  done
done
if curl -sS "$url/healthz" >/dev/null 2>"$work/said"; then fail "curl trusts an unsigned certificate"; fi
grep -qi 'self.signed' "$work/said" || fail "curl: $(cat "$work/said")"
ok
if curl -sS --cacert "$certificate" --resolve "speech.example:$port:127.0.0.1" "https://speech.example:$port/healthz" >/dev/null 2>"$work/said"; then
  fail "curl accepts the certificate for another host"
fi
ok
said=$(curl -sS "http://localhost:$port/v1/tts" -d "$body" -w '%{http_code}')
[[ $said == *'"code":"https_required"'*400 ]] || fail "plain HTTP: $said"
ok

# the request takes enough time for the TLS 1.3 session tickets to arrive before openssl saves the session
ask() { printf 'GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'; }
for tls in tls1_2 tls1_3; do
  connect=(openssl s_client -connect "localhost:$port" -CAfile "$certificate" -verify_return_error -servername localhost "-$tls" -ign_eof)
  ask | "${connect[@]}" -sess_out "$work/session" >"$work/first" 2>&1 || fail "openssl, $tls: $(tail -n 3 "$work/first")"
  ask | "${connect[@]}" -sess_in "$work/session" >"$work/second" 2>&1 || fail "openssl, $tls: $(tail -n 3 "$work/second")"
  grep -q '^New, ' "$work/first" && grep -q '^Reused, ' "$work/second" || fail "openssl, $tls: the session was not resumed"
  grep -q '{"status":"ok"}' "$work/second" || fail "openssl, $tls: no answer in the resumed session"
  ok
done
for protocol in h2 http/1.1; do
  openssl s_client -connect "localhost:$port" -alpn "$protocol" </dev/null 2>/dev/null | grep -q "ALPN protocol: $protocol" || fail "ALPN $protocol"
  ok
done

"$python" "$here/python.py" "$url" "$key" "$certificate" || fail "Python"
ok

# make the browser trust this key only, as if a known authority had signed it
free=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
page_key=$("$shruti" keys create --data-dir "$data" --name page --origin "http://127.0.0.1:$free" 2>/dev/null | grep -x 'sk_[A-Za-z0-9]*')
public=$(openssl x509 -in "$certificate" -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64)
NODE_EXTRA_CA_CERTS=$certificate CHROMIUM_FLAGS="--ignore-certificate-errors-spki-list=$public" PORT=$free STRANGER=$key \
  node "$here/../clients/browser.mjs" "$url" "$page_key" "$work" || fail "the browser"
ok
browse() { timeout 30 chromium --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir="$work/chromium" "$@" --dump-dom "$url/healthz" 2>&1; }
browse | grep -q ERR_CERT_AUTHORITY_INVALID || fail "the browser trusts an unsigned certificate"
browse --ignore-certificate-errors-spki-list="$public" | grep -qF '{"status":"ok"}' || fail "the browser does not show a page that it trusts"
ok

# replace the certificate while the server runs and a client keeps a connection open
serial() { openssl s_client -connect "localhost:$port" </dev/null 2>/dev/null | openssl x509 -noout -serial; }
before=$(serial)
exec 3<>"/dev/tcp/127.0.0.1/$port" # sends nothing
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -addext 'subjectAltName=DNS:localhost' \
  -days 30 -keyout "$work/new.key" -out "$work/new.pem" 2>/dev/null
mv "$work/new.pem" "$certificate"
mv "$work/new.key" "$data/self-signed.key"
for _ in $(seq 100); do
  [ "$(serial)" != "$before" ] && break
  sleep 0.1
done
[ "$(serial)" != "$before" ] || fail "the certificate was not read again"
curl -sS --cacert "$certificate" "$url/healthz" >/dev/null || fail "the new certificate does not work"
ok
exec 3>&-

stop || fail "the server did not end cleanly on SIGTERM"
ok
echo "tls: $passed passed, 0 failed"
