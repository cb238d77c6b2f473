#!/usr/bin/env bash
# Packages a release build for one platform, in target/packages: a tarball that runs from any folder, a .deb, a wheel
# for pip, two packages for npm, the script that installs the tarball, and their checksums. Needs Python, npm, and for
# Linux readelf and cargo-deb (cargo install --locked cargo-deb).
#
# With a TARGET, cross-compiles for that platform and writes to target/packages-TARGET. For aarch64-unknown-linux-gnu,
# this needs Rust's target (rustup target add), Debian's gcc-aarch64-linux-gnu and libc6-dev-arm64-cross, and, to
# determine the dependencies of the .deb, libc6:arm64 and libgcc-s1:arm64.
#
# With FAST=1, the .deb is compressed less: it is 13 % larger and takes a third of the time.
#
# usage: [FAST=1] deploy/package.sh [TARGET]
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-}
cargo=${CARGO:-cargo}
build=${CARGO_TARGET_DIR:-target}/release
out=target/packages
strip=strip
if [ -n "$target" ]; then
  build=${CARGO_TARGET_DIR:-target}/$target/release
  out=target/packages-$target
  if [[ $target = *-unknown-linux-gnu ]]; then
    # prefix of Debian's names for the tools, as in aarch64-linux-gnu-gcc
    tools=${target/-unknown/}
    strip=$tools-strip
    linker=CARGO_TARGET_$(tr '[:lower:]-' '[:upper:]_' <<<"$target")_LINKER
    export "$linker=${!linker:-$tools-gcc}"
  fi
fi
"$cargo" build --release --locked -p shruti ${target:+--target "$target"}
rm -rf "$out"
mkdir -p "$out"
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
platform=$(deploy/binary.py "$build/shruti")
name=shruti-$version-$platform
mkdir "$out/$name"
cp "$build/shruti" README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$out/$name"
cp crates/shruti-translit/data/NOTICE.md crates/shruti-learned/data/NOTICE-voices.md "$out/$name/"
cp -r docs "$out/$name/docs"
cp deploy/shruti.service deploy/shruti.sysusers deploy/shruti.toml "$out/$name"
if [[ $platform = *-linux ]]; then "$strip" --strip-debug "$out/$name/shruti"; else strip -S "$out/$name/shruti"; fi
deploy/wheel.py "$out/$name/shruti" "$out"
deploy/npm.py "$out/$name/shruti" "$out"
reproducible=(--owner=0 --group=0 --numeric-owner --sort=name)
tar --version | grep -q GNU || reproducible=(--uid 0 --gid 0 --numeric-owner)
tar "${reproducible[@]}" -C "$out" -czf "$out/$name.tar.gz" "$name"
rm -r "${out:?}/$name"
[[ $platform != *-linux ]] || "$cargo" deb --no-build --locked -p shruti ${target:+--target "$target"} ${FAST:+--fast} --output "$out/"
cp deploy/install.sh "$out"
cd "$out"
sums=(sha256sum)
command -v sha256sum >/dev/null || sums=(shasum -a 256)
"${sums[@]}" ./*.* | tee SHA256SUMS
