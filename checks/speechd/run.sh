#!/usr/bin/env bash
# Builds sd_shruti and libshruti. Tests sd_shruti with a real Speech Dispatcher and runs the checks of `integrations/`.
# Installs missing packages if run as root: Debian's speech-dispatcher, its audio plugins, python3-speechd, pkg-config,
# a JDK.
set -euo pipefail
cd "$(dirname "$0")/../.."
needed=()
command -v speech-dispatcher >/dev/null && command -v spd-say >/dev/null || needed+=(speech-dispatcher)
compgen -G '/usr/lib/*/speech-dispatcher/spd_alsa.so' >/dev/null || needed+=(speech-dispatcher-audio-plugins)
/usr/bin/python3 -c 'import speechd' 2>/dev/null || needed+=(python3-speechd)
command -v pkg-config >/dev/null || needed+=(pkg-config)
command -v javac >/dev/null || needed+=(default-jdk-headless)
if [ "${#needed[@]}" -gt 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${needed[@]}" >/dev/null
fi
cargo build --release --locked -p shruti-speechd -p shruti-capi
target=${CARGO_TARGET_DIR:-target}/release
/usr/bin/python3 checks/speechd/check.py "$target/sd_shruti"

prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
crates/shruti-capi/install.sh "$prefix"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
# shellcheck disable=SC2046 # the flags are separate words
cc crates/shruti-capi/examples/c/speak.c $(pkg-config --cflags --libs shruti) -o "$prefix/speak"
LD_LIBRARY_PATH=$prefix/lib "$prefix/speak" "$prefix/hello.wav" hi 2.0 'नमस्ते, आप कैसे हैं?'

export PYTHONDONTWRITEBYTECODE=1
integrations/nvda/check.sh "$target/libshruti.so"
integrations/android/check.sh "$target/libshruti.so"
