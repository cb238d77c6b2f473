#!/usr/bin/env python3
"""Selects training sentences from translated Android string resources, balanced over phone pairs.

usage: sentences.py PROGRAM OUTPUT_FOLDER COUNT --without FOLDER RESOURCES...

PROGRAM is the example `utterances` of `shruti-text`. Each of RESOURCES is a bare or normal git repository whose tree
has `values-<code>/strings.xml` files under the Apache licence. The script writes OUTPUT_FOLDER/<code>.txt with COUNT
sentences each, one per line, in the order of speaking: every prefix of the file covers as many phone pairs as possible.
`--without` names a folder of `<code>.txt` files whose lines are reserved for evaluation and are never selected.

The selection is greedy: the next sentence is the one with the highest mean gain per phone, where the gain of a phone
pair that was selected n times before is 1 / (1 + n). The gain is evaluated lazily, since it only decreases.
"""
import argparse
import heapq
import re
import subprocess
import unicodedata
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

from front_end import LANGUAGES, read_sentences

FOLDERS = {code: "en-rIN" if code == "en" else code for code in LANGUAGES}
# Minimum and maximum length of a sentence in characters. Shorter ones are labels; longer ones exceed 10 s of speech.
SHORTEST, LONGEST = 18, 130
# Minimum and maximum number of phones in a sentence: about 1 to 9 s of speech.
FEWEST_PHONES, MOST_PHONES = 12, 110
OWN_SCRIPT = {"hi": "DEVANAGARI", "mr": "DEVANAGARI", "bn": "BENGALI", "ta": "TAMIL", "te": "TELUGU", "gu": "GUJARATI", "kn": "KANNADA",
              "ml": "MALAYALAM", "pa": "GURMUKHI", "or": "ORIYA", "en": "LATIN"}


def resource_strings(repository, folder):
    """Yields the text of each string of one language without inline placeholders."""
    git = ["git", "-C", str(repository)]
    paths = subprocess.run([*git, "ls-tree", "-r", "--name-only", "HEAD"], capture_output=True, text=True, check=True).stdout.splitlines()
    for path in paths:
        if not re.search(rf"(^|/)values-{folder}/(strings|cm_strings|arrays)\.xml$", path):
            continue
        source = subprocess.run([*git, "show", f"HEAD:{path}"], capture_output=True, check=True).stdout
        for element in ElementTree.fromstring(source).iter():
            if element.tag in ("string", "item") and not len(element) and element.text:
                yield element.text


def cleaned(text):
    """Returns the spoken form of a resource string, or None if it has markup or placeholders."""
    text = re.sub(r"\\[nt]", " ", text)
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    text = text.replace("\\'", "'").replace('\\"', '"').replace("\\@", "@").replace("\\", "").strip().strip('"')
    text = re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()
    if re.search(r"[%<>{}@_=/|•→]|\$\w|https?:|\w\.\w", text) or not SHORTEST <= len(text) <= LONGEST:
        return None
    return text


def is_in_language(text, code):
    letters = [character for character in text if character.isalpha()]
    own = sum(unicodedata.name(character, "").startswith(OWN_SCRIPT[code]) for character in letters)
    return bool(letters) and own >= 0.6 * len(letters)


def pairs_of(phones):
    return Counter(zip(["#", *phones], [*phones, "#"]))


def select(candidates, count):
    """Returns `count` of the (text, phones) candidates in greedy order."""
    pairs = [pairs_of(phones) for _, phones in candidates]
    chosen_pairs = Counter()

    def gain(index):
        total = sum(1 / (1 + chosen_pairs[pair] + extra) for pair, times in pairs[index].items() for extra in range(times))
        return total / (6 + len(candidates[index][1]))

    heap = [(-gain(index), index) for index in range(len(candidates))]
    heapq.heapify(heap)
    chosen = []
    while heap and len(chosen) < count:
        _, index = heapq.heappop(heap)
        fresh = gain(index)
        if heap and fresh < -heap[0][0]:
            heapq.heappush(heap, (-fresh, index))
            continue
        chosen.append(candidates[index])
        chosen_pairs.update(pairs[index])
    return chosen, chosen_pairs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("resources", type=Path, nargs="+")
    parser.add_argument("--without", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for code in LANGUAGES:
        judging = {line.strip() for line in open(arguments.without / f"{code}.txt", encoding="utf-8")}
        texts = {}
        for repository in arguments.resources:
            for raw in resource_strings(repository, FOLDERS[code]):
                text = cleaned(raw)
                if text and text not in judging and is_in_language(text, code):
                    texts[text] = None
        read = read_sentences(arguments.program, code, list(texts))
        candidates = [(sentence.text, sentence.phones) for sentence in read if FEWEST_PHONES <= len(sentence.phones) <= MOST_PHONES]
        chosen, covered = select(candidates, arguments.count)
        with open(arguments.output / f"{code}.txt", "w", encoding="utf-8") as file:
            file.writelines(text + "\n" for text, _ in chosen)
        phones = sum(len(phones) for _, phones in chosen)
        print(f"{code}: {len(chosen)} of {len(candidates)} sentences, {phones} phones, {len(covered)} phone pairs", flush=True)


if __name__ == "__main__":
    main()
