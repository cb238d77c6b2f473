#!/usr/bin/env python3
"""Fits the rules for the letters of Urdu words that the lexicon does not contain.

    train/urdu/fit_letters.py [--test] > crates/shruti-text/data/ur/letters.tsv

Each word of `words/` is aligned with its sounds, so that each letter has a part of the sounds: a consonant with the
short vowel after it, a long vowel, or nothing. The output is a decision list: for a letter, the part that is most
frequent in a context, ordered from small to large contexts. A context is listed only if its part differs from that of
the next smaller context. `--test` fits the rules on nine tenths of the words, and prints the share of the other words
that the rules read correctly.
"""

import argparse
import collections
import pathlib
import sys

import make

CONSONANTS = {
    "ب": "b", "پ": "p", "ت": "t", "ٹ": "T", "ث": "s", "ج": "j", "چ": "c", "ح": "h", "خ": "x", "د": "d", "ڈ": "D",
    "ذ": "z", "ر": "r", "ڑ": "R", "ز": "z", "ژ": "z", "س": "s", "ش": "S", "ص": "s", "ض": "z", "ط": "t", "ظ": "z",
    "غ": "G", "ف": "f", "ق": "q", "ک": "k", "گ": "g", "ل": "l", "م": "m", "ن": "n", "ہ": "h", "و": "v", "ی": "y",
    "ۃ": "t",
}
SHORT = ["", "a", "i", "u"]
VOWELS = {
    "ا": ["aa", "", "a", "i", "u", "au", "e", "o"],
    "آ": ["aa"],
    "و": ["o", "uu", "au", "u", "", "aa"],
    "ی": ["ii", "e", "ai", "i", "", "aa", "a"],
    "ے": ["e", "ai"],
    "ئ": ["", "i", "a", "y", "yi", "ya", "ye"],
    "ؤ": ["o", "uu", "u", "au", "a", ""],
    "ع": ["", "a", "aa", "i", "u", "e", "ii", "uu", "o"],
    "ہ": ["aa", "", "a", "e"],
    "ھ": [""],
    "ں": ["~"],
    "ن": ["~"],
    "ء": ["", "a"],
    "أ": ["a", "", "aa", "u"],
    "ح": ["a"],
    "ٰ": [""],
}
# additional sounds of letters that can stand for a vowel and a consonant together
EXTRA = {"ی": ["iy", "iya", "iyaa", "iye", "iyo", "iyu", "iyuu"], "و": ["uv", "uva", "uvaa"]}


def letters_of(word: str) -> list[str]:
    """Splits a word into letters; ھ belongs to the letter before it."""
    letters: list[str] = []
    for letter in word:
        if letter == "ھ" and letters:
            letters[-1] += letter
        else:
            letters.append(letter)
    return letters


def parts_of(letter: str) -> list[str]:
    """Returns the sounds that a letter may have, the most common first."""
    parts = []
    sound = CONSONANTS.get(letter[0])
    if sound:
        sound += "h" if letter.endswith("ھ") and len(letter) > 1 else ""
        doubled = sound[0] + sound
        parts += [sound + short for short in [*SHORT, "e", "o"]] + [doubled + short for short in [*SHORT, "e", "o"]]
    if len(letter) == 1:
        parts += VOWELS.get(letter, []) + EXTRA.get(letter, [])
    return parts


def align(letters: list[str], sounds: list[str]) -> list[str] | None:
    """Splits sounds into the parts of the letters; `None` if this is impossible."""
    plain = [sound for sound in sounds if sound != "."]
    best: dict[tuple[int, int], tuple[float, list[str]]] = {(0, 0): (0.0, [])}
    for place, letter in enumerate(letters):
        options = [(part, make.tokens(part) if part else []) for part in parts_of(letter)]
        for at in range(len(plain) + 1):
            state = best.get((place, at))
            if state is None:
                continue
            for rank, (part, said) in enumerate(options):
                end = at + len(said)
                if plain[at:end] == said:
                    # prefer sounds that are listed first, and avoid silent letters except اعہئ
                    cost = state[0] + 0.01 * rank + (0.5 if not part and letter not in "اعہئ" else 0.0)
                    if (place + 1, end) not in best or best[place + 1, end][0] > cost:
                        best[place + 1, end] = (cost, [*state[1], part])
    found = best.get((len(letters), len(plain)))
    return found[1] if found else None


def words() -> list[tuple[list[str], list[str]]]:
    """Returns the letters and the parts of the words that can be aligned."""
    folder = pathlib.Path(__file__).parent / "words"
    pairs = {}
    for path in sorted(folder.glob("*.txt"), key=lambda path: (path.name != "function.txt", path.name)):
        for line in path.read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                for word, sounds in list(make.forms(line))[:3]:
                    pairs.setdefault(make.normalise(word), sounds)
    aligned, failed = [], []
    for word, sounds in sorted(pairs.items()):
        letters = letters_of(word)
        parts = align(letters, make.tokens(sounds))
        if parts is None:
            failed.append(f"{word} {sounds}")
        else:
            aligned.append((letters, parts))
    print(f"{len(aligned)} words aligned, {len(failed)} not: {' '.join(failed[:40])}", file=sys.stderr)
    return aligned


def state_after(state: str, part: str) -> str:
    """Returns the classes of the last two sounds after a part is added."""
    sounds = make.tokens(part) if part else []
    classes = ["C" if sound in make.CONSONANTS else "s" if sound in SHORT else "l" for sound in sounds]
    return (state + "".join(classes))[-2:]


def contexts(letters: list[str], place: int, state: str) -> list[str]:
    """Returns the contexts of a letter, the smallest first: the sounds before it, letters after it and before it."""
    get = lambda at: letters[at] if 0 <= at < len(letters) else ("^" if at < 0 else "$")
    own = get(place)
    kind = "C" if own[0] in CONSONANTS and own not in "ویہن" else own
    if place == 0:
        own += "^"
        kind = kind if kind == "C" else own
    left = [get(place - 1), get(place - 2)]
    right = [get(place + 1), get(place + 2), get(place + 3)]
    shape = lambda letter: "C" if letter[0] in CONSONANTS and letter not in "ویہ" else letter
    shapes = [shape(letter) for letter in right]
    short = state[-1]
    return [
        f"{kind}",
        f"{kind}{shapes[0]}",
        f"{short}{kind}{shapes[0]}{shapes[1]}",
        f"{state}{kind}{shapes[0]}{shapes[1]}",
        f"{state}{kind}{shapes[0]}{shapes[1]}{shapes[2]}",
        f"{state}{own}{right[0]}{shapes[1]}",
        f"{state}{own}{right[0]}{right[1]}",
        f"{state}{left[0]}_{own}{right[0]}{shapes[1]}",
        f"{state}{left[0]}_{own}{right[0]}{right[1]}",
        f"{state}{left[0]}_{own}{right[0]}{right[1]}{right[2]}",
        f"{state}{left[1]}{left[0]}_{own}{right[0]}{right[1]}{right[2]}",
    ]


def general(letter: str, part: str) -> str:
    """Returns a part with the consonant of the letter as C, so that one rule applies to all consonants."""
    if letter[0] in CONSONANTS and letter not in "ویہن":
        sound = CONSONANTS[letter[0]] + ("h" if letter.endswith("ھ") else "")
        for written, mark in ((sound[0] + sound, "CC"), (sound, "C")):
            if part.startswith(written):
                return mark + part[len(written):]
    return part


def specific(letter: str, part: str) -> str:
    """Inverse of `general`: replaces C with the consonant of the letter."""
    if "C" in part:
        sound = CONSONANTS[letter[0]] + ("h" if letter.endswith("ھ") else "")
        return part.replace("CC", sound[0] + sound).replace("C", sound)
    return part


# Minimum number of words that support a rule, by the level of its context.
LEAST = [1, 2, 2, 2, 3, 3, 2, 2, 2, 2, 2]


def fit(data: list[tuple[list[str], list[str]]]) -> dict[str, str]:
    """Returns the rules for words with their parts: the part of a letter, by the level and the text of its context."""
    counts: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
    for letters, parts in data:
        state = "^^"
        for place, part in enumerate(parts):
            for level, context in enumerate(contexts(letters, place, state)):
                counts[f"{level}{context}"][general(letters[place], part)] += 1
            state = state_after(state, part)
    rules: dict[str, str] = {}
    for context, counter in counts.items():
        level = int(context[0]) if not context[:2] == "10" else 10
        total = sum(counter.values())
        best, most = counter.most_common(1)[0]
        if total >= LEAST[level] and (level < 4 or most * 2 > total):
            rules[context] = best
    return prune(rules, data)


def prune(rules, data):
    """Removes the rules that have no effect for the words, those of large contexts first."""
    uses: dict[str, list[tuple[list[str], str]]] = collections.defaultdict(list)
    for letters, parts in data:
        state = "^^"
        for place, part in enumerate(parts):
            keys = [f"{level}{context}" for level, context in enumerate(contexts(letters, place, state))]
            for key in keys:
                if key in rules:
                    uses[key].append((keys, letters[place]))
            state = state_after(state, part)
    level_of = lambda key: 10 if key.startswith("10") else int(key[0])
    for key in sorted(rules, key=lambda key: (-level_of(key), key)):
        keys_of_all = {tuple(keys) for keys, _ in uses[key]}
        needed = False
        for keys in keys_of_all:
            found = [other for other in keys if other in rules]
            if found[-1] == key and (len(found) == 1 or rules[found[-2]] != rules[key]):
                needed = True
                break
        if not needed and level_of(key) > 0:
            del rules[key]
    return rules


def choose(rules: dict[str, str], letters: list[str], place: int, state: str) -> str:
    """Returns the part of a letter according to the rule with the largest context."""
    for level, context in reversed(list(enumerate(contexts(letters, place, state)))):
        if f"{level}{context}" in rules:
            return specific(letters[place], rules[f"{level}{context}"])
    return ""


def read(rules: dict[str, str], letters: list[str]) -> list[str]:
    """Returns the parts of the letters of a word."""
    state = "^^"
    parts = []
    for place in range(len(letters)):
        parts.append(choose(rules, letters, place, state))
        state = state_after(state, parts[-1])
    return parts


def in_devanagari(part: str) -> str:
    """Writes a part in Devanagari: consonants without a vowel, and independent vowels."""
    doubled = part.count("C")
    rest = part.replace("C", "")
    letters = []
    for sound in make.tokens(rest) if rest else []:
        if sound == "~":
            letters.append("ँ")
        elif sound in make.CONSONANTS:
            letters.append(make.CONSONANTS[sound][0])
        else:
            letters.append(make.LETTERS[sound])
    return "C" * doubled + "".join(letters)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test", action="store_true")
    args = parser.parse_args()
    data = words()
    if args.test:
        right = total = right_letters = total_letters = 0
        size = 0
        wrong = []
        for fold in range(5):
            rules = fit([pair for number, pair in enumerate(data) if number % 10 != 2 * fold])
            size = len(rules)
            for number, (letters, parts) in enumerate(data):
                if number % 10 == 2 * fold:
                    said = read(rules, letters)
                    right += "".join(said) == "".join(parts)
                    total += 1
                    right_letters += sum(a == b for a, b in zip(said, parts))
                    total_letters += len(parts)
                    if said != parts:
                        wrong.append(f"{''.join(letters)} {''.join(parts)} {''.join(said)}")
        print(f"{right}/{total} words = {right/total:.3f}, letters {right_letters/total_letters:.3f}, {size} rules")
        print("\n".join(wrong[::12][:60]))
        return
    rules = fit(data)
    print("# Sounds of the letters of Urdu words that the lexicon does not contain; generated by train/urdu/fit_letters.py. Do")
    print("# not edit it by hand. Each line has a context and the sounds of a letter in it: C is its consonant, CC its double,")
    print("# अ a short a. A context is the number of its kind, the classes of the sounds before the letter (C consonant,")
    print("# s short vowel, l long vowel, ^ start), the letters before it with _, the letter, and the letters after it. C is")
    print("# any consonant letter, and $ the end of the word.")
    for context, part in sorted(rules.items()):
        print(f"{context}\t{in_devanagari(part)}")


if __name__ == "__main__":
    main()
