#!/usr/bin/env python3
"""Compares the IIT Madras labels that this project writes with lists of words and their labels.

    cargo build --locked --examples -p shruti-neural
    measure/packs/labels.py FOLDER [--every N] [--diff N]

FOLDER has `<language>.tsv` files: word, tab, labels (those of the FastSpeech2_HS repository, CC BY 4.0). Prints the
share of words with equal labels, and with labels equal except for the inherent vowel, which this project writes where
its phones have one.
"""

import argparse
import subprocess
from pathlib import Path

SYMBOLS = Path(__file__).parents[2] / "target/debug/examples/symbols"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=10, help="use every Nth word")
    parser.add_argument("--diff", type=int, default=0, help="number of differences to show")
    arguments = parser.parse_args()
    for path in sorted(arguments.folder.glob("*.tsv")):
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        rows = [row for row in rows if len(row) == 2 and row[0].isprintable()][:: arguments.every]
        command = [SYMBOLS, "labels", path.stem, "--dictionary"]
        text = "".join(f"{word}\n" for word, _ in rows)
        ours = subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout.split("\n")
        pairs = [(word, theirs, mine) for (word, theirs), mine in zip(rows, ours)]
        but_vowel = lambda labels: labels.replace("a", "").replace(" ", "")
        other = [pair for pair in pairs if but_vowel(pair[1]) != but_vowel(pair[2])]
        exact = sum(theirs == mine for _, theirs, mine in pairs) / len(pairs)
        print(f"{path.stem}: {len(pairs)} words, {exact:.1%} exact, "
              f"{1 - len(other) / len(pairs):.1%} but for the inherent vowel")
        for word, theirs, mine in other[: arguments.diff]:
            print(f"    {word}: {mine} for {theirs}")


if __name__ == "__main__":
    main()
