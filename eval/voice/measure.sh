#!/bin/sh
# Word identification and English recognition of both voices, and of espeak-ng where it is installed.
#
# usage: measure.sh path/to/shruti TOOLS DATA     TOOLS holds listen.py and wer.py, DATA holds listen/ and english/
# needs: the pip packages that the tools name
set -eu
shruti=$1 tools=$2 data=$3
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT

espeak() { # language list folder
  mkdir -p "$3"
  number=0
  while IFS= read -r line || [ -n "$line" ]; do
    espeak-ng -v "$1" -w "$3/$(printf %03d "$number").wav" -- "$line"
    number=$((number + 1))
  done < "$2"
}

for voice in Ananya Arjun espeak-ng; do
  for language in hi te mr en; do
    case $language in
      en) list=$data/english/sentences.txt ;;
      *) list=$data/listen/$language.txt ;;
    esac
    if [ "$voice" != espeak-ng ]; then
      "$shruti" say -l "$language" --voice "$voice" --list "$list" --out-dir "$out/$voice-$language"
    elif command -v espeak-ng >/dev/null; then
      espeak "$(echo "$language" | sed 's/^en$/en-us/')" "$list" "$out/$voice-$language"
    else
      continue
    fi
    case $language in
      en) score=$(python3 "$tools/wer.py" "$list" "$out/$voice-$language") ;;
      *) score=$(python3 "$tools/listen.py" "$data/listen/$language.npz" "$out/$voice-$language" | tail -n 1) ;;
    esac
    echo "$voice $language $score"
  done
done
