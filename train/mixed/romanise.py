#!/usr/bin/env python3
"""Romanises words of Indian scripts in the ways that people type them.

    romanise.py LANG STYLE < text      prints the text with its own-script words romanised

Styles:
    informal   as people type: kya, achchha, thamizh, bhalo; long vowels doubled or not, at random
               (but always the same for the same word)
    plain      ISO 15919 without diacritics: c for ch, s for sh, a even for silent inherent vowels inside a word
    doubled    long vowels always doubled: aa, ee, oo
    iso        ISO 15919 itself

Also the source of the training pairs of `train.py`: `units` returns each letter with its romanised form.
"""
import hashlib
import random
import re
import sys
import unicodedata

BLOCKS = {"hi": 0x900, "mr": 0x900, "bn": 0x980, "pa": 0xA00, "gu": 0xA80, "or": 0xB00, "ta": 0xB80,
          "te": 0xC00, "kn": 0xC80, "ml": 0xD00}
SCHWA_DELETING = {"hi", "mr", "gu", "pa", "bn"}
DRAVIDIAN = {"ta", "te", "kn", "ml"}
CHILLU = {0x7A: "ण", 0x7B: "न", 0x7C: "र", 0x7D: "ल", 0x7E: "ळ", 0x7F: "क", 0x4E: "र"}
MATRA = dict(zip("ािीुूृॄॅॆेैॉॊोौॢ", "आइईउऊऋॠऍऎएऐऑऒओऔऌ"))
VOWELS = set("अआइईउऊऋऌऍऎएऐऑऒओऔॠॲ")
NUKTA = dict(zip("कखगजडढफयनरळ", "क़ ख़ ग़ ज़ ड़ ढ़ फ़ य़ ऩ ऱ ऴ".split()))
PRECOMPOSED = {0x58: "क़", 0x59: "ख़", 0x5A: "ग़", 0x5B: "ज़", 0x5C: "ड़", 0x5D: "ढ़", 0x5E: "फ़", 0x5F: "य़"}
SINGLE = {"क़": "\u0958", "ख़": "\u0959", "ग़": "\u095a", "ज़": "\u095b", "ड़": "\u095c", "ढ़": "\u095d",
          "फ़": "\u095e", "य़": "\u095f", "ऩ": "\u0929", "ऱ": "\u0931", "ऴ": "\u0934"}
VIRAMA, ADDAK = "\u094d", "ॱ"


def letters(word, lang):
    """Returns the word as letters at their Devanagari code points.

    The letters are consonants, vowel letters, अ for the inherent vowel, and the signs ं ँ ः and ॱ (addak). A consonant
    without a vowel has no letter after it.
    """
    base = BLOCKS[lang]
    word = unicodedata.normalize("NFC", word)
    out = []
    chars = list(word)
    i = 0
    pending = False  # whether there is a consonant that may still have its inherent vowel

    def settle():
        nonlocal pending
        if pending:
            out.append("अ")
        pending = False

    while i < len(chars):
        place = ord(chars[i]) - base
        if not 0 <= place < 0x80:
            i += 1
            continue
        if lang == "ml" and place in CHILLU:
            settle()
            out.append(CHILLU[place])
            i += 1
            continue
        if lang == "bn" and place == 0x4E:
            settle()
            out.append("त")
            i += 1
            continue
        if lang == "pa" and place in (0x70, 0x71, 0x72, 0x73):
            if place == 0x70:
                settle()
                out.append("ं")
            elif place == 0x71:
                settle()
                out.append(ADDAK)
            elif i + 1 < len(chars) and chr(ord(chars[i + 1]) - base + 0x900) in MATRA:
                settle()
                i += 1
                out.append(MATRA[chr(ord(chars[i]) - base + 0x900)])
            i += 1
            continue
        if lang == "or" and place == 0x71:
            settle()
            out.append("व")
            pending = True
            i += 1
            continue
        c = chr(0x900 + place)
        if place in PRECOMPOSED:
            settle()
            out.append(SINGLE[PRECOMPOSED[place]])
            pending = True
        elif 0x15 <= place <= 0x39:
            settle()
            if i + 1 < len(chars) and ord(chars[i + 1]) - base == 0x3C:
                i += 1
                if lang == "pa" and c in "लस":
                    c = {"ल": "ळ", "स": "श"}[c]
                elif c in NUKTA:
                    c = SINGLE[NUKTA[c]]
            out.append(c)
            pending = True
        elif c == VIRAMA:
            if lang == "ml" and out and out[-1] == "उ":
                pass
            elif pending:
                pending = False
                # in Malayalam, a final u is written with only the virama
                if lang == "ml" and i + 1 == len(chars):
                    out.append("्")
            i += 1
            continue
        elif c in MATRA:
            if pending or not out or out[-1] not in VOWELS:
                pending = False
                out.append(MATRA[c])
            else:
                out[-1] = MATRA[c]
        elif place == 0x57:
            if out and out[-1] in "एऎ":
                out[-1] = "औ"
            else:
                pending = False
                out.append("औ")
        elif c in VOWELS or c == "ॐ":
            settle()
            out.append({"ॲ": "ऍ"}.get(c, c))
        elif c in "ंँः":
            settle()
            out.append(c)
        i += 1
    settle()
    return out


def deleted_schwas(seq, lang):
    """Returns the indices of inherent vowels that are written but not spoken (a short form of Ohala, 1983)."""
    if lang not in SCHWA_DELETING:
        return set()
    gone = set()
    nuclei = [i for i, c in enumerate(seq) if c in VOWELS]
    if len(nuclei) > 1 and nuclei[-1] == len(seq) - 1 and seq[-1] == "अ":
        last = nuclei[-1]
        cluster = last >= 2 and seq[last - 1] not in VOWELS and seq[last - 2] not in VOWELS and seq[last - 2] not in "ंँॱ"
        ya = last >= 2 and seq[last - 1] == "य" and seq[last - 2] in "ईइऊ"
        keep = cluster or (lang == "bn" and seq[last - 1] in "ह\u095d") or ya and lang in ("hi", "mr")
        if not keep:
            gone.add(last)
    for k in range(len(nuclei) - 2, 0, -1):
        i = nuclei[k]
        if seq[i] != "अ" or i == 0:
            continue
        before, after = nuclei[k - 1], nuclei[k + 1]
        if after in gone or before in gone:
            continue
        single = i - before == 2 and after - i == 2
        if not single:
            continue
        if lang == "bn" and seq[after] == "अ":
            continue
        gone.add(i)
    return gone


ISO_C = dict(zip("कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसहळ", "k kh g gh ṅ c ch j jh ñ ṭ ṭh ḍ ḍh ṇ t th d dh n p ph b bh m y r l v ś ṣ s h ḷ".split()))
ISO_C.update({"\u0929": "ṉ", "\u0931": "ṟ", "\u0934": "ḻ", "\u0958": "q", "\u0959": "k͟h", "\u095a": "ġ",
              "\u095b": "z", "\u095c": "ṛ", "\u095d": "ṛh", "\u095e": "f", "\u095f": "ẏ"})
ISO_V = {"अ": "a", "आ": "ā", "इ": "i", "ई": "ī", "उ": "u", "ऊ": "ū", "ऋ": "r̥", "ॠ": "r̥̄", "ऌ": "l̥", "ऍ": "ê",
         "ऎ": "e", "ए": "ē", "ऐ": "ai", "ऑ": "ô", "ऒ": "o", "ओ": "ō", "औ": "au", "ॐ": "ōṁ",
         "ं": "ṁ", "ँ": "m̐", "ः": "ḥ", ADDAK: "", "्": "u"}


def strip(text):
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def plain_unit(c, nxt, lang):
    if c == "ं":
        return "m" if nxt and nxt in "पफबभम" or not nxt else "n"
    if c == "ँ":
        return "n"
    if c in "शष":
        return "s"
    if c == "ऋ":
        return "r"
    if c == "\u0934":
        return "l"
    return strip(ISO_C.get(c) or ISO_V.get(c, ""))


INFORMAL_C = dict(zip("कखगघङचछजझञटठडढणतथदधनपफबभमयरलवशषसहळ", "k kh g gh n ch chh j jh n t th d dh n t th d dh n p ph b bh m y r l v sh sh s h l".split()))
INFORMAL_C.update({"\u0929": "n", "\u0931": "r", "\u0934": "zh", "\u0958": "q", "\u0959": "kh", "\u095a": "gh",
                   "\u095b": "z", "\u095c": "r", "\u095d": "rh", "\u095e": "f", "\u095f": "y"})


def informal(seq, lang, rng, doubled):
    """Returns one romanised string per letter, as people type."""
    n = len(seq)
    long_aa = doubled or rng.random() < 0.45
    long_ii = doubled or rng.random() < 0.35
    long_uu = doubled or rng.random() < 0.35
    dental_h = lang in DRAVIDIAN and rng.random() < 0.6
    short_chh = rng.random() < 0.5
    out = []
    for i, c in enumerate(seq):
        prev = seq[i - 1] if i else ""
        nxt = seq[i + 1] if i + 1 < n else ""
        last = i == n - 1 or (i == n - 2 and nxt in "ंँ")
        initial = i == 0
        s = INFORMAL_C.get(c)
        if c in VOWELS:
            if c == "अ":
                s = "a"
                if lang == "bn":
                    s = "o"
            elif c == "आ":
                s = "aa" if long_aa and not (last and not doubled) and lang != "bn" or doubled and lang != "bn" else "a"
            elif c == "ई":
                s = "ee" if long_ii and (not last or doubled) else "i"
            elif c == "ऊ":
                s = "oo" if long_uu and (not last or doubled) else "u"
            elif c in "ऋॠ":
                s = {"hi": "ri", "bn": "ri", "pa": "ri", "gu": "ru", "mr": "ru", "or": "ru", "te": "ru", "kn": "ru", "ml": "ru", "ta": "ri"}[lang]
            elif c in "ऍऎए":
                s = "ee" if c == "ए" and lang in DRAVIDIAN and rng.random() < 0.25 else "e"
                if c == "ऍ":
                    s = "a"
            elif c in "ऑऒओ":
                s = "oo" if c == "ओ" and lang in DRAVIDIAN and rng.random() < 0.15 else "o"
            elif c == "ऐ":
                s = {"bn": "oi"}.get(lang, "ai")
            elif c == "औ":
                s = {"bn": "ou"}.get(lang, "ou" if lang in ("ta", "ml") and rng.random() < 0.3 else "au")
            elif c == "ऌ":
                s = "l"
            elif c == "इ":
                s = "i"
            elif c == "उ":
                s = "u"
            elif c == "ॐ":
                s = "om"
        elif c == "ं":
            s = "m" if nxt and nxt in "पफबभम" or (not nxt and lang in ("te", "kn", "ml", "ta", "or", "bn")) else "n"
            if lang == "bn" and nxt not in "पफबभम":
                s = "ng"
            if last and lang in ("hi", "mr", "gu", "pa") and rng.random() < 0.4:
                s = ""
        elif c == "ँ":
            s = "n" if rng.random() < 0.6 and not (lang in ("bn", "or") and rng.random() < 0.7) else ""
        elif c == "ः":
            s = "h" if lang not in ("bn",) else ""
        elif c == ADDAK:
            s = ("" if nxt == "छ" or rng.random() < 0.2 else INFORMAL_C.get(nxt, "")[:1])
        elif c == "्":
            s = "u" if rng.random() < 0.6 else "" if prev in "नलररळण" else "u"
        elif c == "छ" and short_chh and lang not in ("or",):
            s = "ch"
        elif c == "फ" and rng.random() < 0.6 and lang in ("hi", "mr", "gu", "pa"):
            s = "f"
        elif c == "व" and rng.random() < 0.2:
            s = "w"
        elif c in "थठ" and lang in DRAVIDIAN and c == "थ":
            s = "th"
        elif c == "त" and dental_h:
            s = "th" if nxt not in "तथ" else "t"
        elif c == "द" and dental_h:
            s = "dh" if nxt not in "दध" else "d"
        elif c == "ञ":
            s = "n"
            if lang == "ml" and nxt != "च":
                s = "nj" if nxt != "ञ" else "n"
                if prev == "ञ":
                    s = "j"
            elif lang == "ta" and (not nxt or nxt in VOWELS):
                s = "nj" if initial or prev in VOWELS else "gn"
            if prev == "ज":
                s = {"hi": "y", "mr": "ny", "pa": "y"}.get(lang, "n" if lang != "bn" else "")
        elif c == "ज" and nxt == "ञ":
            s = {"hi": "g", "mr": "d", "gu": "g", "bn": "gg", "pa": "g", "or": "gy"[:1]}.get(lang, "j" if rng.random() < 0.5 else "g")
        elif c == "ङ":
            s = "n"
            if lang in ("ml", "ta"):
                s = "n" if nxt in "ङक" and nxt else "ng"
                if lang == "ml" and prev == "ङ":
                    s = "g"
        # add the voicing that the Tamil script does not indicate
        if lang == "ta" and c in "कटतप" and c:
            voiced = prev in "ङञणनम\u0929" and prev or (prev in VOWELS and prev and nxt in VOWELS and nxt)
            double = prev == c or nxt == c
            if voiced and not double:
                s = {"क": "g", "ट": "d", "त": "dh" if dental_h else "d", "प": "b"}[c]
                if c == "प" and prev in VOWELS:
                    s = "b" if rng.random() < 0.6 else "p"
                if c == "क" and prev in VOWELS:
                    s = "g" if rng.random() < 0.75 else "k"
        if lang == "ta" and c == "च":
            s = "ch" if prev == "च" or nxt == "च" or prev == "ट" or prev == "\u0931" else "j" if prev == "ञ" else "s" if rng.random() < 0.75 else "ch"
            if nxt == "च":
                s = "c"
        elif c == "च" and nxt in "चछ" and nxt:
            s = "c"
        if lang == "ta" and c == "\u0931":
            s = "t" if nxt == "\u0931" else "r"
            if prev == "\u0931":
                s = "r"
            if prev == "\u0929":
                s = "dr" if rng.random() < 0.7 else "tr"
        if lang == "ml" and c == "\u0931" and (nxt == "\u0931" or prev == "\u0931"):
            s = "t"
        if lang == "ml" and c == "\u0931" and prev == "न":
            s = "t" if rng.random() < 0.5 else "d"
        if lang == "bn":
            if c == "य":
                s = "j" if prev in VOWELS or initial else "y"
                if prev and prev not in VOWELS:
                    # ya-phala doubles the preceding consonant
                    single = i > 1 and seq[i - 2] in VOWELS
                    s = "y" if nxt == "आ" else (INFORMAL_C.get(prev) or "")[:1] if single else ""
            elif c == "\u095f":
                s = "y"
            elif c == "व":
                s = "b"
            elif c in "सशष":
                s = "s" if c == "स" and rng.random() < 0.6 else "sh"
            elif c == "ष" and prev == "क":
                s = "h"
            elif c == "म" and prev in "सशष" and prev:
                s = "m"
            if c == "ष" and prev == "क":
                s = "kh"
        if lang == "or":
            if c == "य" and (initial or prev in VOWELS):
                s = "j"
            elif c == "\u095f":
                s = "y"
            elif c in "शष":
                s = "s" if rng.random() < 0.4 else "sh"
            elif c == "व" and (initial or prev in VOWELS) and rng.random() < 0.7:
                s = "b"
        if s is None:
            s = ""
        out.append(s)
    return out


def units(word, lang, style, seed=0):
    """Returns pairs (letter, romanised); a letter that is not spoken or not written has an empty romanisation.

    A deleted inherent vowel is the letter '-'.
    """
    seq = letters(word, lang)
    if style in ("informal", "doubled"):
        digest = hashlib.md5(f"{word}{seed}".encode()).digest()
        rng = random.Random(digest)
        gone = deleted_schwas(seq, lang)
        shown = ["-" if i in gone else c for i, c in enumerate(seq)]
        spoken = [c for i, c in enumerate(seq) if i not in gone]
        roman = iter(informal(spoken, lang, rng, style == "doubled"))
        return [(c, "" if c == "-" else next(roman)) for c in shown]
    pairs = []
    for i, c in enumerate(seq):
        nxt = seq[i + 1] if i + 1 < len(seq) else ""
        if style == "iso":
            r = ISO_C.get(c) or ISO_V.get(c, "")
            if c == "्":
                r = "ŭ"
            if c == ADDAK:
                r = (ISO_C.get(nxt) or "")[:1]
        else:
            r = plain_unit(c, nxt, lang)
            if c == ADDAK:
                r = plain_unit(nxt, "", lang)[:1] if nxt else ""
        pairs.append((c, r))
    if style == "plain" and lang in SCHWA_DELETING and lang != "bn" and len(pairs) > 1 and pairs[-1][0] == "अ":
        gone = deleted_schwas(seq, lang)
        if len(seq) - 1 in gone:
            pairs[-1] = ("-", "")
    return pairs


def romanise(word, lang, style, seed=0):
    return "".join(r for _, r in units(word, lang, style, seed))


def romanise_text(text, lang, style):
    base = BLOCKS[lang]
    first, last = chr(base), chr(base + 0x7F)
    return re.sub(f"[{first}-{last}\u200c\u200d]+",
                  lambda m: m.group(0) if all(0x66 <= (ord(c) - base) <= 0x6F for c in m.group(0)) else romanise(m.group(0), lang, style), text)


if __name__ == "__main__":
    for line in sys.stdin:
        print(romanise_text(line.rstrip("\n"), sys.argv[1], sys.argv[2]))
