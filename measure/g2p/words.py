#!/usr/bin/env python3
"""Scores the phones of single words that the front end returns, against reference lists. Standard library only.

usage: words.py BIN WORDS_DIR [-l CODE ...] [-v]

BIN is the `shruti` binary. WORDS_DIR contains `<code>.tsv` lists: `class<TAB>word<TAB>phones`. The phones are from the
inventory of docs/languages.md and separated by spaces; alternative pronunciations are separated by ` | `. Prints the
share of correct words, in percent, of each language and of each of its classes; `-v` prints the wrong words, with the
expected and the actual phones.
"""
import argparse
import collections
import json
import pathlib
import sys
import unicodedata

import score


def spoken(binary, language, words):
    """Returns the phones of each word as the front end passes them to the voices."""
    command = [binary, 'phones', '-l', language, '--explain', '--json']
    phones = {}
    for line in score.run(command, words).splitlines():
        said = json.loads(line)
        parts = [word['phones'] for token in said['tokens'] for word in token.get('words', [])]
        phones[said['text']] = ' '.join(parts)
    return phones


def read(path):
    """Yields the class, the word and the correct pronunciations of each row."""
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
        if not line.strip() or line.startswith('#'):
            continue
        columns = line.split('\t')
        if len(columns) != 3:
            sys.exit(f'{path}:{number}: not three columns in {line!r}')
        yield columns[0], columns[1], [normal(phones) for phones in columns[2].split(' | ')]


def normal(phones):
    """Returns phones in a normal form: combining marks separate from their letters, single spaces."""
    return ' '.join(unicodedata.normalize('NFD', phones).split())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('binary')
    parser.add_argument('lists', type=pathlib.Path)
    parser.add_argument('-l', '--language', action='append', default=[])
    parser.add_argument('-v', '--verbose', action='store_true')
    arguments = parser.parse_args()
    for path in sorted(arguments.lists.glob('*.tsv')):
        language = path.stem
        if arguments.language and language not in arguments.language:
            continue
        rows = list(read(path))
        said = spoken(arguments.binary, language, [word for _, word, _ in rows])
        classes = collections.defaultdict(lambda: [0, 0])
        wrong = []
        for kind, word, right in rows:
            have = normal(said.get(word, ''))
            classes[kind][0] += have in right
            classes[kind][1] += 1
            if have not in right:
                wrong.append((kind, word, ' | '.join(right), have))
        hits, total = (sum(column) for column in zip(*classes.values()))
        print(f'{language:3}{100 * hits / total:6.1f}  {hits}/{total}')
        for kind, (hits, total) in sorted(classes.items()):
            print(f'      {100 * hits / total:6.1f}  {hits}/{total}  {kind}')
        if arguments.verbose:
            for kind, word, right, have in wrong:
                print(f'    {kind}  {word}\n        want {right}\n        have {have}')


if __name__ == '__main__':
    main()
