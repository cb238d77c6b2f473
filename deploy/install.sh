#!/bin/sh
# Installs the binary of a release for this machine, after verifying its checksum.
# usage: install.sh --from URL [--to FOLDER]
#   --from   URL of the folder with the release's archives and SHA256SUMS
#   --to     destination folder of the binary (default: ~/.local/bin)
set -eu

from='' to="$HOME/.local/bin"
while [ $# -gt 0 ]; do
  case $1 in
    --from) from=${2:?"--from needs a URL"} ;;
    --to) to=${2:?"--to needs a folder"} ;;
    *) echo "install.sh: unknown argument $1; usage: install.sh --from URL [--to FOLDER]" >&2; exit 2 ;;
  esac
  shift 2
done
[ -n "$from" ] || { echo "install.sh: --from URL is missing: where the release's archives and SHA256SUMS are" >&2; exit 2; }

machine=$(uname -m)
system=$(uname -s | tr '[:upper:]' '[:lower:]')
fetch() { curl -fsSL --proto '=https,http,file' "$from/$1" -o "$folder/$1" || { echo "install.sh: $from/$1 cannot be fetched" >&2; exit 1; }; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fetch SHA256SUMS
archive=$(sed -n "s/^[0-9a-f]*  \(\.\/\)\{0,1\}\(shruti-[0-9][^/]*-$machine-$system\.tar\.gz\)$/\2/p" "$folder/SHA256SUMS" | head -n 1)
[ -n "$archive" ] || { echo "install.sh: the release has no archive for $machine-$system; docs/install.md says how to build one" >&2; exit 1; }
fetch "$archive"
wanted=$(sed -n "s/^\([0-9a-f]*\)  .*$archive$/\1/p" "$folder/SHA256SUMS" | head -n 1)
if command -v sha256sum >/dev/null; then found=$(sha256sum "$folder/$archive"); else found=$(shasum -a 256 "$folder/$archive"); fi
[ "${found%% *}" = "$wanted" ] || { echo "install.sh: $archive has the checksum ${found%% *}; SHA256SUMS says $wanted" >&2; exit 1; }
tar -C "$folder" -xzf "$folder/$archive"
mkdir -p "$to"
# write the binary under a temporary name and rename it, so that a running server keeps its file
cp "$folder/${archive%.tar.gz}/shruti" "$to/.shruti.new"
chmod 755 "$to/.shruti.new"
mv "$to/.shruti.new" "$to/shruti"
echo "installed $("$to/shruti" --version | head -n 1) in $to"
case :$PATH: in *":$to:"*) ;; *) echo "$to is not in PATH: export PATH=\"$to:\$PATH\"" ;; esac
echo "next: shruti serve"
