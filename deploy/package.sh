#!/usr/bin/env bash
# Packages of a release build: a tarball that runs where it is unpacked, a .deb, and their checksums, in target/packages.
# Needs cargo-deb (cargo install --locked cargo-deb).
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
strip --strip-debug "$out/$name/shruti"
tar --owner=0 --group=0 --numeric-owner --sort=name -C "$out" -czf "$out/$name.tar.gz" "$name"
rm -r "${out:?}/$name"
cargo deb --no-build --locked -p shruti --output "$out/"
(cd "$out" && sha256sum ./*.tar.gz ./*.deb > SHA256SUMS && cat SHA256SUMS)
