#!/usr/bin/env python3
"""Trains the letter trigrams that distinguish romanised words from English ones: data/<code>/latin-trigrams.bin.

    train_trigrams.py --cldr DIR --django DIR --cmudict FILE [--out DIR]

Indian languages: the words of `train.py`, romanised by `romanise.py`. English: the words of CMUdict (BSD-2-Clause) and
of the English CLDR annotations; the annotations and `data/en/frequent.txt` have a higher weight.
"""
import argparse
import collections
import math
import os
import re

import romanise
import train

LANGUAGES = "hi bn ta te gu kn ml mr pa or en".split()
STEP = 0.6


def english(args):
    words = collections.Counter()
    for line in open(args.cmudict, encoding="latin-1"):
        word = re.sub(r"\(\d+\)$", "", line.split()[0].lower()) if line.strip() else ""
        if re.fullmatch("[a-z]+", word):
            words[word] += 1
    import json
    text = json.dumps(json.load(open(f"{args.cldr}/annotations/en/annotations.json")))
    for word in re.findall("[a-z]{2,}", text.lower()):
        words[word] += 1
    frequent = os.path.join(args.data, "en/frequent.txt")
    if os.path.exists(frequent):
        for line in open(frequent):
            if not line.startswith("#"):
                for word in line.split():
                    words[word] += 20
    return {w: 1 + math.log(c) for w, c in words.items()}


def indian(args, lang):
    words = train.all_words(args, lang)
    out = collections.Counter()
    for word, count in words.items():
        for style, seed in [("informal", 0), ("informal", 1), ("informal", 2), ("plain", 0)]:
            roman = romanise.romanise(word, lang, style, seed)
            if re.fullmatch("[a-z]+", roman):
                out[roman] += (1 + math.log(count)) / 4
    path = f"{args.data}/{lang}/romanised.tsv"
    for line in open(path):
        if "\t" in line and not line.startswith("#"):
            for one in line.split("\t")[0].split(" "):
                out[one] += 4
    return out


def table(words):
    uni, bi, tri = (collections.Counter() for _ in range(3))
    for word, weight in words.items():
        codes = [26, 26] + [ord(c) - 97 for c in word] + [26]
        for a, b, c in zip(codes, codes[1:], codes[2:]):
            uni[c] += weight
            bi[b, c] += weight
            tri[a, b, c] += weight
    contexts2, kinds2, contexts1, kinds1 = (collections.Counter() for _ in range(4))
    for (a, b, c), n in tri.items():
        contexts2[a, b] += n
        kinds2[a, b] += 1
    for (b, c), n in bi.items():
        contexts1[b] += n
        kinds1[b] += 1
    total = sum(uni.values())
    steps = []
    for a in range(27):
        for b in range(27):
            for c in range(27):
                p0 = 0.95 * uni[c] / total + 0.05 / 27
                p1 = (bi[b, c] + kinds1[b] * p0) / (contexts1[b] + kinds1[b] or 1) if contexts1[b] else p0
                p2 = (tri[a, b, c] + kinds2[a, b] * p1) / (contexts2[a, b] + kinds2[a, b]) if contexts2[a, b] else p1
                steps.append(max(0, min(15, round(-math.log(p2) / STEP))))
    return steps


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cldr", required=True)
    parser.add_argument("--django", required=True)
    parser.add_argument("--cmudict", required=True)
    parser.add_argument("--data", default=os.path.join(os.path.dirname(__file__), "../../crates/shruti-text/data"))
    parser.add_argument("--out")
    args = parser.parse_args()
    for lang in LANGUAGES:
        steps = table(english(args) if lang == "en" else indian(args, lang))
        steps += [0] * (len(steps) % 2)
        with open(os.path.join(args.out or args.data, lang, "latin-trigrams.bin"), "wb") as f:
            f.write(bytes(a | b << 4 for a, b in zip(steps[::2], steps[1::2])))


if __name__ == "__main__":
    main()
