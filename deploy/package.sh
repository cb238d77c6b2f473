#!/usr/bin/env bash
# Packages a release build for this platform, in target/packages: a tarball that runs from any folder, a .deb, a wheel
# for pip, two packages for npm, the script that installs the tarball, and their checksums. Needs Python, npm, and on
# Linux readelf and cargo-deb (cargo install --locked cargo-deb).
# usage: deploy/package.sh
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --locked -p shruti
out=target/packages
rm -rf "$out"
mkdir -p "$out"
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
name=shruti-$version-$(uname -m)-$(uname -s | tr '[:upper:]' '[:lower:]')
mkdir "$out/$name"
cp target/release/shruti README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$out/$name"
cp crates/shruti-translit/data/NOTICE.md crates/shruti-learned/data/NOTICE-voices.md "$out/$name/"
cp -r docs "$out/$name/docs"
cp deploy/shruti.service deploy/shruti.sysusers deploy/shruti.toml "$out/$name"
if [ "$(uname -s)" = Linux ]; then strip --strip-debug "$out/$name/shruti"; else strip -S "$out/$name/shruti"; fi
deploy/wheel.py "$out/$name/shruti" "$out"
deploy/npm.py "$out/$name/shruti" "$out"
reproducible=(--owner=0 --group=0 --numeric-owner --sort=name)
tar --version | grep -q GNU || reproducible=(--uid 0 --gid 0 --numeric-owner)
tar "${reproducible[@]}" -C "$out" -czf "$out/$name.tar.gz" "$name"
rm -r "${out:?}/$name"
[ "$(uname -s)" != Linux ] || cargo deb --no-build --locked -p shruti --output "$out/"
cp deploy/install.sh "$out"
cd "$out"
sums=(sha256sum)
command -v sha256sum >/dev/null || sums=(shasum -a 256)
"${sums[@]}" ./*.* | tee SHA256SUMS
