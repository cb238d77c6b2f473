#!/usr/bin/env python3
"""Generates the Urdu lexicon `crates/shruti-text/data/ur/words.tsv`.

    train/urdu/make.py > crates/shruti-text/data/ur/words.tsv

The input is `words/*.txt`: one word per line with its pronunciation and, optionally, its class, from which the
inflected forms are generated. `README.md` in this folder describes the notation.
"""

import pathlib
import re
import sys
import unicodedata

VOWELS = ["aa", "ai", "au", "ii", "uu", "a", "i", "u", "e", "o"]
CONSONANTS = {
    "k": ("क", "ک"), "kh": ("ख", "کھ"), "g": ("ग", "گ"), "gh": ("घ", "گھ"), "c": ("च", "چ"), "ch": ("छ", "چھ"),
    "j": ("ज", "ج"), "jh": ("झ", "جھ"), "T": ("ट", "ٹ"), "Th": ("ठ", "ٹھ"), "D": ("ड", "ڈ"), "Dh": ("ढ", "ڈھ"),
    "t": ("त", "ت"), "th": ("थ", "تھ"), "d": ("द", "د"), "dh": ("ध", "دھ"), "n": ("न", "ن"), "p": ("प", "پ"),
    "ph": ("फ", "پھ"), "b": ("ब", "ب"), "bh": ("भ", "بھ"), "m": ("म", "م"), "y": ("य", "ی"), "r": ("र", "ر"),
    "l": ("ल", "ل"), "v": ("व", "و"), "S": ("श", "ش"), "s": ("स", "س"), "h": ("ह", "ہ"), "q": ("क़", "ق"),
    "x": ("ख़", "خ"), "G": ("ग़", "غ"), "z": ("ज़", "ز"), "f": ("फ़", "ف"), "R": ("ड़", "ڑ"), "Rh": ("ढ़", "ڑھ"),
    "N": ("ङ", "ن"),
}
LETTERS = dict(zip(VOWELS, "आ ऐ औ ई ऊ अ इ उ ए ओ".split()))
SIGNS = dict(zip(VOWELS, ["ा", "ै", "ौ", "ी", "ू", "", "ि", "ु", "े", "ो"]))
TOKEN = re.compile("|".join(sorted([*VOWELS, *CONSONANTS, "~", r"\."], key=len, reverse=True)))
SHORT = {"a", "i", "u"}
VELAR = {"k", "kh", "g", "gh"}


def tokens(sounds: str) -> list[str]:
    """Splits a pronunciation into its vowels and consonants."""
    found = TOKEN.findall(sounds)
    if "".join(found).replace("\\", "") != sounds:
        raise ValueError(f"unreadable pronunciation: {sounds}")
    return found


def devanagari(sounds: str) -> str:
    """Writes a pronunciation in Devanagari. Every inherent vowel is spoken, except at the end of a word."""
    parts = tokens(sounds)
    word, consonant = "", False
    for place, part in enumerate(parts):
        if part == ".":
            continue
        elif part == "~":
            word += "ँ"
            consonant = False
        elif part in CONSONANTS:
            # n assimilates to a velar stop
            if word.endswith("न") and not word.endswith("्न") and len(word) > 1 and consonant and part in VELAR:
                word, consonant = word[:-1] + "ं", False
            word += ("्" if consonant else "") + CONSONANTS[part][0]
            consonant = True
        else:
            word += SIGNS[part] if consonant else LETTERS[part]
            # write a short vowel at the end, because a final inherent vowel is silent
            if consonant and part == "a" and place == len(parts) - 1 and len(parts) > 2:
                word += "अ"
            consonant = False
    return unicodedata.normalize("NFC", word)


def urdu(sounds: str) -> str:
    """Returns the Urdu spelling of a pronunciation, without letters that occur only in Arabic words."""
    parts = tokens(sounds)
    letters = [part for part in parts if part != "."]
    word = ""
    previous = ""
    for place, part in enumerate(letters):
        last = place == len(letters) - 1
        rest = letters[place + 1 :]
        final = last or rest == ["~"]
        if part == "~":
            word += "ں" if last else "ن"
        elif part in CONSONANTS:
            if part != previous or previous in VOWELS:
                aspirated = previous and part == previous + "h"
                word = word[: len(word) - 1] if aspirated else word
                word += CONSONANTS[part][1]
        elif previous == "":
            word += {"aa": "آ", "ai": "ای", "au": "او", "ii": "ای", "uu": "او", "e": "ای", "o": "او"}.get(part, "ا")
            if part in ("e", "ai") and final and last:
                word = word[:-1] + "ے"
        elif previous in VOWELS:
            word += {
                "aa": "ا", "a": "", "i": "ئ", "u": "ؤ", "ii": "ئی", "uu": "ؤ", "o": "ؤ",
                "e": "ئے" if last else "ئی", "ai": "ئے" if last else "ئی", "au": "ؤ",
            }[part]
        else:
            word += {
                "aa": "ا", "a": "", "i": "", "u": "", "ii": "ی", "uu": "و", "o": "و", "au": "و",
                "e": "ے" if last else "ی", "ai": "ے" if last else "ی",
            }[part]
        previous = part
    return word


def before_vowel(sounds: str) -> str:
    """Drops the short a before the last consonant of a stem that is followed by a vowel: `nikal` and `niklaa`."""
    parts = tokens(sounds)
    if len(parts) < 4 or parts[-1] not in CONSONANTS or parts[-2] != "a" or parts[-3] not in CONSONANTS:
        return sounds
    if parts[-4] not in VOWELS and parts[-4] != "~":
        return sounds
    # a short stem that ends in h keeps the vowel
    if parts[-1] == "h" and len(parts) < 5:
        return sounds
    return "".join(parts[:-2] + parts[-1:])


def join_vowel(stem: str, ending: str) -> str:
    """Appends an ending that starts with a vowel."""
    ends_in_vowel = tokens(stem)[-1] in VOWELS
    return stem + "." + ending if ends_in_vowel else before_vowel(stem) + ending


# An ending is a pair: its Urdu letters and its sounds.
def verb(word: str, sounds: str):
    """Yields the forms of a verb, given its stem."""
    yield word, sounds
    if word.endswith("ے"):
        word = word[:-1] + "ی"
    for letters, said in [
        ("نا", "naa"), ("نے", "ne"), ("نی", "nii"), ("تا", "taa"), ("تے", "te"), ("تی", "tii"), ("تیں", "tii~"),
        ("کر", "kar"), ("کے", "ke"),
    ]:
        yield word + letters, sounds + said
    if tokens(sounds)[-1] not in VOWELS:
        for letters, said in [
            ("ا", "aa"), ("ے", "e"), ("ی", "ii"), ("یں", "e~"), ("وں", "uu~"), ("و", "o"),
            ("یے", "iye"), ("ئیے", "iye"), ("یئے", "iye"),
            ("یگا", "egaa"), ("یگی", "egii"), ("ینگے", "e~ge"), ("ونگا", "uu~gaa"), ("ونگی", "uu~gii"), ("وگے", "oge"),
            ("ےگا", "egaa"), ("ےگی", "egii"), ("یںگے", "e~ge"),
        ]:
            yield word + letters, join_vowel(sounds, said)
    else:
        stem = sounds
        if tokens(sounds)[-1] == "ii":
            stem = sounds[:-2] + "i"
        for letters, said in [
            ("ئی", ".ii"), ("ئے", ".e"), ("ئیں", ".e~"), ("ؤں", ".uu~"), ("ؤ", ".o"), ("ئیے", ".iye"), ("یے", ".iye"),
            ("یا", "yaa"), ("ئیگا", ".egaa"), ("ئیگی", ".egii"), ("ئینگے", ".e~ge"), ("ؤنگا", ".uu~gaa"), ("ؤگے", ".oge"),
            ("ۓ", ".e"), ("ئےگا", ".egaa"), ("ئےگی", ".egii"),
        ]:
            yield word + letters, stem + said


def masculine(word, sounds):
    """Yields a masculine noun and its oblique plural."""
    yield word, sounds
    yield word + "وں", join_vowel(sounds, "o~")


def feminine(word, sounds):
    """Yields a feminine noun, its plural and its oblique plural."""
    yield word, sounds
    yield word + "یں", join_vowel(sounds, "e~")
    yield word + "وں", join_vowel(sounds, "o~")


def in_ii(word, sounds):
    """Yields a noun in -ii, its plural and its oblique plural."""
    stem = sounds[:-2] + "i"
    yield word, sounds
    yield word + "وں", stem + "yo~"
    yield word + "اں", stem + "yaa~"


def masculine_aa(word, sounds):
    """Yields a masculine noun in -aa, its plural and its oblique plural."""
    yield word, sounds
    yield word[:-1] + "ے", sounds[:-2] + "e"
    yield word[:-1] + "وں", sounds[:-2] + "o~"
    if word.endswith("ہ"):
        yield word + "ء", sounds


def adjective_aa(word, sounds):
    """Yields an adjective or noun in -aa and its forms in -e, -ii and -o~."""
    yield word, sounds
    stem = sounds[:-2]
    yield word[:-1] + "ے", stem + "e"
    yield word[:-1] + "ی", stem + "ii"
    yield word[:-1] + "وں", stem + "o~"


def feminine_aa(word, sounds):
    """Yields a feminine noun in -aa, its plural and its oblique plural."""
    yield word, sounds
    yield word + "ئیں", sounds + ".e~"
    yield word + "ؤں", sounds + ".o~"


def in_uu(word, sounds):
    """Yields a noun in -uu and its oblique plural."""
    yield word, sounds
    yield word + "ؤں", sounds[:-2] + "u.o~"


def adjective_ii(word, sounds):
    """Yields a word and the adjective in -ii that is derived from it."""
    yield word, sounds
    yield from in_ii(word + "ی", join_ii(sounds))


def join_ii(sounds):
    return sounds + "ii" if tokens(sounds)[-1] not in VOWELS else sounds + ".ii"


CLASSES = {
    "v": verb, "m": masculine, "f": feminine, "i": in_ii, "ma": masculine_aa, "a": adjective_aa, "fa": feminine_aa,
    "u": in_uu, "y": adjective_ii,
}


def forms(line: str):
    """Returns the forms of one line of `words/`: pairs of Urdu and sounds."""
    fields = line.split()
    if re.fullmatch(r"[A-Za-z~.\-]+", fields[0]):
        sounds, classes = fields[0], fields[1:]
        word = urdu(sounds)
    else:
        word, sounds, *classes = fields
        # a final ہ or ع stands for a long vowel
        if word[-1] in "ہع" and sounds.endswith("a") and not sounds.endswith("aa") and len(sounds) > 2:
            sounds += "a"
        if word.endswith("ۂ") and re.search("[^a]a.e$", sounds):
            sounds = sounds[:-2] + "a.e"
    if not classes:
        yield word, sounds
    for name in classes:
        yield from CLASSES[name](word, sounds)


VOWEL_SIGNS = re.compile("[\u064b-\u0652\u0670]")


def with_signs(word: str) -> str:
    """Replaces Arabic variants of letters, and removes joiners."""
    word = unicodedata.normalize("NFC", word)
    word = word.translate(str.maketrans("يكهىۀة", "یکہیۂۃ"))
    return re.sub("[\u0640\u200c\u200d]", "", word)


def normalise(word: str) -> str:
    """Replaces Arabic variants of letters, and removes joiners and vowel signs."""
    return VOWEL_SIGNS.sub("", with_signs(word))


def main() -> None:
    folder = pathlib.Path(__file__).parent / "words"
    lexicon: dict[str, str] = {}
    listed, derived = [], []
    for path in sorted(folder.glob("*.txt"), key=lambda path: (path.name != "function.txt", path.name)):
        for line in path.read_text().splitlines():
            if not line.strip() or line.startswith("#"):
                continue
            try:
                found = list(forms(line))
            except (ValueError, KeyError, IndexError) as error:
                sys.exit(f"{path.name}: {line}: {error!r}")
            listed.append(found[0])
            derived += found[1:]
    signed = [(word, sounds) for word, sounds in listed if with_signs(word) != normalise(word)]
    unsigned = [(word, sounds) for word, sounds in listed if with_signs(word) == normalise(word)]
    for word, sounds in unsigned + derived + signed:
        lexicon.setdefault(normalise(word), sounds)
    # list a word with its vowel signs as well if its reading differs from that of the word without signs, or if its
    # final zer is an izafat that is part of its reading
    for word, sounds in signed:
        if lexicon[normalise(word)] != sounds or with_signs(word).endswith("\u0650"):
            lexicon[with_signs(word)] = sounds
    print("# Urdu words and their sounds in Devanagari; generated by train/urdu/make.py. Do not edit it by hand.")
    for word, sounds in sorted(lexicon.items()):
        print(f"{word}\t{devanagari(sounds)}")


if __name__ == "__main__":
    main()
