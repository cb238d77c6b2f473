#!/usr/bin/env bash
# Unpacks the packages built by package.sh and checks that the binaries can synthesize speech and that the systemd unit
# is valid.
#
# With a TARGET, tests target/packages-TARGET. RUNNER is a program that runs binaries for another processor, such as
# `qemu-aarch64`. In that case, pip and npm must refuse the packages, and the binary is run without the scripts of the
# packages. GLIBC, such as 2.31, is the newest version of glibc that the binary may need.
#
# usage: [RUNNER=qemu-aarch64] [GLIBC=2.31] deploy/check.sh [TARGET]
set -euo pipefail
deploy=$(cd "$(dirname "$0")" && pwd)
cd "$deploy/../target/packages${1:+-$1}"
read -ra runner <<<"${RUNNER:-}"
if command -v sha256sum >/dev/null; then sha256sum --quiet -c SHA256SUMS; else shasum -a 256 --quiet -c SHA256SUMS; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# bash 3.2 of macOS treats an empty array as an unset variable
run() { ${runner[@]+"${runner[@]}"} "$@"; }
speaks() {
  run "$1" say -l hi -o "$folder/said.wav" "नमस्ते" && [ "$(wc -c <"$folder/said.wav")" -gt 10000 ] && rm "$folder/said.wav"
}

tar -C "$folder" -xzf ./*.tar.gz
binary=$(echo "$folder"/shruti-*/shruti)
platform=$("$deploy/binary.py" "$binary")
speaks "$binary"
echo "the tarball's binary speaks: $platform"

if [[ $platform = *-linux ]]; then
  needed=$("$deploy/binary.py" --glibc "$binary")
  newest=$(printf '%s\n' "$needed" "${GLIBC:-$needed}" | sort -V | tail -n 1)
  [ "$newest" = "${GLIBC:-$needed}" ] || { echo "the binary needs glibc $needed, newer than $GLIBC"; exit 1; }
  echo "the binary needs glibc $needed"
fi

if [ -n "${RUNNER:-}" ]; then
  # replace `uname`, which install.sh uses to detect the platform; install.sh also runs the binary that it has installed
  mkdir "$folder/uname"
  printf '#!/bin/sh\ncase $1 in -m) echo %s ;; -s) echo %s ;; esac\n' "${platform%-*}" "${platform#*-}" >"$folder/uname/uname"
  chmod 755 "$folder/uname/uname"
  PATH=$folder/uname:$PATH
fi
./install.sh --from "file://$PWD" --to "$folder/installed" >/dev/null 2>"$folder/error" || { cat "$folder/error"; exit 1; }
speaks "$folder/installed/shruti"
mkdir "$folder/damaged"
sed 's/^[0-9a-f]\{8\}/00000000/' SHA256SUMS >"$folder/damaged/SHA256SUMS"
cp ./*.tar.gz "$folder/damaged"
if ./install.sh --from "file://$folder/damaged" --to "$folder/refused" 2>"$folder/error"; then echo "install.sh took a damaged archive"; exit 1; fi
grep -q checksum "$folder/error" && [ ! -e "$folder/refused/shruti" ]
[ -z "${RUNNER:-}" ] || PATH=${PATH#*:}
echo "install.sh installs the tarball, and refuses one with another checksum"

wheel=$(basename ./*.whl .whl)
python3 -m venv "$folder/venv"
if [ -n "${RUNNER:-}" ]; then
  tags=(--platform "${wheel##*-none-}" --only-binary :all: --target "$folder/venv/other")
  "$folder/venv/bin/pip" install -q --no-index "${tags[@]}" "./$wheel.whl"
  speaks "$folder/venv/other/bin/shruti"
  if "$folder/venv/bin/pip" install -q --no-index "./$wheel.whl" 2>/dev/null; then echo "pip took a wheel of another processor"; exit 1; fi
else
  "$folder/venv/bin/pip" install -q --no-index "./$wheel.whl"
  speaks "$folder/venv/bin/shruti"
fi
echo "pip installs the wheel, and its binary speaks: $wheel.whl"

mkdir "$folder/node"
modules=$folder/node/node_modules
npm=(npm install --silent --no-save --offline --no-audit --no-fund --omit=optional --prefix "$folder/node")
if [ -n "${RUNNER:-}" ]; then
  if "${npm[@]}" ./*.tgz 2>/dev/null; then echo "npm took a package of another processor"; exit 1; fi
  "${npm[@]}" --force ./*.tgz
  speaks "$modules"/@shruti/linux-*/shruti
else
  "${npm[@]}" ./*.tgz
  speaks "$modules/.bin/shruti"
  if "$modules/.bin/shruti" say -l xx a 2>/dev/null; then echo "npx shruti hides the exit code"; exit 1; fi
fi
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
case $(dpkg-deb -f "$deb" Architecture)-$platform in amd64-x86_64-linux | arm64-aarch64-linux) ;; *) echo "the .deb is for another processor"; exit 1 ;; esac
# an emulated processor is too slow for the check `speech`, which measures the speed of synthesis
slow=${RUNNER:+speech}
if ! run "$folder/root/usr/bin/shruti" doctor --config "$folder/root/etc/shruti/shruti.toml" --data-dir "$folder/data" >"$folder/doctor" &&
  grep '^fail ' "$folder/doctor" | grep -qv "^fail  ${slow:-none} "; then
  cat "$folder/doctor"
  exit 1
fi
echo "the .deb's binary speaks, and its settings are read: $(dpkg-deb -f "$deb" Depends), $(($(stat -c %s "$deb") >> 20)) MiB"
if command -v systemd-analyze >/dev/null; then
  sed "s#/usr/bin/shruti#$folder/root/usr/bin/shruti#" "$folder/root/usr/lib/systemd/system/shruti.service" >"$folder/shruti.service"
  systemd-analyze verify "$folder/shruti.service"
  systemd-analyze security --offline=true "$folder/shruti.service" | tail -n 1
fi
