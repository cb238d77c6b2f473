#!/usr/bin/env python3
"""Scores English words with two pronunciations in the context of sentences. Standard library only.

    measure/english/context.py target/release/shruti LIST [-v]

LIST has one case per line: a sentence, the word as written, which of its occurrences (from 1), and its phones in IPA
with spaces and alternatives after ` | `, separated by tabs. Both sides are folded as in `score.py`. `-v` prints the
errors.
"""
import argparse
import collections
import json
import pathlib
import subprocess

from score import fold


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("binary")
    options.add_argument("list", type=pathlib.Path)
    options.add_argument("-v", dest="verbose", action="store_true")
    chosen = options.parse_args()
    cases = [line.split("\t") for line in chosen.list.read_text().splitlines() if line and not line.startswith("# ")]
    sentences = "".join(f"{case[0]}\n" for case in cases)
    said = subprocess.run([chosen.binary, "normalize", "-l", "en", "--json"], input=sentences, text=True, capture_output=True, check=True)
    right = collections.Counter()
    total = collections.Counter()
    for (sentence, word, occurrence, wanted), line in zip(cases, said.stdout.splitlines(), strict=True):
        tokens = [token for token in json.loads(line)["tokens"] if token["written"].lower() == word.lower()]
        got = " ".join(spoken["phones"] for spoken in tokens[int(occurrence) - 1]["words"])
        kind = "the" if word.lower() == "the" else "heteronyms"
        total[kind] += 1
        if fold(got.replace(" ", "")) in [fold(way.replace(" ", "")) for way in wanted.split(" | ")]:
            right[kind] += 1
        elif chosen.verbose:
            print(f"{word}: {got}, not {wanted.strip()}: {sentence}")
    for kind in total:
        print(f"{kind}: {right[kind]} of {total[kind]}, {100 * right[kind] / total[kind]:.1f} %")


if __name__ == "__main__":
    main()
