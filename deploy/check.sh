#!/usr/bin/env bash
# Unpacks the packages that package.sh made and uses what is in them: the binaries speak, the unit is in order.
# usage: deploy/check.sh
set -euo pipefail
cd "$(dirname "$0")/../target/packages"
sha256sum --quiet -c SHA256SUMS
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
speaks() {
  "$1" say -l hi -o "$folder/said.wav" "नमस्ते" && [ "$(stat -c %s "$folder/said.wav")" -gt 10000 ]
}

tar -C "$folder" -xzf ./*.tar.gz
speaks "$folder"/shruti-*/shruti
echo "the tarball's binary speaks"

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
