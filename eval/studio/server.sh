# Sourced by the scripts beside it: `serve path/to/shruti [flags]` starts a server of its own on a free port, sets base, data and
# promo (a code that unlocks), and ends it with the script.

serve() {
  local shruti=$1
  shift
  folder=$(mktemp -d)
  data=$folder/data
  "$shruti" serve --listen 127.0.0.1:0 --data-dir "$data" "$@" >"$folder/printed" 2>"$folder/log" &
  server=$!
  trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
  local address
  address=$(grep -om1 'address=[0-9.:]*' <(timeout 20 tail -n +1 -f "$folder/log"))
  base=http://${address#address=}
  promo=$("$shruti" promo create --chars 100000 --data-dir "$data" 2>/dev/null)
}
