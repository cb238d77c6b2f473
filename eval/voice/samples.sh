#!/usr/bin/env bash
# The greetings of eval/greetings.tsv by every voice in every language, a WAV file each: FOLDER/hi-ananya.wav …
# usage: samples.sh path/to/shruti FOLDER
set -euo pipefail
shruti=${1:?usage: samples.sh path/to/shruti FOLDER} folder=${2:?usage: samples.sh path/to/shruti FOLDER}
mkdir -p "$folder"
while IFS=$'\t' read -r language greeting; do
  for voice in Ananya Arjun; do
    "$shruti" say -l "$language" --voice "$voice" -o "$folder/$language-${voice,,}.wav" "$greeting" </dev/null
  done
done <"$(dirname "$0")/../greetings.tsv"
echo "$folder: $(find "$folder" -name '*.wav' | wc -l) files"
