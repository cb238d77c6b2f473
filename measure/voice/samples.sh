#!/usr/bin/env bash
# Speaks the greetings of checks/greetings.tsv with every voice in every language, one file each: FOLDER/hi-ananya.wav …
# `samples.sh target/release/shruti docs/audio opus` creates the samples of the documents.
# usage: samples.sh path/to/shruti FOLDER [wav|opus|mp3] [learned|rules]
set -euo pipefail
usage='usage: samples.sh path/to/shruti FOLDER [wav|opus|mp3] [learned|rules]'
shruti=${1:?$usage} folder=${2:?$usage} form=${3:-wav} engine=${4:-learned}
mkdir -p "$folder"
while IFS=$'\t' read -r language greeting; do
  for voice in Ananya Arjun; do
    "$shruti" say --voice-engine "$engine" -l "$language" --voice "$voice" -o "$folder/$language-${voice,,}.$form" "$greeting" </dev/null
  done
done <"$(dirname "$0")/../../checks/greetings.tsv"
echo "$folder: $(find "$folder" -maxdepth 1 -name "*.$form" | wc -l) files"
