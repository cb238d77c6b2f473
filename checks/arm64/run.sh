#!/usr/bin/env bash
# Compares the arm64 build with the x86-64 build: runs the tests of text, voices and formats for arm64, and compares the
# audio of both builds. Cross-compiles with rustup's target aarch64-unknown-linux-gnu if it is installed, otherwise with
# Debian's compiler (rustc-web, cargo-web, libstd-rust-web-dev:arm64). Runs on x86-64, with qemu for the arm64 programs.
# Needs gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user.
#
# usage: checks/arm64/run.sh [FOLDER]     FOLDER keeps the audio; SHRUTI_WITHOUT_TESTS=1 skips the tests
set -euo pipefail
cd "$(dirname "$0")/../.."
sound=${1:-$(mktemp -d)}
[ -n "${1:-}" ] || trap 'rm -rf "$sound"' EXIT
mkdir -p "$sound"
sound=$(realpath "$sound")
there=aarch64-unknown-linux-gnu here=x86_64-unknown-linux-gnu
voices=(shruti-learned shruti-voice shruti-audio shruti-kokoro)

for program in aarch64-linux-gnu-gcc qemu-aarch64; do
  command -v "$program" >/dev/null || { echo "$program is missing: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user"; exit 1; }
done
if [ -d "$(rustc --print sysroot)/lib/rustlib/$there" ]; then
  cargo=cargo
elif [ -x /usr/bin/cargo ] && [ -d "/usr/lib/rustlib/$there" ]; then
  cargo=/usr/bin/cargo
  export RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc
else
  echo "Rust's library for arm64 is missing: rustup target add $there, or apt-get install rustc-web cargo-web libstd-rust-web-dev:arm64"
  exit 1
fi
echo "compiler: $("${RUSTC:-rustc}" --version)"

runner=(qemu-aarch64)
# use the libc of the cross compiler, unless libc6:arm64 is installed: a program that loads parts of both hangs
[ -e /lib/ld-linux-aarch64.so.1 ] || runner+=(-L /usr/aarch64-linux-gnu)
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="${runner[*]}"

packages=()
for package in "${voices[@]}"; do packages+=(-p "$package"); done
if [ -z "${SHRUTI_WITHOUT_TESTS:-}" ]; then
  # release builds: emulated tests without optimisation take hours
  "$cargo" test --release --locked --target "$there" "${packages[@]}" --lib --tests
  "$cargo" test --release --locked --target "$there" -p shruti-text --lib --tests
fi

"$cargo" build --release --locked --target "$there" --target "$here" "${packages[@]}" --example learned --example speak_text --example encode
release=${CARGO_TARGET_DIR:-target}
speak() { # TARGET RUNNER...
  local examples=$release/$1/release/examples folder=$sound/$1
  shift
  while IFS=$'\t' read -r language text; do
    for speaker in 0:Ananya 1:Arjun; do
      local name=$language-${speaker#*:}
      "$@" "$examples/speak_text" "$folder/rules/$name" "$language" "${speaker#*:}" <<<"$text"
      "$@" "$examples/learned" crates/shruti-learned/data/voice.safetensors "$language" "${speaker%:*}" "$folder/learned/$name" <<<"$text" >/dev/null
    done
  done <checks/greetings.tsv
  # encode the same samples with both builds; the samples follow the header of the WAV file
  for format in mp3_24000_64 mp3_44100_64 opus_48000_32 mulaw_8000 alaw_8000 pcm_16000 pcm_48000; do
    mkdir -p "$folder/formats"
    tail -c +45 "$sound/$here/rules/hi-Ananya/000.wav" | "$@" "$examples/encode" "$format" >"$folder/formats/$format"
  done
}
speak "$here"
speak "$there" "${runner[@]}"
checks/arm64/compare.py "$sound/$here" "$sound/$there"
