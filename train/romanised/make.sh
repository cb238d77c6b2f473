#!/bin/bash
# Rebuilds the tables of crates/shruti-translit/data: make.sh CORPORA
#
# CORPORA has a folder for each source of crates/shruti-translit/data/NOTICE.md. A folder contains `<code>.txt` (one
# sentence per line), `<code>.counts.txt` (a word and its count per line) or files of pairs
# (`native<TAB>typed<TAB>count`). Missing files are skipped. The folder of Dakshina contains `<code>.lex.train.tsv`,
# `<code>.valid.txt` and `<code>.{dev,test}.native.txt`; the sentences of the dev and test files are excluded from the
# text. Takes a few minutes on four cores. The same input produces the same bytes.
set -euo pipefail
corpora=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
data=$here/../../crates/shruti-translit/data
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cargo build --release --locked --quiet --manifest-path "$here/Cargo.toml"
tool=${CARGO_TARGET_DIR:-$here/target}/release/romanised

# prints the factor that converts the frequencies in file $1 to counts: the smallest frequency becomes $2
least() { grep -v '^#' "$1" | awk -v w="$2" '{ if (least == "" || $NF < least) least = $NF } END { printf "%.9f", w / least }'; }

# table CODE WORDS BIGRAMS NGRAM_BYTES [WEIGHTS] builds the table of a language. Only the weights for newly spelled
# words and for pairs are fitted on development sentences, because the other weights also balance the language against
# English
table() {
  local code=$1 arguments=(--language "$1" --words "$2" --bigrams "$3" --ngram-bytes "$4")
  if [ $# -gt 4 ]; then arguments+=(--weights "$5"); fi
  add() { if [ -f "$2" ]; then arguments+=("$1" "$2*$3"); fi; }
  add --pairs "$corpora/dakshina/$code.lex.train.tsv" 1
  add --pairs "$corpora/aksharantar-sampled/$code.train.tsv" 0.3
  if [ "$code" = or ]; then add --pairs "$here/odia/lexicon.tsv" 2; fi
  awk -F '\t' '!/^#/ && NF > 1 { n = split($1, typed, " "); for (i = 1; i <= n; i++) print $2 "\t" typed[i] "\t3" }' \
    "$here/../../crates/shruti-text/data/$code/romanised.tsv" > "$work/$code.lists.tsv"
  add --pairs "$work/$code.lists.tsv" 1
  add --text "$corpora/dakshina/$code.valid.txt" 1
  for source in common-voice global-storybooks hindi-discourse ud xquad xcopa chatterbot; do
    add --text "$corpora/$source/$code.txt" 1
  done
  for source in android-apps indian-apps kolibri home-assistant tldr smc-other scratch; do
    add --text "$corpora/$source/$code.txt" 0.5
  done
  add --text "$corpora/ms-docs-mt/$code.txt" 0.2
  add --text "$corpora/smc-wiki/$code.txt" 1
  add --counts "$corpora/frequencywords/$code.counts.txt" 0.2
  local counts=$corpora/unilex/$code.counts.txt
  if [ -f "$counts" ]; then add --counts "$counts" "$(least "$counts" 0.5)"; fi
  counts=$corpora/wordfreq/$code.freq.tsv
  if [ -f "$counts" ]; then
    add --counts "$counts" "$(awk -F '\t' '{ s += $2 } END { printf "%.9f", 200000 / s }' "$counts")"
  fi
  for part in dev test; do
    if [ -f "$corpora/dakshina/$code.$part.native.txt" ]; then arguments+=(--held "$corpora/dakshina/$code.$part.native.txt"); fi
  done
  "$tool" train "${arguments[@]}" --out "$data/$code.stl" --forms "$work/$code.forms"
}

table hi 36000 30000 160000 &
table pa 36000 30000 150000 64,56,56,80,112 &
table kn 48000 10000 201000 64,64,56,32,64 &
wait
table bn 40000 20000 160000 &
table ta 50000 15000 300000 &
table te 45000 15000 250000 &
wait
table ml 64000 20000 280000 64,48,56,56,48 &
table mr 36000 20000 200000 &
table gu 36000 20000 200000 &
wait
table or 21000 10000 100000

# English frequencies: one word and its frequency per line
cp "$corpora/wordfreq/en.freq.tsv" "$work/en.forms"
cd "$work"
"$tool" languages hi.forms bn.forms ta.forms te.forms gu.forms kn.forms ml.forms mr.forms pa.forms or.forms en.forms \
  --listed 2500 --listed-english 10000 --out "$data/languages.stw"
