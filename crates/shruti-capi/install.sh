#!/bin/sh
# Builds and installs libshruti with its header and pkg-config file: install.sh [PREFIX], default /usr/local.
set -eu
prefix=${1:-/usr/local}
here=$(cd "$(dirname "$0")" && pwd)
cd "$here"
cargo build --release --locked -p shruti-capi
target=${CARGO_TARGET_DIR:-../../target}
version=$(cargo metadata --locked --no-deps --format-version 1 |
  python3 -c 'import json, sys; print(next(p["version"] for p in json.load(sys.stdin)["packages"] if p["name"] == "shruti-capi"))')
install -d "$prefix/lib/pkgconfig" "$prefix/include"
install -m 644 "$target/release/libshruti.a" "$prefix/lib/"
install -m 755 "$target/release/libshruti.so" "$prefix/lib/"
install -m 644 include/shruti.h "$prefix/include/"
# the library contains data derived from third-party works
doc=$prefix/share/doc/libshruti
install -d "$doc"
install -m 644 ../../LICENSE-MIT ../../LICENSE-APACHE ../shruti-translit/data/NOTICE.md ../shruti-learned/data/NOTICE-voices.md "$doc/"
sed -e "s|@prefix@|$prefix|" -e "s|@version@|$version|" shruti.pc.in >"$prefix/lib/pkgconfig/shruti.pc"
