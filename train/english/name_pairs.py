#!/usr/bin/env python3
"""Creates pairs of spelling and pronunciation, `word<TAB>IPA`, for training the model of Indian names.

usage: name_pairs.py [--faker DIR] [--phones COMMAND] > pairs.tsv

Three sources:
  data/en/names.tsv of shruti-text, whose native spellings are read by the rules of their languages;
  data/en/indian.tsv of shruti-text, unchanged;
  the names of people and cities in Indian scripts of the Python package Faker (MIT), if DIR is the folder of the
  unpacked package, romanised in two ways by train/mixed/romanise.py.
Words of the test half of indian-pronunciation.tsv are excluded. COMMAND prints `word<TAB>IPA` and receives `-l LANG`.
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'measure/english'), str(ROOT / 'train/mixed')]
import romanise  # noqa: E402
import score  # noqa: E402

# Odia names in Devanagari are read with the rules of Hindi, as Indians of other regions pronounce them
FAKER = {'hi': ('person/hi_IN', 'address/hi_IN'), 'mr': ('person/mr_IN', 'address/mr_IN'), 'gu': ('person/gu_IN',),
         'or': ('person/or_IN',)}
DRAVIDIAN = {'ta', 'te', 'kn', 'ml'}
VOICED = {'k': 'ɡ', 'p': 'b', 't̪': 'd̪', 'ʈ': 'ɖ'}
VOICELESS = {voiced: plain for plain, voiced in VOICED.items()}


def speak(command, lang, words):
    done = subprocess.run([*command.split(), '-l', lang], input='\n'.join(words), capture_output=True, text=True, check=True)
    return dict(line.split('\t') for line in done.stdout.splitlines() if '\t' in line)


def voice_as_written(phones, word):
    """Applies the voicing of the Latin spelling, because the Tamil and Malayalam scripts do not indicate voicing."""
    for stops, letters in ((('k', 'ɡ'), 'kg'), (('p', 'b'), 'pb'), (('t̪', 'd̪', 'ʈ', 'ɖ'), 'td')):
        places = [i for i, phone in enumerate(phones) if phone.rstrip('ː') in stops]
        written = re.findall(rf'([{letters}])\1?', word)
        if len(places) != len(written):
            continue
        for place, letter in zip(places, written):
            change = VOICELESS if letter in 'kpt' else VOICED
            bare = phones[place].rstrip('ː')
            phones[place] = change.get(bare, bare) + phones[place][len(bare):]
    return phones


def as_in_english(phones, lang, word):
    """Maps the phones of a native word to the phone inventory of Indian English."""
    phones = phones.split()
    if lang == 'ta':
        if 'c' not in word:
            phones = ['s' if phone == 'tʃ' else phone for phone in phones]
    if lang in ('ta', 'ml'):
        phones = voice_as_written(phones, word)
    said = []
    for i, phone in enumerate(phones):
        following = phones[i + 1] if i + 1 < len(phones) else ''
        phone = phone.replace('ɐ', 'ə').replace('ʂ', 'ʃ').replace('ɨ', 'ʊ').replace('x', 'kʰ').replace('ɣ', 'ɡ').replace('q', 'k')
        if lang in DRAVIDIAN:
            phone = {'e': 'ɛ', 'o': 'ɔ', 'i': 'ɪ', 'u': 'ʊ', 'a': 'ə', 'r': 'ɾ', 'rː': 'ɾ'}.get(phone, phone)
        else:
            phone = {'i': 'ɪ', 'u': 'ʊ', 'a': 'aː', 'e': 'eː', 'o': 'oː'}.get(phone, phone)
        phone = {'ts': 'tʃ', 'dz': 'dʒ', 'dzʱ': 'dʒʱ', 'tsː': 'tʃː', 't': 'ʈ', 'tː': 'ʈː', 'w': 'ʋ', 'n̪': 'n', 'n̪ː': 'nː', 'ɲ': 'n'}.get(phone, phone)
        if '\u0303' in phone and following[:1] in tuple('kɡtdʈɖpb') and following:
            said += [phone.replace('\u0303', ''), 'm' if following[0] in 'pb' else 'n']
            continue
        said.append(phone)
    if word.endswith('a') and said[-1][0] not in 'əaɛeɪiɔoʊu':
        said.append('ə')
    # the final u of Dravidian words is not spelled in Latin letters, and not spoken in English
    if lang in DRAVIDIAN and not re.search('[aiouy]$', word) and said[-1] in ('ʊ', 'ə'):
        said.pop()
    if lang in DRAVIDIAN and said[-1] == 'ɪ':
        said[-1] = 'iː'
    if lang in DRAVIDIAN and said[-1] == 'ʊ':
        said[-1] = 'uː'
    return re.sub('əj$', 'aɪ', ''.join(said))


def faker_words(folder, lang):
    first = chr(romanise.BLOCKS[lang])
    last = chr(romanise.BLOCKS[lang] + 0x7F)
    words = set()
    for part in FAKER[lang]:
        text = (pathlib.Path(folder) / 'faker/providers' / part / '__init__.py').read_text(encoding='utf-8')
        words |= set(re.findall(f'[{first}-{last}]+', text))
    return sorted(word for word in words if len(word) > 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--faker')
    parser.add_argument('--phones', default=score.DEFAULT)
    arguments = parser.parse_args()
    entries = score.read_list(score.HERE / 'indian-pronunciation.tsv')
    judged = {word.lower() for word, _, _, half in entries if half == 'judge'}
    pairs = {}

    def add(word, ipa):
        if word.isascii() and word.isalpha() and word not in judged:
            # Latin letters distinguish neither ɭ from l nor ɳ from n, so merge them; ɳ stays before ʈ and ɖ
            ipa = re.sub('ɳ(?![ʈɖ])', 'n', ipa.replace('ʂ', 'ʃ').replace('ɭ', 'l'))
            pairs.setdefault(word, ipa)

    for line in open(score.ROOT / 'crates/shruti-text/data/en/indian.tsv', encoding='utf-8'):
        if not line.startswith('#'):
            word, ipa = line.rstrip('\n').split('\t')
            # a pronunciation with a stress mark is partly English
            if 'ˈ' not in ipa:
                add(word, ipa)
    by_language = {}
    for line in open(score.ROOT / "crates/shruti-text/data/en/names.tsv", encoding='utf-8'):
        if not line.startswith('#'):
            word, lang, native = line.rstrip('\n').split('\t')
            by_language.setdefault(lang, []).append((word.lower(), native))
    for lang, words in by_language.items():
        said = speak(arguments.phones, lang, [native for _, native in words])
        for word, native in words:
            if native in said:
                add(word, as_in_english(said[native], lang, word))
    for lang in FAKER if arguments.faker else ():
        words = faker_words(arguments.faker, lang)
        read_as = 'hi' if lang == 'or' else lang
        spelt = [romanise_script(word) if lang == 'or' else word for word in words]
        said = speak(arguments.phones, read_as, spelt)
        for word in spelt:
            for seed in range(1 if lang == 'ta' else 2):
                latin = romanise.romanise(word, read_as, 'informal', seed)
                if word in said and len(latin) > 2:
                    add(latin, as_in_english(said[word], read_as, latin))
    for word, ipa in sorted(pairs.items()):
        print(word, ipa, sep='\t')


def romanise_script(word):
    """Transliterates an Odia word to Devanagari."""
    shift = romanise.BLOCKS['hi'] - romanise.BLOCKS['or']
    places = {'\u0b71': 'व', '\u0b5f': 'य', '\u0b5c': 'ड़', '\u0b5d': 'ढ़', '\u0b33': 'ल'}
    return ''.join(places.get(c, chr(ord(c) + shift)) for c in word)


if __name__ == '__main__':
    main()
