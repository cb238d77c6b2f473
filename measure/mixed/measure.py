#!/usr/bin/env python3
"""Measures romanised and mixed text through the whole front end.

    measure.py phones --sentences DIR [--langs "hi bn"] [--styles "informal plain doubled iso"] [--show N]
        Reads each sentence of DIR/<lang>.txt unchanged and romanised by `romanise.py`. Prints the phone error rate
        between the two, in percent, and the number of Latin words that were read in the language.
    measure.py words --sentences DIR
        Counts the words with the right language: English sentences in a turn of each language, romanised Hindi in a
        turn of English, and `labelled.tsv` in this folder.

Runs the example `mixed` of shruti-text: `cargo build --release -p shruti-text --example mixed`. If the program is not
in target/release/examples, the environment variable MIXED contains its path.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../train/mixed"))
import romanise  # noqa: E402

MIXED = os.environ.get("MIXED", os.path.join(HERE, "../../target/release/examples/mixed"))
LANGS = "hi bn ta te gu kn ml mr pa or".split()


def read(lines, lang):
    text = "\n".join(lines) + "\n"
    done = subprocess.run([MIXED, "-l", lang], input=text, capture_output=True, text=True, check=True)
    out = []
    for line in done.stdout.split("\n")[: len(lines)]:
        out.append([tuple(word.split("/", 2)) for word in line.split("\t") if word])
    return out


def sentences(directory, lang, limit):
    lines = [line.strip() for line in open(f"{directory}/{lang}.txt") if line.strip()]
    # digits and Latin words are outside the scope of this measure
    if lang != "en":
        lines = [line for line in lines if not re.search("[0-9A-Za-z]", line)
                 and not re.search(f"[{chr(romanise.BLOCKS[lang] + 0x66)}-{chr(romanise.BLOCKS[lang] + 0x6f)}]", line)]
    return lines[:limit]


def edits(a, b):
    """Returns the edit distance and the substitutions of one best alignment."""
    rows = [list(range(len(b) + 1))]
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (x != y)))
        rows.append(row)
    pairs, i, j = [], len(a), len(b)
    while i or j:
        if i and j and rows[i][j] == rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]):
            if a[i - 1] != b[j - 1]:
                pairs.append((a[i - 1], b[j - 1]))
            i, j = i - 1, j - 1
        elif i and rows[i][j] == rows[i - 1][j] + 1:
            pairs.append((a[i - 1], "∅"))
            i -= 1
        else:
            pairs.append(("∅", b[j - 1]))
            j -= 1
    return rows[-1][-1], pairs


def phones(args):
    print("lang  " + "".join(f"{style:>22}" for style in args.styles.split()))
    for lang in args.langs.split():
        lines = sentences(args.sentences, lang, args.limit)
        native = read(lines, lang)
        cells = []
        for style in args.styles.split():
            roman_lines = [romanise.romanise_text(line, lang, style) for line in lines]
            roman = read(roman_lines, lang)
            errors = total = own = words = 0
            confusions, wrong = collections.Counter(), collections.Counter()
            for line, a, b in zip(roman_lines, native, roman):
                if len(a) == len(b):
                    couples = [([x], [y]) for x, y in zip(a, b)]
                else:
                    couples = [(a, b)]
                for x, y in couples:
                    one = " ".join(w[2] for w in x).split()
                    two = " ".join(w[2] for w in y).split()
                    n, pairs = edits(one, two)
                    errors += n
                    total += len(one)
                    confusions.update(pairs)
                    if n and len(x) == 1:
                        wrong[x[0][0], y[0][0], y[0][1]] += n
                words += len(b)
                own += sum(w[1] == lang for w in b)
            cells.append(f"{100 * errors / total:10.1f} ({100 * own / words:5.1f} own)")
            if args.show:
                print(style, [f"{x}→{y} {n}" for (x, y), n in confusions.most_common(args.show)])
                print(style, [" ".join(w) + f" {n}" for w, n in wrong.most_common(args.show)])
        print(f"{lang}    " + "".join(f"{cell:>22}" for cell in cells), flush=True)


def words(args):
    english = sentences(args.sentences, "en", args.limit)
    for lang in ["en", *LANGS]:
        found = [w[1] for line in read(english, lang) for w in line]
        print(f"English sentences in a turn of {lang}: {100 * found.count('en') / len(found):.1f} % English")
    for lang in LANGS:
        lines = [romanise.romanise_text(line, lang, "informal") for line in sentences(args.sentences, lang, args.limit)]
        found = [w[1] for line in read(lines, "en") for w in line]
        print(f"romanised {lang} in a turn of en: {100 * found.count(lang) / len(found):.1f} % {lang}, "
              f"{100 * found.count('en') / len(found):.1f} % English")
    right = total = 0
    by_turn = collections.defaultdict(list)
    for line in open(os.path.join(HERE, "labelled.tsv")):
        if line.strip() and not line.startswith("#"):
            turn, text = line.rstrip("\n").split("\t")
            by_turn[turn].append([tuple(word.rsplit("/", 1)) for word in text.split()])
    for turn, rows in by_turn.items():
        got = read([" ".join(w for w, _ in row) for row in rows], turn)
        for row, result in zip(rows, got):
            wanted = [lang for _, lang in row]
            found = [w[1] for w in result]
            total += len(wanted)
            if len(found) != len(wanted):
                print("  other words:", row, result)
                continue
            right += sum(a == b for a, b in zip(wanted, found))
            bad = [f"{w}:{b}" for (w, a), b in zip(row, found) if a != b]
            if bad:
                print(f"  {turn}: {' '.join(w for w, _ in row)}  wrong: {' '.join(bad)}")
    print(f"labelled.tsv: {right} of {total} words, {100 * right / total:.1f} %")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["phones", "words"])
    parser.add_argument("--sentences", required=True)
    parser.add_argument("--langs", default=" ".join(LANGS))
    parser.add_argument("--styles", default="informal plain doubled iso")
    parser.add_argument("--show", type=int, default=0)
    parser.add_argument("--limit", type=int, default=10_000)
    args = parser.parse_args()
    {"phones": phones, "words": words}[args.what](args)


if __name__ == "__main__":
    main()
