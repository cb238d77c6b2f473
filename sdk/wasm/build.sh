#!/usr/bin/env bash
# Builds the package: the module (crates/shruti-wasm), the data of each language, and the JavaScript.
#
# The module needs a Rust toolchain with the target wasm32-unknown-unknown. The toolchain of rustup is used if it has
# the target (`rustup target add wasm32-unknown-unknown`). Otherwise, Debian's rustc-web, cargo-web and rust-web-src are
# used, which also build the standard library for the target; the linker is then lld, or rust-lld from any rustup
# toolchain. `wasm-opt` (Debian's binaryen), if installed, makes the module smaller.
# usage: sdk/wasm/build.sh
set -euo pipefail
cd "$(dirname "$0")"
target=wasm32-unknown-unknown
arguments=(build -p shruti-wasm --lib --locked --features external-data --profile wasm --target "$target"
  --manifest-path ../../Cargo.toml)

if [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; then
  cargo "${arguments[@]}"
elif [ -x /usr/bin/cargo ] && [ -d /usr/lib/rustlib/src/rust/library ]; then
  rust_lld=("${RUSTUP_HOME:-$HOME/.rustup}"/toolchains/*/lib/rustlib/*/bin/rust-lld)
  linker=$(command -v lld || echo "${rust_lld[0]}")
  # RUSTC_BOOTSTRAP allows -Z, which otherwise needs a nightly toolchain
  RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$linker \
    /usr/bin/cargo "${arguments[@]}" -Z build-std=std,panic_abort
else
  echo "no Rust toolchain has the target: rustup target add $target" >&2
  exit 1
fi

# build the types of the client, which the package uses for playback
(cd ../typescript && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && npm run --silent build)
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
rm -rf dist
npm run --silent build
node packs.mjs dist/data
# include the notices of the data
data=../../crates/shruti-text/data
cat "$data/NOTICE.md" "$data/en/NOTICE" ../../crates/shruti-translit/data/NOTICE.md >dist/data/NOTICE.md
module=${CARGO_TARGET_DIR:-../../target}/$target/wasm/shruti_wasm.wasm
if command -v wasm-opt >/dev/null; then
  wasm-opt -Os --enable-bulk-memory --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals \
    --enable-multivalue --enable-reference-types "$module" -o dist/data/shruti.wasm
else
  cp "$module" dist/data/shruti.wasm
fi
