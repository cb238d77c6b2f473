#!/usr/bin/env bash
# Creates compilers that link against glibc 2.31: their programs also run on Debian 11, Ubuntu 20.04 and newer. Unpacks
# the libraries of Debian 11 for x86-64 and arm64 into a folder, and writes to FOLDER/bin `x86_64-linux-gnu-gcc` and
# `aarch64-linux-gnu-gcc`, two wrapper scripts that run the installed compilers with these libraries. Requires Debian
# with gcc and gcc-aarch64-linux-gnu.
#
# usage: deploy/sysroot.sh FOLDER
#        PATH=FOLDER/bin:$PATH deploy/package.sh aarch64-unknown-linux-gnu
#        CC_x86_64_unknown_linux_gnu=x86_64-linux-gnu-gcc PATH=FOLDER/bin:$PATH deploy/package.sh x86_64-unknown-linux-gnu
set -euo pipefail
mkdir -p "${1:?usage: deploy/sysroot.sh FOLDER}"
cd "$1"
folder=$PWD
mkdir -p bin debs lists/partial archives/partial
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# use the Debian mirror that this machine is configured to use
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/$') || { echo "apt has no mirror of Debian"; exit 1; }
echo "deb [arch=amd64,arm64 signed-by=$keyring] $mirror bullseye main" >sources.list
# use separate lists and a separate cache, so that the package state of this machine does not change
apt() {
  command apt-get -q -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$folder/lists" \
    -o Dir::State::Status=/dev/null -o Dir::Cache::Archives="$folder/archives" -o Dir::Cache::PkgCache= -o Dir::Cache::SrcPkgCache= \
    -o APT::Architectures::=arm64 -o APT::Architectures::=amd64 -o APT::Sandbox::User=root "$@"
}
apt update >apt.log
for machine in x86_64:amd64 aarch64:arm64; do
  debian=${machine#*:} tools=${machine%:*}-linux-gnu root=$folder/${machine#*:}
  rm -rf "$root"
  mkdir "$root"
  (cd debs && apt download "libc6:$debian" "libc6-dev:$debian" "libgcc-s1:$debian" "libcrypt1:$debian" "linux-libc-dev:$debian" >>../apt.log)
  for deb in debs/*_"$debian".deb; do dpkg-deb -x "$deb" "$root"; done
  # make absolute links point into the folder, because they would otherwise lead to the libraries of this machine
  find "$root" -type l -lname '/*' | while read -r link; do ln -sfn "$root$(readlink "$link")" "$link"; done
  compiler=$(PATH=${PATH//$folder\/bin:/} command -v "$tools-gcc") || { echo "$tools-gcc is not installed"; continue; }
  options="--sysroot=$root -isystem $root/usr/include/$tools -isystem $root/usr/include -B$root/usr/lib/$tools"
  printf '#!/bin/sh\nexec %s %s -L%s -L%s "$@"\n' "$compiler" "$options" "$root/lib/$tools" "$root/usr/lib/$tools" >"bin/$tools-gcc"
  chmod 755 "bin/$tools-gcc"
  echo "$folder/bin/$tools-gcc: glibc $(dpkg-deb -f "$(echo debs/libc6_*_"$debian".deb)" Version)"
done
