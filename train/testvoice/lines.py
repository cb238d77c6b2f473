#!/usr/bin/env python3
"""Prints lines of text for fitting a voice: sentences, and isolated words.

Lines with a word of LIST are excluded, so that LIST can test the voice.
usage: lines.py SENTENCES --words COUNTS --without LIST [--sentences N] [--alone N] [--seed S]
SENTENCES has one sentence per line, COUNTS a word and its count per line, LIST one word per line
"""
import argparse
import random
import re
from pathlib import Path

INDIC = re.compile("[\u0900-\u0dff\u200c\u200d]+")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sentences_file", metavar="SENTENCES", type=Path)
    parser.add_argument("--words", metavar="COUNTS", type=Path, required=True)
    parser.add_argument("--without", metavar="LIST", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--alone", type=int, default=900)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chosen = random.Random(options.seed)
    without = set(options.without.read_text(encoding="utf-8").split())

    def usable(line):
        words = INDIC.findall(line)
        return bool(words) and not without & set(words)

    lines = options.sentences_file.read_text(encoding="utf-8").splitlines()
    lines = [line for line in lines if 3 <= len(line.split()) <= 12 and not re.search("[0-9A-Za-z]", line)]
    lines = [line for line in lines if usable(line)]
    words = [line.split()[0] for line in options.words.read_text(encoding="utf-8").splitlines() if line.strip()]
    words = [word for word in words if INDIC.fullmatch(word) and len(word) >= 3 and usable(word)]
    lines = chosen.sample(lines, min(options.sentences, len(lines)))
    lines += chosen.sample(words, min(options.alone, len(words)))
    chosen.shuffle(lines)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
