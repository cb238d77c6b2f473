"""Maps the phones of Shruti to the symbols of the teacher, Kokoro-82M.

The teacher reads a string of IPA-like symbols, one character each (`vocab.json` of its package). It was not trained on
most of the supported languages, so each phone is written with the nearest symbols that it pronounces well:

- It has no ɭ (written as l), no ɲ outside Latin languages (as n), and no separate implosive or breathy voiced series:
  bʱ is written as `bʰ`.
- It pronounces ʧ and ʤ of English as affricates; Indian affricates are the palatal stops `c` and `ɟ`, as in its Hindi
  training data.
- A geminate consonant is its symbol twice; a long vowel is followed by `ː`.
- Short e of the Dravidian languages is `ɛ`; `e` is always heard as long.
- English is written with the English symbols, so that it is pronounced well; the accent comes from the speaker's style.
"""
import unicodedata
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "crates/shruti-kokoro/data"
CLASSES = {}
for line in (DATA / "symbols.tsv").read_text(encoding="utf-8").splitlines():
    if not line.startswith("#"):
        kind, phone, symbols = line.split("\t")
        CLASSES.setdefault(kind, {})[phone] = symbols
CONSONANTS, VOWELS, ENGLISH_CONSONANTS = CLASSES["consonant"], CLASSES["vowel"], CLASSES["english-consonant"]
ENGLISH_LONG = CLASSES["english-long-vowel"]
ENGLISH_DIPHTHONGS = {tuple(phones.split()): symbols for phones, symbols in CLASSES["english-diphthong"].items()}
# Languages in which a stressed ə is the full vowel of "cut".
FULL_SCHWA = {"hi", "mr", "gu", "pa"}
DRAVIDIAN = {"ta", "te", "kn", "ml"}
STRESS = {"Primary": "ˈ", "Secondary": "ˌ", "None": ""}
PUNCTUATION = {"Statement": ".", "Continuation": ",", "Exclamation": "!"}


def parts(phone):
    """Returns the quality of a phone, whether it is long and whether it is nasal."""
    decomposed = unicodedata.normalize("NFD", phone)
    nasal = "\u0303" in decomposed
    quality = unicodedata.normalize("NFC", decomposed.replace("\u0303", ""))
    return quality.rstrip("ː"), quality.endswith("ː"), nasal


def is_vowel(phone):
    return parts(phone)[0] in VOWELS


def vowel_symbols(quality, is_long, nasal, stressed, language, is_last):
    if language in FULL_SCHWA and quality == "ə" and stressed:
        symbol = "ʌ"
    elif language in DRAVIDIAN and quality == "e" and not is_long:
        symbol = "ɛ"
    else:
        symbol = VOWELS[quality]
    # In the teacher's Hindi, an unstressed final iː is short.
    if language == "hi" and quality == "i" and is_last and not stressed:
        is_long = False
    return symbol + ("\u0303" if nasal else "") + ("ː" if is_long else "")


def word_symbols(word):
    """Returns a list of (phone count, symbols): the symbols that pronounce the next n phones of a word."""
    english = word.language == "en"
    consonants = CONSONANTS | ENGLISH_CONSONANTS if english else CONSONANTS
    is_light = word.weight == "Function" and len(word.syllables) == 1
    stress_at = {}
    for first, end, stress, _ in word.syllables:
        nucleus = next((index for index in range(first, end) if is_vowel(word.phones[index])), None)
        if nucleus is not None and not is_light:
            stress_at[nucleus] = STRESS[stress]
    written, index = [], 0
    while index < len(word.phones):
        quality, is_long, nasal = parts(word.phones[index])
        stress = stress_at.get(index, "")
        if quality not in VOWELS:
            symbols = consonants[quality]
            written.append((1, symbols * 2 if is_long and not english else symbols))
            index += 1
            continue
        following = parts(word.phones[index + 1])[0] if index + 1 < len(word.phones) else None
        if english and (quality, following) in ENGLISH_DIPHTHONGS:
            written.append((2, stress + ENGLISH_DIPHTHONGS[quality, following]))
            index += 2
            continue
        if english and quality in ENGLISH_LONG:
            symbols = ENGLISH_LONG[quality]
        else:
            symbols = vowel_symbols(quality, is_long, nasal, bool(stress), word.language, index + 1 == len(word.phones))
        written.append((1, stress + symbols))
        index += 1
    return written


def sentence_symbols(sentence):
    """Returns the teacher's symbols of a sentence, and for each phone the range (first, end) of its symbols.

    The two phones of an English diphthong share one range.
    """
    text, ranges = "", []
    for number, utterance in enumerate(sentence.utterances):
        is_last = number + 1 == len(sentence.utterances)
        for position, word in enumerate(utterance.words):
            for count, symbols in word_symbols(word):
                ranges += [(len(text), len(text) + len(symbols))] * count
                text += symbols
            if position + 1 < len(utterance.words):
                text += " " if word.break_after in ("None", "Phrase") else ", "
            else:
                mark = PUNCTUATION.get(utterance.contour, "?" if "uestion" in utterance.contour else ".")
                text += "." if is_last and mark == "," else mark + ("" if is_last else " ")
    return text, ranges
