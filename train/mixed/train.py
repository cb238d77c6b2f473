#!/usr/bin/env python3
"""Trains the model that transliterates romanised words that are not in the word lists.

For each Latin letter (or digraph) and its neighbours, the model contains the native letters that it represents.

    train.py --cldr DIR --django DIR [--test SENTENCES_DIR] [--out DATA_DIR]

The first DIR is the unpacked npm package `cldr-annotations-full` (Unicode-3.0): the names and keywords of symbols in
each language are about 5,000 ordinary words. The second is the unpacked Python package `Django` (BSD-3-Clause), for the
sentences of its translations. `words/<code>.txt` of this folder and `data/<code>/romanised.tsv` are added. All words
are romanised in several ways by `romanise.py`; with `--out` the tables are written to
`data/<code>/romanised-model.tsv`.
"""
import argparse
import collections
import json
import math
import os
import re

import romanise

LANGS = "hi bn ta te gu kn ml mr pa or".split()
TOKENS = "chh aa ee oo ii uu ai au ou ei oi kh gh ch jh th dh ph bh sh zh rh".split()
EDGE = "^"
TEMPLATES = [(3, 3), (2, 3), (2, 2), (1, 2), (1, 1), (0, 1), (0, 0)]


def tokenize(word):
    out, i = [], 0
    while i < len(word):
        t = next((t for t in TOKENS if word.startswith(t, i)), word[i])
        out.append(t)
        i += len(t)
    return out


def sample(word, lang, style, seed):
    """Returns (tokens, labels) of one romanisation."""
    pairs = romanise.units(word, lang, style, seed)
    roman = "".join(r for _, r in pairs)
    if not roman or not roman.isascii():
        return None
    tokens = tokenize(roman)
    labels = [""] * len(tokens)
    owner = [k for k, t in enumerate(tokens) for _ in t]
    at = 0
    for letter, r in pairs:
        k = owner[at] if r and at < len(owner) else owner[max(at - 1, 0)]
        labels[k] += letter
        at += len(r)
    return tokens, labels


def key(tokens, k, left, right):
    padded = [EDGE] * 3 + tokens + [EDGE] * 3
    k += 3
    return " ".join(padded[k - left:k]) + "|" + tokens[k - 3] + "|" + " ".join(padded[k + 1:k + 1 + right])


def train(samples, min_count=2.4):
    counts = [collections.defaultdict(collections.Counter) for _ in TEMPLATES]
    for tokens, labels, weight in samples:
        for k, label in enumerate(labels):
            for t, (left, right) in enumerate(TEMPLATES):
                counts[t][key(tokens, k, left, right)][label] += weight
    model = {}
    for t in range(len(TEMPLATES) - 1, -1, -1):
        for context, labels in counts[t].items():
            best, n = labels.most_common(1)[0]
            if t < len(TEMPLATES) - 1:
                if n < min_count:
                    continue
                back = lookup_context(model, context, t + 1)
                if back == best or n < 1.2 * labels.get(back, 0) + 0.5:
                    continue
            model[(t, context)] = best
    return model


def narrow(context, t):
    left, token, right = context.split("|")
    l, r = TEMPLATES[t]
    left = left.split()[len(left.split()) - l:] if l else []
    right = right.split()[:r]
    return " ".join(left) + "|" + token + "|" + " ".join(right)


def lookup_context(model, context, t):
    for u in range(t, len(TEMPLATES)):
        found = model.get((u, narrow(context, u)))
        if found is not None:
            return found
    return ""


def predict(model, tokens):
    return "".join(lookup_context(model, key(tokens, k, *TEMPLATES[0]), 0) for k in range(len(tokens)))


def cldr_words(directory, lang):
    """Counts the words of CLDR annotations without English loanwords.

    Loanwords in the language's script are dropped because their dentals and vowels differ from those of native words.
    """

    def entries(code):
        found = json.load(open(f"{directory}/annotations/{code}/annotations.json"))
        while "annotations" in found:
            found = found["annotations"]
        return {sign: " ".join(v for values in entry.values() for v in values) for sign, entry in found.items()}

    english = entries("en")
    words, loans = collections.Counter(), set()
    for sign, text in entries(lang).items():
        skeletons = {skeleton(w) for w in re.findall("[a-z]+", english.get(sign, "").lower())}
        for word in own_words(text, lang):
            words[word] += 1
            if skeleton(romanise.romanise(word, lang, "plain")) in skeletons:
                loans.add(word)
    return collections.Counter({w: n for w, n in words.items() if w not in loans})


def own_words(text, lang):
    base = romanise.BLOCKS[lang]
    pattern = re.compile(f"[{chr(base)}-{chr(base + 0x65)}{chr(base + 0x70)}-{chr(base + 0x7f)}\u200c\u200d]+")
    return [w for w in pattern.findall(text) if len(w) > 1]


def skeleton(latin):
    """Returns the consonant skeleton of an English word, which it shares with its Indian spelling."""
    latin = latin.replace("ck", "k").replace("x", "ks").replace("ph", "f").replace("c", "k").replace("q", "k")
    return re.sub(r"(.)\1", r"\1", re.sub("[aeiouyhw]", "", latin.replace("v", "").replace("z", "s").replace("kh", "k")))


def django_words(directory, lang):
    """Counts the words of the translations in Django (BSD-3-Clause), an unpacked package."""
    words = collections.Counter()
    for folder, _, files in os.walk(directory):
        if folder.endswith(f"/locale/{lang}/LC_MESSAGES"):
            for name in files:
                if name.endswith(".po"):
                    for line in open(f"{folder}/{name}"):
                        if line.startswith(("msgstr", '"')):
                            words.update(own_words(line, lang))
    return words


def listed_words(data, lang):
    path = f"{data}/{lang}/romanised.tsv"
    if not os.path.exists(path):
        return []
    rows = [line.rstrip("\n").split("\t") for line in open(path) if line.strip() and not line.startswith("#")]
    return [row[1] for row in rows if len(row) > 1]


def all_words(args, lang):
    words = cldr_words(args.cldr, lang) + django_words(args.django, lang)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"words/{lang}.txt")
    written = own_words(open(path).read(), lang) if os.path.exists(path) else []
    for word in written + listed_words(args.data, lang):
        words[word] += 50
    return words


def edit(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (x != y))
    return row[-1]


def spoken(seq):
    return re.sub("[-]", "", seq)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cldr", required=True)
    parser.add_argument("--django", required=True)
    parser.add_argument("--data", default=os.path.join(os.path.dirname(__file__), "../../crates/shruti-text/data"))
    parser.add_argument("--test")
    parser.add_argument("--out")
    parser.add_argument("--langs", default=" ".join(LANGS))
    args = parser.parse_args()
    for lang in args.langs.split():
        words = all_words(args, lang)
        samples = []
        for word, count in words.items():
            weight = 1 + math.log(count)
            for style, seed in [("informal", s) for s in range(5)] + [("plain", 0), ("doubled", 0)]:
                made = sample(word, lang, style, seed)
                if made:
                    samples.append((*made, weight / 3 * (1.5 if style == "plain" else 1)))
        model = train(samples)
        size = sum(len(c) + len(l.encode()) + 2 for (_, c), l in model.items())
        line = f"{lang} {len(words)} words, {len(model)} contexts, {size // 1024} KB"
        if args.test:
            base = romanise.BLOCKS[lang]
            text = open(f"{args.test}/{lang}.txt").read()
            tests = re.findall(f"[{chr(base)}-{chr(base + 0x65)}{chr(base + 0x70)}-{chr(base + 0x7f)}\u200c\u200d]+", text)
            for style in ("informal", "plain", "doubled"):
                errors = total = 0
                for word in tests:
                    made = sample(word, lang, style, 99)
                    if not made:
                        continue
                    gold = spoken("".join(made[1]))
                    errors += edit(spoken(predict(model, made[0])), gold)
                    total += len(gold)
                line += f", {style} {100 * errors / max(total, 1):.1f}"
        print(line, flush=True)
        if args.out:
            with open(f"{args.out}/{lang}/romanised-model.tsv", "w") as f:
                f.write("# Trained by train/mixed/train.py on CLDR annotations, the translations of Django (see ../NOTICE.md) and the project's word lists.\n"
                        "# Columns: Latin letters before | the letter | after (^ is the edge of the word), and the native letters that it represents,\n"
                        "# at their Devanagari code points; अ is the inherent vowel, - a consonant without one.\n")
                for (_, context), label in sorted(model.items()):
                    f.write(f"{context}\t{label}\n")


if __name__ == "__main__":
    main()
