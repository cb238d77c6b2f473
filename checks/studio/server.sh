# Sourced by the scripts beside it: `serve path/to/shruti [flags]` starts a server of its own on a free port, sets base,
# data and promo (a code that unlocks), and ends it with the script. After `with_pack` the server has a pack of random
# weights, too, which speaks Hindi as the voice "Test 0" and for Ananya.

# of the debug build, which the tests have made
with_pack() {
  random_pack=$(cargo build --quiet --locked --workspace --example random_pack --message-format=json |
    sed -n 's/.*"executable":"\([^"]*\/random_pack\)".*/\1/p')
}

serve() {
  local shruti=$1
  shift
  folder=$(mktemp -d)
  data=$folder/data
  if [ -n "${random_pack:-}" ]; then
    "$random_pack" "$data" small >"$folder/pack"
    set -- "$@" --voices "Ananya.hi=test/Test 0"
  fi
  : >"$folder/log" # before the server, which may be slower to open it than what reads it
  # closed, as on a server for others; a flag opens it
  SHRUTI_OPEN_PLAYGROUND=false "$shruti" serve --listen 127.0.0.1:0 --data-dir "$data" "$@" >"$folder/printed" 2>"$folder/log" &
  server=$!
  trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -rf "$folder"' EXIT
  local address
  address=$(grep -om1 'address=[0-9.:]*' <(timeout 20 tail -n +1 -f "$folder/log"))
  base=http://${address#address=}
  promo=$("$shruti" promo create --chars 100000 --data-dir "$data" 2>/dev/null)
}
