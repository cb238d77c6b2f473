#!/bin/sh
# Word identification and English recognition of both voices, with the shared tools.
#
# usage: measure.sh TOOLS DATA     TOOLS holds listen.py and wer.py, DATA holds listen/ and english/
# needs: the examples built (cargo build --release -p shruti-voice --examples); pip packages named by the tools
set -eu
tools=$1 data=$2
speak=${CARGO_TARGET_DIR:-target}/release/examples/speak_text
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
for voice in Ananya Arjun; do
  for language in hi te mr; do
    "$speak" "$out/$voice-$language" "$language" "$voice" < "$data/listen/$language.txt"
    echo "$voice $language $(python3 "$tools/listen.py" "$data/listen/$language.npz" "$out/$voice-$language" | tail -n 1)"
  done
  "$speak" "$out/$voice-en" en "$voice" < "$data/english/sentences.txt"
  echo "$voice en $(python3 "$tools/wer.py" "$data/english/sentences.txt" "$out/$voice-en")"
done
