#!/usr/bin/env python3
"""Fits the classifiers of Bengali open letters (crates/shruti-text/data/bn/open.tsv). Standard library only.

usage: cargo run --release -p shruti-text --example bengali_open < WORDS | fit_bengali.py LEXICON.tsv [--folds N |
--without LIST.tsv]

LEXICON is the Bengali lexicon of google/language-resources (CC BY 4.0), `word<TAB>IPA`; WORDS are its words, one per
line and sorted, because the weights depend on their order. The example prints the phones that the rules determine and
the letters that remain open; each open letter is aligned with the phones of the lexicon. Averaged perceptrons (Collins,
2002) learn from the surrounding letters: first, from the end of the word, which inherent vowels are silent, and then,
from its beginning, the sounds of the other open letters. Their weights are the mean over several orders of the words. A
combination of letters has weights only if at least LEAST positions share it, so that no single word can be
reconstructed from them.

To measure the pronunciation of unseen words, the script can print `word<TAB>IPA` for the scorer of lists: --folds N
prints every word as read by models fitted on the other folds; --without LIST prints the words of LIST (which must also
be in WORDS) as read by models fitted without them. Neither applies the exceptions.
"""
import argparse
import random
import sys
import unicodedata
from collections import Counter, defaultdict

LEAST = 5     # minimum number of positions that share a combination
ROUNDS = 8    # number of passes over the lexicon
ORDERS = 4    # number of orders of the lexicon whose weights are averaged
MARGIN = 4.0  # minimum margin by which the correct sound must win
FLAT = 1.5    # minimum spread of a combination's weights
TEMPLATES = [
    'from_start', 'own', 'before', 'next', 'next_vowel', 'tail', 'tail1', 'tail2', 'head', 'head1', 'word_end', 'from_end',
    'foreign', 'next_width', 'own next', 'own tail', 'own head', 'own before', 'own next_vowel', 'own next_first', 'own head1',
    'own tail1', 'own tail2', 'own from_end', 'own from_start', 'own foreign', 'before next_vowel', 'before next', 'before tail1',
    'before tail2', 'before before2', 'before from_end', 'head1 tail1', 'head1 next', 'head next_vowel', 'head next', 'head tail1',
    'from_start next_vowel', 'from_start from_end', 'foreign from_end', 'foreign before', 'from_start next_vowel next',
    'next_vowel next2_vowel', 'before own next', 'before own next_vowel', 'before from_end next_vowel', 'head1 own tail1',
    'from_start from_end before', 'own next next_vowel', 'before own tail2', 'head own tail',
]
SILENT = '-'
ANSWERS = {'inherent': (SILENT, 'a'), 'heard': ('ɔ', 'o'), 'e': ('e', 'æ'), 'sa': ('ʃ', 's')}
# possible sounds of an open letter (one with several readings) in the lexicon
SOUNDS = ANSWERS | {'inherent': (SILENT, 'ɔ', 'o')}
# features that contain the vowel of a neighbouring akshara, with the distance of that akshara
NEIGHBOURS = {'before': -1, 'before2': -2, 'next_vowel': 1, 'next2_vowel': 2}
NASAL = '\u0303'
FOLDED = {'ɦ': 'h', 'j': 'e', 'ʋ': 'o', 'w': 'o', 'f': 'pʰ', 'ɽ': 'r', 'ɾ': 'r', 'ɹ': 'r', 'ɲ': 'n', 'ɳ': 'n', 'i': 'i'}


def fold(phone):
    """Maps phones that the alignment does not distinguish to one symbol."""
    phone = unicodedata.normalize('NFD', phone)
    phone = ''.join(c for c in phone if c not in '\u032a\u032f\u0361\u0303ː').replace('ʱ', 'ʰ')
    return FOLDED.get(phone, phone)


def read_words(lines):
    """Returns the names of the features, and the pieces of each word.

    A piece is ('=', folded phone, akshara of a vowel determined by a rule, or None, phone) or ('?', kind, akshara,
    values), followed by NASAL if it is nasal.
    """
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
            # a geminate is printed as a single long phone
            pieces.append(('=', fold(line[1:]), None, line[1:]))
        elif line[0] == '~':
            pieces[-1] = (*pieces[-1], NASAL)
        elif line[0] == '!':
            akshara, vowel = line[1:].split('\t')
            pieces.append(('=', vowel, int(akshara), vowel))
        elif line[0] == '?':
            kind, akshara, *values = line[1:].split('\t')
            pieces.append(('?', kind, int(akshara), values))
    return names, words


def align(pieces, phones):
    """Returns the sound of every open letter, or None if the lexicon disagrees with the rules by more than one phone.
    """
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
                    ruled = piece[2] is not None and phones[j] in SOUNDS['heard']
                    options.append((1, 1, 0 if piece[1] == phones[j] else 0.2 if ruled else 1.5, None))
                elif phones[j] in SOUNDS[piece[1]]:
                    options.append((1, 1, 0, phones[j]))
            if i < n:
                piece = pieces[i]
                silent = piece[:2] == ('?', 'inherent')
                price = 0.01 if silent or piece[1] == SILENT else 1
                options.append((1, 0, price, SILENT if silent else None))
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


def around(values, akshara, heard, neighbours):
    """Returns the feature values of a position, with the neighbouring vowels replaced by their actual sounds."""
    values = list(values)
    for feature, distance in neighbours:
        values[feature] = heard.get(akshara + distance, values[feature])
    return values


def places(names, words, lexicon):
    """Returns, for each classifier, the positions with a known sound: (word, values, sound)."""
    neighbours = [(names.index(name), distance) for name, distance in NEIGHBOURS.items()]
    found = defaultdict(list)
    for word, pieces in words.items():
        aligned = [align(pieces, phones) for phones in lexicon.get(word, [])]
        sounds = next((one for one in aligned if one), None)
        if not sounds:
            continue
        heard = {}
        for piece, sound in reversed(list(zip(pieces, sounds))):
            if piece[1] == SILENT:
                heard[piece[2]] = SILENT
            elif piece[:2] == ('?', 'inherent') and sound:
                akshara, values = piece[2:4]
                silent = sound == SILENT
                found['inherent'].append((word, around(values, akshara, heard, neighbours), SILENT if silent else 'a'))
                if silent:
                    heard[akshara] = SILENT
        for piece, sound in zip(pieces, sounds):
            if piece[0] == '=':
                if piece[2] is not None:
                    heard[piece[2]] = piece[1]
                continue
            kind, akshara, values = piece[1:4]
            if sound is None or sound == SILENT:
                continue
            values = around(values, akshara, heard, neighbours)
            if kind in ('inherent', 'heard'):
                kind = 'heard'
                heard[akshara] = sound
            found[kind].append((word, values, sound))
    return found


def keys(values, templates):
    """Returns the combinations of feature values of a position."""
    return [(number, *(values[feature] for feature in template)) for number, template in enumerate(templates)]


def fit(rows, answers, templates):
    """Returns weights by combination, a small integer per sound, from averaged perceptrons with a margin."""
    seen = Counter(key for values, _ in rows for key in keys(values, templates))
    rows = [([key for key in keys(values, templates) if seen[key] >= LEAST], answers.index(sound)) for values, sound in rows]
    count = len(answers)
    mean = defaultdict(lambda: [0.0] * count)
    for seed in range(ORDERS):
        for key, vector in perceptron(rows, count, seed).items():
            for i, weight in enumerate(vector):
                mean[key][i] += weight / ORDERS
    return {
        key: [max(-127, min(127, round(8 * weight))) for weight in vector]
        for key, vector in mean.items()
        if max(vector) - min(vector) >= FLAT
    }


def perceptron(rows, count, seed):
    """Returns the mean of the weights over all steps of a perceptron that visits the rows in the order of a seed."""
    rows = list(rows)
    weights = defaultdict(lambda: [0.0] * count)
    totals = defaultdict(lambda: [0.0] * count)
    order = random.Random(seed)
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
    return {key: [w - t / time for w, t in zip(vector, totals[key])] for key, vector in weights.items()}


def decide(fitted, values, answers, templates):
    sums = [0] * len(answers)
    for key in keys(values, templates):
        for i, weight in enumerate(fitted.get(key, ())):
            sums[i] += weight
    return answers[max(range(len(answers)), key=lambda i: sums[i])]


def pronounce(models, names, pieces, templates):
    """Returns the phones of a word, with its open letters read by the models."""
    neighbours = [(names.index(name), distance) for name, distance in NEIGHBOURS.items()]
    heard, phones = {}, []

    def read(kind, akshara, values):
        return decide(models[kind], around(values, akshara, heard, neighbours), ANSWERS[kind], templates)

    for piece in reversed(pieces):
        if piece[1] == SILENT:
            heard[piece[2]] = SILENT
        elif piece[:2] == ('?', 'inherent') and read(*piece[1:4]) == SILENT:
            heard[piece[2]] = SILENT
    for piece in pieces:
        nasal = NASAL if piece[-1] == NASAL else ''
        if piece[0] == '=':
            if piece[2] is not None:
                heard[piece[2]] = piece[1]
            if piece[1] != SILENT:
                phones.append(piece[3] + nasal)
            continue
        kind, akshara, values = piece[1:4]
        if kind in ('inherent', 'heard'):
            if heard.get(akshara) != SILENT:
                heard[akshara] = read('heard', akshara, values)
                phones.append(heard[akshara] + nasal)
        else:
            phones.append(read(kind, akshara, values) + nasal)
    return ' '.join(phones)


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
    parser.add_argument('--without', metavar='LIST')
    arguments = parser.parse_args()
    lexicon = defaultdict(list)
    for line in open(arguments.lexicon, encoding='utf-8'):
        word, ipa = line.rstrip('\n').split('\t')[:2]
        lexicon[word].append([fold(phone) for phone in ipa.split()])
    names, words = read_words(iter(sys.stdin))
    templates = [[names.index(name) for name in template.split()] for template in TEMPLATES]

    def models(left_out):
        found = places(names, {word: pieces for word, pieces in words.items() if word not in left_out}, lexicon)
        return {kind: fit([(v, s) for _, v, s in found[kind]], ANSWERS[kind], templates) for kind in ANSWERS}

    if arguments.without:
        lines = open(arguments.without, encoding='utf-8')
        groups = [{word for word in (line.split('\t')[0] for line in lines) if word in words}]
    else:
        groups = [{word for word in words if hash_of(word) % arguments.folds == n} for n in range(arguments.folds)]
    for group in groups:
        fitted = models(group)
        for word in sorted(group):
            print(f'{word}\t{pronounce(fitted, names, words[word], templates)}')
    if groups:
        return
    print('# Bengali letters whose sound is ambiguous in the spelling; generated by train/g2p/fit_bengali.py from the Bengali')
    print('# lexicon of google/language-resources (Copyright Google, CC BY 4.0).')
    for kind, fitted in models(set()).items():
        write(kind, fitted, templates)


def hash_of(word):
    value = 7
    for c in word:
        value = (value * 31 + ord(c)) % 1000003
    return value


if __name__ == '__main__':
    main()
