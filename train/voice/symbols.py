"""Maps Shruti's phones to the symbols of the teacher, Kokoro-82M.

The teacher reads a string of IPA-like symbols, one character each (`vocab.json` of its package). It has never been trained on most of our
languages, so each phone is written with the nearest symbols that it pronounces well:

- It has no ɭ (written l), no ɲ outside Latin languages (n), no implosive or breathy voiced series of its own: bʱ is `bʰ`.
- It pronounces ʧ and ʤ of English as affricates; Indian affricates are the palatal stops `c` and `ɟ`, as in its Hindi training data.
- A geminate consonant is its symbol twice; a long vowel takes `ː`.
- Short e of the Dravidian languages is `ɛ`; `e` alone is always heard as long.
- English is written with its own English symbols, so that it is pronounced well; the accent comes from the speaker's style.
"""
import unicodedata

CONSONANTS = {
    "p": "p", "pʰ": "pʰ", "b": "b", "bʱ": "bʰ", "t̪": "t", "t̪ʰ": "tʰ", "d̪": "d", "d̪ʱ": "dʰ", "t": "t", "d": "d", "ʈ": "ʈ", "ʈʰ": "ʈʰ",
    "ɖ": "ɖ", "ɖʱ": "ɖʰ", "tʃ": "c", "tʃʰ": "cʰ", "dʒ": "ɟ", "dʒʱ": "ɟʰ", "ts": "ʦ", "dz": "ʣ", "dzʱ": "ʣ", "k": "k", "kʰ": "kʰ", "ɡ": "ɡ",
    "ɡʱ": "ɡʰ", "q": "k", "m": "m", "n̪": "n", "n": "n", "ɳ": "ɳ", "ɲ": "n", "ŋ": "ŋ", "f": "f", "s": "s", "z": "z", "ʃ": "ʃ", "ʒ": "ʒ",
    "ʂ": "ʂ", "x": "x", "ɣ": "ɣ", "ɦ": "h", "h": "h", "ʋ": "ʋ", "j": "j", "w": "w", "ɾ": "ɾ", "r": "r", "ɽ": "r.", "ɽʱ": "r.h", "ɻ": "ɻ",
    "ɹ": "ɹ", "l": "l", "ɭ": "l",
}
VOWELS = {"i": "i", "ɪ": "ɪ", "e": "e", "ɛ": "ɛ", "æ": "æ", "ə": "ə", "ɐ": "ʌ", "ʌ": "ʌ", "a": "a", "ɑ": "ɑ", "ɔ": "ɔ", "ɒ": "ɒ", "o": "o",
          "ʊ": "ʊ", "u": "u", "ɨ": "ɨ", "ɜ": "ɜ"}
# Stressed ə of these languages is the full vowel of "cut".
FULL_SCHWA = {"hi", "mr", "gu", "pa"}
DRAVIDIAN = {"ta", "te", "kn", "ml"}
ENGLISH_CONSONANTS = {"ʈ": "t", "ɖ": "d", "d̪": "ð", "t̪ʰ": "θ", "t̪": "θ", "tʃ": "ʧ", "dʒ": "ʤ", "ʋ": "v", "ɾ": "ɹ", "r": "ɹ", "ɦ": "h", "ɳ": "n"}
ENGLISH_DIPHTHONGS = {("a", "ɪ"): "I", ("a", "ʊ"): "W", ("ɔ", "ɪ"): "Y", ("ɒ", "ɪ"): "Y"}
ENGLISH_LONG = {"e": "A", "o": "O"}
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
    # The teacher's Hindi writes an unstressed final iː short.
    if language == "hi" and quality == "i" and is_last and not stressed:
        is_long = False
    return symbol + ("\u0303" if nasal else "") + ("ː" if is_long else "")


def word_symbols(word):
    """Returns a list of (phone count, symbols): which symbols pronounce the next so many phones of a word."""
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
    """Returns the teacher's symbols of a sentence, and for each phone (first, end), the symbols that pronounce it.

    The two phones of an English diphthong share one range."""
    text, ranges = "", []
    for number, utterance in enumerate(sentence.utterances):
        is_last = number + 1 == len(sentence.utterances)
        for position, word in enumerate(utterance.words):
            for count, symbols in word_symbols(word):
                ranges += [(len(text), len(text) + len(symbols))] * count
                text += symbols
            if position + 1 < len(utterance.words):
                text += ", " if word.break_after in ("Clause", "Sentence") else " "
            else:
                mark = PUNCTUATION.get(utterance.contour, "?" if "uestion" in utterance.contour else ".")
                text += "." if is_last and mark == "," else mark + ("" if is_last else " ")
    return text, ranges
