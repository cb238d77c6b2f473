#!/usr/bin/env python3
"""Fits the classifiers of Bengali open letters (crates/shruti-text/data/bn/open.tsv). Standard library only.

usage: cargo run --release -p shruti-text --example bengali_open < WORDS | fit_bengali.py LEXICON.tsv [--folds N] > open.tsv

LEXICON is the Bengali lexicon of google/language-resources (CC BY 4.0), `word<TAB>IPA`; WORDS are its words, one a
line. The example prints what the rules settle and which letters are open; each open letter is aligned with the
lexicon's phones, and one averaged perceptron (Collins, 2002) for each kind of letter learns its sound from the letters
around it. A combination of letters has weights only if at least LEAST places share it, so that no single word
can be read out of them. With --folds N nothing is printed but
the accuracy on words left out (every word once).
"""
import argparse
import random
import sys
import unicodedata
from collections import Counter, defaultdict

LEAST = 8     # least places that share a combination
ROUNDS = 5    # passes over the lexicon
MARGIN = 2.0  # by how much the right answer must win
FLAT = 1.5    # least spread of a combination's weights
TEMPLATES = [
    'from_start', 'own', 'before', 'next', 'next_vowel', 'tail', 'tail1', 'tail2', 'head', 'head1', 'word_end', 'from_end',
    'foreign', 'next_width', 'own next', 'own tail', 'own head', 'own before', 'own next_vowel', 'own next_first', 'own head1',
    'own tail1', 'own tail2', 'own from_end', 'own from_start', 'own foreign', 'before next_vowel', 'before next', 'before tail1',
    'before tail2', 'before before2', 'before from_end', 'head1 tail1', 'head1 next', 'head next_vowel', 'head next', 'head tail1',
    'from_start next_vowel', 'from_start from_end', 'foreign from_end', 'foreign before', 'from_start next_vowel next',
    'next_vowel next2_vowel', 'before own next', 'before own next_vowel', 'before from_end next_vowel', 'head1 own tail1',
    'from_start from_end before', 'own next next_vowel', 'before own tail2', 'head own tail',
]
ANSWERS = {'inherent': ('-', 'ɔ', 'o'), 'e': ('e', 'æ'), 'sa': ('ʃ', 's')}
FOLDED = {'ɦ': 'h', 'j': 'e', 'ʋ': 'o', 'w': 'o', 'f': 'pʰ', 'ɽ': 'r', 'ɾ': 'r', 'ɹ': 'r', 'ɲ': 'n', 'ɳ': 'n', 'i': 'i'}


def fold(phone):
    """One symbol for what the alignment need not tell apart."""
    phone = unicodedata.normalize('NFD', phone)
    phone = ''.join(c for c in phone if c not in '\u032a\u032f\u0361\u0303ː').replace('ʱ', 'ʰ')
    return FOLDED.get(phone, phone)


def read_words(lines):
    """Features' names, and for each word its pieces: ('=', phone) or ('?', kind, akshara, values)."""
    names = next(lines).rstrip('\n').split('\t')
    words, word, pieces = {}, None, []
    for line in lines:
        line = line.rstrip('\n')
        if word is None:
            word, pieces = line, []
        elif not line:
            words[word] = pieces
            word = None
        elif line[0] == '=':
            # a geminate is printed as one long phone
            phone = fold(line[1:])
            pieces.append(('=', phone))
        elif line[0] == '?':
            kind, akshara, *values = line[1:].split('\t')
            pieces.append(('?', kind, int(akshara), values))
    return names, words


def align(pieces, phones):
    """The sound of every open letter, or None when the lexicon disagrees with the rules by more than one phone."""
    n, m = len(pieces), len(phones)
    infinity = 99
    cost = [[infinity] * (m + 1) for _ in range(n + 1)]
    step = [[None] * (m + 1) for _ in range(n + 1)]
    cost[0][0] = 0
    for i in range(n + 1):
        for j in range(m + 1):
            here = cost[i][j]
            if here >= 4:
                continue
            options = []
            if i < n and j < m:
                piece = pieces[i]
                if piece[0] == '=':
                    options.append((1, 1, 0 if piece[1] == phones[j] else 1.5, None))
                elif phones[j] in ANSWERS[piece[1]]:
                    options.append((1, 1, 0, phones[j]))
            if i < n:
                piece = pieces[i]
                silent = piece[0] == '?' and piece[1] == 'inherent'
                options.append((1, 0, 0.01 if silent else 1, '-' if silent else None))
            if j < m:
                options.append((0, 1, 1, None))
            for di, dj, price, sound in options:
                if here + price < cost[i + di][j + dj]:
                    cost[i + di][j + dj] = here + price
                    step[i + di][j + dj] = (di, dj, sound)
    if cost[n][m] > 1.6:
        return None
    sounds, i, j = [None] * n, n, m
    while i or j:
        di, dj, sound = step[i][j]
        i, j = i - di, j - dj
        if di:
            sounds[i] = sound
    return sounds


def places(names, words, lexicon):
    """For each kind the places with a known sound: (word, values, sound)."""
    before, before2 = names.index('before'), names.index('before2')
    found = defaultdict(list)
    for word, pieces in words.items():
        aligned = [align(pieces, phones) for phones in lexicon.get(word, [])]
        sounds = next((one for one in aligned if one), None)
        if not sounds:
            continue
        heard = {}
        for piece, sound in zip(pieces, sounds):
            if piece[0] != '?':
                continue
            _, kind, akshara, values = piece
            values = list(values)
            values[before] = heard.get(akshara - 1, values[before])
            values[before2] = heard.get(akshara - 2, values[before2])
            if kind == 'inherent' and sound:
                heard[akshara] = sound
            if sound:
                found[kind].append((word, values, sound))
    return found


def keys(values, templates):
    """The combinations of values that a place has."""
    return [(number, *(values[feature] for feature in template)) for number, template in enumerate(templates)]


def fit(rows, answers, templates):
    """Weights by combination, a small integer for each answer; an averaged perceptron with a margin."""
    seen = Counter(key for values, _ in rows for key in keys(values, templates))
    rows = [([key for key in keys(values, templates) if seen[key] >= LEAST], answers.index(sound)) for values, sound in rows]
    count = len(answers)
    weights = defaultdict(lambda: [0.0] * count)
    totals = defaultdict(lambda: [0.0] * count)
    order = random.Random(1)
    time = 1
    for _ in range(ROUNDS):
        order.shuffle(rows)
        for row, right in rows:
            vectors = [weights[key] for key in row]
            sums = [sum(column) for column in zip(*vectors)]
            best = max(range(count), key=lambda i: sums[i] + (0 if i == right else MARGIN))
            if best != right:
                for key, vector in zip(row, vectors):
                    total = totals[key]
                    vector[right] += 1
                    total[right] += time
                    vector[best] -= 1
                    total[best] -= time
            time += 1
    fitted = {}
    for key, vector in weights.items():
        mean = [w - t / time for w, t in zip(vector, totals[key])]
        if max(mean) - min(mean) >= FLAT:
            fitted[key] = [max(-127, min(127, round(8 * w))) for w in mean]
    return fitted


def decide(fitted, values, answers, templates):
    sums = [0] * len(answers)
    for key in keys(values, templates):
        for i, weight in enumerate(fitted.get(key, ())):
            sums[i] += weight
    return answers[max(range(len(answers)), key=lambda i: sums[i])]


def write(kind, fitted, templates):
    print(f"[{kind} {' '.join(ANSWERS[kind])}]")
    by_template = defaultdict(list)
    for (number, *values), weights in fitted.items():
        by_template[number].append(('|'.join(values), weights))
    for number, template in enumerate(TEMPLATES):
        print('@ ' + template.replace(' ', '+'))
        for values, weights in sorted(by_template[number]):
            print(values + '\t' + ' '.join(map(str, weights)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('lexicon')
    parser.add_argument('--folds', type=int, default=0)
    arguments = parser.parse_args()
    lexicon = defaultdict(list)
    for line in open(arguments.lexicon, encoding='utf-8'):
        word, ipa = line.rstrip('\n').split('\t')[:2]
        lexicon[word].append([fold(phone) for phone in ipa.split()])
    names, words = read_words(iter(sys.stdin))
    templates = [[names.index(name) for name in template.split()] for template in TEMPLATES]
    found = places(names, words, lexicon)
    if arguments.folds:
        wrong_words, total_words = set(), set()
        for kind, rows in found.items():
            wrong = 0
            for fold_number in range(arguments.folds):
                in_fold = [hash_of(word) % arguments.folds == fold_number for word, _, _ in rows]
                fitted = fit([(v, s) for (_, v, s), out in zip(rows, in_fold) if not out], ANSWERS[kind], templates)
                for (word, values, sound), out in zip(rows, in_fold):
                    if out:
                        total_words.add(word)
                        if decide(fitted, values, ANSWERS[kind], templates) != sound:
                            wrong += 1
                            wrong_words.add(word)
            print(f'{kind}: {len(rows)} places, {100 * (1 - wrong / len(rows)):.2f} % right', file=sys.stderr)
        print(f'words right: {100 * (1 - len(wrong_words) / len(total_words)):.2f} %', file=sys.stderr)
        return
    print('# Bengali letters whose sound the spelling leaves open; made by eval/g2p/fit_bengali.py from the Bengali')
    print('# lexicon of google/language-resources (Copyright Google, CC BY 4.0).')
    for kind in ('inherent', 'e', 'sa'):
        write(kind, fit([(v, s) for _, v, s in found[kind]], ANSWERS[kind], templates), templates)


def hash_of(word):
    value = 7
    for c in word:
        value = (value * 31 + ord(c)) % 1000003
    return value


if __name__ == '__main__':
    main()
