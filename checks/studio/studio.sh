# Sourced by the scripts in this folder.
#
#   studio BINARY [FLAG…]  stops the previous server, starts a server as `serve` does (../harness/server.sh), and sets
#                          promo, a code that unlocks access. The playground is closed unless a flag opens it.
#   studio_with_pack …     does the same with a pack of random weights, which speaks Hindi as the voice "Test 0" and for
#                          Ananya

. ../harness/server.sh
export TMPDIR=$work

studio() {
  stop || true
  SHRUTI_OPEN_PLAYGROUND=false serve "$@"
  promo=$("$shruti" promo create --chars 100000 --data-dir "$data" 2>/dev/null)
}

studio_with_pack() {
  local random_pack folder
  # the tests have already built this program (debug build)
  random_pack=$(cargo build --quiet --locked --workspace --example random_pack --message-format=json |
    sed -n 's/.*"executable":"\([^"]*\/random_pack\)".*/\1/p')
  folder=$(mktemp -d)
  "$random_pack" "$folder/data" small >"$folder/pack"
  studio --folder "$folder" "$@" --voices "Ananya.hi=test/Test 0"
}
