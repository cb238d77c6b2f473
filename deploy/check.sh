#!/usr/bin/env bash
# Unpacks the packages that package.sh built and tests their contents: the binaries speak, and the systemd unit is valid.
# usage: deploy/check.sh
set -euo pipefail
cd "$(dirname "$0")/../target/packages"
if command -v sha256sum >/dev/null; then sha256sum --quiet -c SHA256SUMS; else shasum -a 256 --quiet -c SHA256SUMS; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
speaks() {
  "$1" say -l hi -o "$folder/said.wav" "नमस्ते" && [ "$(wc -c <"$folder/said.wav")" -gt 10000 ]
}

tar -C "$folder" -xzf ./*.tar.gz
speaks "$folder"/shruti-*/shruti
echo "the tarball's binary speaks"

./install.sh --from "file://$PWD" --to "$folder/installed" >/dev/null
speaks "$folder/installed/shruti"
mkdir "$folder/damaged"
sed 's/^[0-9a-f]\{8\}/00000000/' SHA256SUMS >"$folder/damaged/SHA256SUMS"
cp ./*.tar.gz "$folder/damaged"
if ./install.sh --from "file://$folder/damaged" --to "$folder/refused" 2>"$folder/error"; then echo "install.sh took a damaged archive"; exit 1; fi
grep -q checksum "$folder/error" && [ ! -e "$folder/refused/shruti" ]
echo "install.sh installs the tarball, and refuses one with another checksum"

python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-index ./*.whl
speaks "$folder/venv/bin/shruti"
echo "pip installs the wheel, and its binary speaks: $(basename ./*.whl)"

mkdir "$folder/node"
npm install --silent --no-save --offline --no-audit --no-fund --omit=optional --prefix "$folder/node" ./*.tgz
speaks "$folder/node/node_modules/.bin/shruti"
if "$folder/node/node_modules/.bin/shruti" say -l xx a 2>/dev/null; then echo "npx shruti hides the exit code"; exit 1; fi
echo "npm installs the packages, and their binary speaks"

ls ./*.deb >/dev/null 2>&1 || exit 0
deb=$(realpath ./*.deb)
dpkg-deb -x "$deb" "$folder/root"
dpkg-deb -e "$deb" "$folder/control"
speaks "$folder/root/usr/bin/shruti"
for file in usr/lib/systemd/system/shruti.service usr/lib/sysusers.d/shruti.conf etc/shruti/shruti.toml \
  usr/share/doc/shruti/NOTICE.md usr/share/doc/shruti/NOTICE-voices.md usr/share/doc/shruti/copyright; do
  [ -e "$folder/root/$file" ] || { echo "the .deb lacks /$file"; exit 1; }
done
grep -q "systemd-sysusers" "$folder/control/postinst"
grep -qx '/etc/shruti/shruti.toml' "$folder/control/conffiles"
"$folder/root/usr/bin/shruti" doctor --config "$folder/root/etc/shruti/shruti.toml" --data-dir "$folder/data" >"$folder/doctor" ||
  grep -q '0 failed' "$folder/doctor" || { cat "$folder/doctor"; exit 1; }
echo "the .deb's binary speaks, and its settings are read: $(dpkg-deb -f "$deb" Depends), $(($(stat -c %s "$deb") >> 20)) MiB"
if command -v systemd-analyze >/dev/null; then
  sed "s#/usr/bin/shruti#$folder/root/usr/bin/shruti#" "$folder/root/usr/lib/systemd/system/shruti.service" >"$folder/shruti.service"
  systemd-analyze verify "$folder/shruti.service"
  systemd-analyze security --offline=true "$folder/shruti.service" | tail -n 1
fi
