#!/usr/bin/env python3
"""Compares the espeak-ng IPA that this project writes with the output of espeak-ng.

    cargo build --locked --examples -p shruti-neural
    measure/packs/espeak.py LANG FILE [--dialect NAME] [--diff N] [--sounds]

FILE has one word per line, or columns separated by tabs with the word first; with --sentences, sentences are split into
words, and with --running their clauses are compared. `espeak-ng` (Debian: espeak-ng) reads each word in isolation. It
serves as a reference only: it is not linked, and none of its data is used. Prints the share of words that are equal,
equal except for secondary stress, and equal in their sounds without stress, with `ʌ` counted as `ə`.
"""

import argparse
import collections
import difflib
import re
import subprocess
import unicodedata
from pathlib import Path

SYMBOLS = Path(__file__).parents[2] / "target/debug/examples/symbols"
PUNCTUATION = re.compile(r"[\s.,;:!?।॥\"'“”‘’()\[\]{}<>/\\|…–—0-9-]+")


def words_of(path, sentences, latin):
    seen = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        parts = PUNCTUATION.split(line) if sentences else [line.split("\t")[0]]
        for word in parts:
            # words in another script belong to another language
            is_latin = bool(re.search("[A-Za-z]", word))
            if word and not re.search(r"[\d\s]", word) and is_latin == latin:
                seen.setdefault(word)
    return list(seen)


def lines_of(command, words):
    text = "".join(word + "\n" for word in words)
    out = subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout
    lines = out.split("\n")[: len(words)]
    if len(lines) != len(words):
        raise SystemExit(f"{command[0]}: {len(lines)} lines for {len(words)} words")
    return [unicodedata.normalize("NFD", line.strip()) for line in lines]


def but_secondary(text):
    return text.replace("ˌ", "")


def sounds(text):
    return text.replace("ˌ", "").replace("ˈ", "").replace("ʌ", "ə")


def differences(pairs):
    """Returns the parts that differ, the most frequent first."""
    counts, examples = collections.Counter(), {}
    for word, ours, theirs in pairs:
        for kind, a, b, c, d in difflib.SequenceMatcher(None, ours, theirs, False).get_opcodes():
            if kind != "equal":
                change = (ours[a:b], theirs[c:d])
                counts[change] += 1
                examples.setdefault(change, []).append(f"{word} {ours} | {theirs}")
    return counts, examples


def run_clauses(path, language, dialect):
    """Prints the share of words in whole clauses whose transcriptions are equal."""
    text = path.read_text(encoding="utf-8")
    clauses = [clause.strip() for clause in re.split(r"[\n,.;:!?।॥()\"“”—–|/…]+", text)]
    clauses = [clause for clause in clauses if clause and not re.search(r"[^\w\s\u0900-\u0dff\u200c\u200d'’]|\d", clause)]
    ours = lines_of([SYMBOLS, "espeak", language, dialect, "--dictionary"], clauses)
    # pass one clause at a time, because espeak-ng splits its output for a long clause into several lines
    command = ["espeak-ng", "-q", "--ipa", "-v", dialect]
    answer = lambda clause: subprocess.run(command, input=clause, text=True, capture_output=True, check=True).stdout
    theirs = [unicodedata.normalize("NFD", answer(clause)) for clause in clauses]
    same = total = 0
    for a, b in zip(ours, theirs):
        a, b = a.split(), b.split()
        total += len(b)
        same += sum(block.size for block in difflib.SequenceMatcher(None, a, b, False).get_matching_blocks())
    print(f"{path.name} {dialect}: {len(clauses)} clauses, {total} words, {same / total:.1%} exact in running text")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language")
    parser.add_argument("file", type=Path)
    parser.add_argument("--dialect")
    parser.add_argument("--sentences", action="store_true", help="split lines into words")
    parser.add_argument("--running", action="store_true", help="compare words within whole clauses")
    parser.add_argument("--diff", type=int, default=0, help="number of kinds of differences to show")
    parser.add_argument("--sounds", action="store_true", help="show only differences of sounds")
    arguments = parser.parse_args()
    dialect = arguments.dialect or arguments.language
    words = words_of(arguments.file, arguments.sentences, arguments.language == "en")
    ours = lines_of([SYMBOLS, "espeak", arguments.language, dialect, "--dictionary"], words)
    theirs = lines_of(["espeak-ng", "-q", "--ipa", "-v", dialect], words)
    if arguments.running:
        run_clauses(arguments.file, arguments.language, dialect)
        return
    rows = list(zip(words, ours, theirs))
    share = lambda form: sum(form(a) == form(b) for _, a, b in rows) / len(rows)
    print(f"{arguments.file.name} {dialect}: {len(rows)} words, {share(str):.1%} exact, "
          f"{share(but_secondary):.1%} but for secondary stress, {share(sounds):.1%} in their sounds")
    form = sounds if arguments.sounds else str
    counts, examples = differences([(word, form(a), form(b)) for word, a, b in rows if form(a) != form(b)])
    for (ours_has, theirs_has), count in counts.most_common(arguments.diff):
        print(f"{count:6} {ours_has!r} for {theirs_has!r}: {'; '.join(examples[ours_has, theirs_has][:4])}")


if __name__ == "__main__":
    main()
