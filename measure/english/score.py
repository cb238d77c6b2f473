#!/usr/bin/env python3
"""Scores the pronunciation of Indian English on indian-pronunciation.tsv. Standard library only.

usage: score.py [--phones COMMAND] [--errors HALF] [--list PATH]

Prints the phone error rate and the share of correct words, in percent, of each half of the list and each class, and the
same for the English of `espeak-ng` if it is installed. COMMAND prints `word<TAB>IPA` for the words it reads and
receives `-l en`; default `shruti phones`. `--errors tune` also prints the errors of that half.

The halves: a word belongs to `tune` or `judge` by the parity of the CRC-32 of its lower-case letters. Rules and lists
may be fitted to `tune`; only the figures of `judge` may be looked at. `unlisted` are the Indian words of a half that
are in neither indian.tsv nor exceptions.tsv under crates/shruti-text/data/en, which shows what the rules achieve alone.

Both sides are folded first, which is tolerant of notation and strict about phonology:
  aspiration is distinguished, and dental from retroflex (a plain t or d of English counts as ʈ ɖ);
  ɾ r ɹ count as one phone, and so do v w ʋ, and h ɦ;
  ɳ ɲ n̪ count as n, and ɭ as l, because neither Latin letters nor General Indian English distinguish them (Sailaja
  2009);
  ə ɐ ʌ count as one phone, and so do ɒ ɔ ɔː (Wells 1982, §8.7); the diphthongs of FACE and GOAT count as eː oː; the
  length of ɛ is ignored;
  a final i or u counts as long, and a final a as ə; a geminate counts as two phones; stress is removed.
"""
import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import unicodedata
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEFAULT = f'cargo run --quiet --release --manifest-path {ROOT}/Cargo.toml -p shruti -- phones'
ESPEAK_VOICES = ['en-in', 'en-gb', 'en']
CHOICE = re.compile(r'\{([^{}]*)\}|\(([^()]*)\)')
DIPHTHONGS = {'aɪ': 'aɪ', 'ai': 'aɪ', 'əɪ': 'aɪ', 'əj': 'aɪ', 'aj': 'aɪ', 'aʊ': 'aʊ', 'au': 'aʊ', 'əʊ': 'oː', 'oʊ': 'oː',
              'eɪ': 'eː', 'ɔɪ': 'ɔɪ', 'ɔj': 'ɔɪ', 'eə': 'eː', 'ɪə': 'iː', 'iə': 'iː', 'ʊə': 'uː'}
TOKEN = re.compile(r'(?:t[ʃs]|d[ʒz]|.)[\u0300-\u036f]*[ʰʱ]?[\u0300-\u036f]*ː?[ʰʱ]?')
SAME = {'ɐ': 'ə', 'ʌ': 'ə', 'ɜː': 'əː', 'ɒ': 'ɔ', 'ɔː': 'ɔ', 'ɒː': 'ɔ', 'ɛː': 'ɛ', 'æː': 'æ', 'e': 'eː', 'o': 'oː', 'i': 'iː', 'u': 'uː',
        'ɑː': 'aː', 'ɑ': 'aː', 't': 'ʈ', 'd': 'ɖ', 'θ': 't̪ʰ', 'ð': 'd̪', 'ɹ': 'ɾ', 'r': 'ɾ', 'v': 'ʋ', 'w': 'ʋ', 'h': 'ɦ', 'g': 'ɡ',
        'n̪': 'n', 'ɳ': 'n', 'ɲ': 'n', 'ɭ': 'l', 'ʂ': 'ʃ', 'ɫ': 'l', 'x': 'kʰ', 'q': 'k', 'ɚ': 'ə', 'ᵻ': 'ɪ', 'a': 'ə'}
FINAL = {'ɪ': 'iː', 'ʊ': 'uː', 'æ': 'ə'}


def expand(ipa):
    """Returns every transcription that `a|b`, `{a,b}` and `(a)` allow."""
    done = set()
    for whole in ipa.split('|'):
        waiting = [whole]
        while waiting:
            one = waiting.pop()
            found = CHOICE.search(one)
            if not found:
                done.add(one)
                continue
            parts = found[1].split(',') if found[1] is not None else ['', found[2]]
            waiting += [one[:found.start()] + part + one[found.end():] for part in parts]
    return done


def fold(ipa):
    """Returns the folded phones of a string of IPA."""
    ipa = unicodedata.normalize('NFD', ipa)
    ipa = re.sub(r"[ˈˌ.\s‿|\u0361\u200d]|\([a-z-]+\)", '', ipa).replace(':', 'ː').replace('ʱ', 'ʰ').replace('ːʰ', 'ʰː')
    tokens = TOKEN.findall(ipa)
    phones = []
    for token in tokens:
        long = token.endswith('ː')
        bare = token.rstrip('ː')
        nasal = '\u0303' in bare
        bare = bare.replace('\u0303', '')
        if phones and not long and not nasal and phones[-1] + bare in DIPHTHONGS:
            phones[-1] = DIPHTHONGS[phones[-1] + bare]
            continue
        is_vowel = bare in set('aeiouɪʊəɐʌɑɔɒɛæɜɚᵻɨ')
        if is_vowel:
            phones.append(bare + ('ː' if long else ''))
            if nasal:
                phones.append('\u0303')
        else:
            phones += [bare.replace('ʰ', '')] * long + [bare]
    folded = [SAME.get(phone, phone) for phone in phones]
    if folded:
        folded[-1] = FINAL.get(folded[-1], folded[-1])
    out = []
    for i, phone in enumerate(folded):
        following = folded[i + 1] if i + 1 < len(folded) else ''
        if phone == '\u0303':
            # before a nasal consonant, drop nasality; before another phone, replace it with a nasal consonant
            if following[:1] in ('n', 'm', 'ŋ'):
                continue
            phone = 'm' if following[:1] in 'pb' and following else 'n' if following else '\u0303'
        if phone == 'n' and following[:1] in ('k', 'ɡ'):
            phone = 'ŋ'
        # the first half of a geminate is not aspirated
        if phone.endswith('ʰ') and following == phone:
            phone = phone[:-1]
        out.append(phone)
    return out


def distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def read_list(path):
    for line in open(path, encoding='utf-8'):
        if line.strip() and not line.startswith('#'):
            word, ipa, kind, source = line.rstrip('\n').split('\t')
            half = ('tune', 'judge')[zlib.crc32(word.lower().encode()) & 1]
            yield word, [fold(one) for one in sorted(expand(ipa))], kind, half


def ours(command, words):
    done = subprocess.run([*command.split(), '-l', 'en'], input='\n'.join(words), capture_output=True, text=True, check=True)
    return dict(line.split('\t') for line in done.stdout.splitlines() if '\t' in line)


def espeak(words):
    if not shutil.which('espeak-ng'):
        return None, None
    known = subprocess.run(['espeak-ng', '--voices=en'], capture_output=True, text=True, check=True).stdout
    voice = next(voice for voice in ESPEAK_VOICES if re.search(rf'\b{voice}\b', known))
    spoken = {}
    for word in words:
        done = subprocess.run(['espeak-ng', '-q', '--ipa', '-v', voice, '--', word], capture_output=True, text=True, check=True)
        spoken[word] = done.stdout
    return voice, spoken


class Score:
    """Sums over words."""

    def __init__(self):
        self.words = self.right = self.errors = self.phones = 0

    def add(self, references, phones):
        errors, reference = min(((distance(one, phones), one) for one in references), key=lambda pair: (pair[0], -len(pair[1])))
        self.words += 1
        self.right += errors == 0
        self.errors += errors
        self.phones += len(reference)
        return errors, reference

    def __str__(self):
        if not self.words:
            return f"{'–':>12}"
        return f'{100 * self.errors / self.phones:6.1f}/{100 * self.right / self.words:5.1f}'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--phones', default=DEFAULT)
    parser.add_argument('--list', default=HERE / 'indian-pronunciation.tsv')
    parser.add_argument('--errors', choices=['tune', 'judge'])
    arguments = parser.parse_args()
    entries = list(read_list(arguments.list))
    words = [word for word, *_ in entries]
    data = ROOT / 'crates/shruti-text/data/en'
    listed = {line.split('\t')[0] for name in ('indian.tsv', 'exceptions.tsv') for line in open(data / name, encoding='utf-8')}
    mine = ours(arguments.phones, words)
    voice, theirs = espeak(words)
    scores = collections.defaultdict(lambda: (Score(), Score()))
    wrong = []
    for word, references, kind, half in entries:
        rows = [(half, kind), (half, 'all')]
        if kind != 'general' and word.lower() not in listed:
            rows.append((half, 'unlisted'))
        phones = fold(mine.get(word, ''))
        for row in rows:
            errors, reference = scores[row][0].add(references, phones)
            if theirs:
                scores[row][1].add(references, fold(theirs[word]))
        if errors and half == arguments.errors:
            wrong.append((kind, word, ' '.join(reference), ' '.join(phones)))
    kinds = [*dict.fromkeys(kind for *_, kind, _ in entries), 'unlisted', 'all']
    print(f"{'phone errors / words right, %':32}{'tune':^28}{'judge':^28}")
    print(f"{'':24}" + ''.join(f"{'words':>8}{'us':>9}{voice or '':>11}" for _ in range(2)))
    for kind in kinds:
        cells = [f"{scores[half, kind][0].words:8}{scores[half, kind][0]!s:>13}{scores[half, kind][1] if theirs else ''!s:>13}"
                 for half in ('tune', 'judge')]
        print(f'{kind:20}' + ''.join(cells))
    for row in wrong:
        print('\t'.join(row))


if __name__ == '__main__':
    main()
