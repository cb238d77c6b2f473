#!/usr/bin/env python3
"""Scores the pronunciation of every language: phone error rate and word accuracy, in percent. Standard library only.

usage: score.py SCORER.py LISTS_DIR [--phones COMMAND] [--errors LANG [N]]

SCORER.py is the scorer of pronunciation lists (`score(hyp, ref, lang)`, `read(path)`); LISTS_DIR has `<lang>.tsv` lists
(`word<TAB>IPA`, one line per correct pronunciation). COMMAND prints `word<TAB>IPA` for the words it reads and receives
`-l LANG`; default `shruti phones`. The table also has the figures of espeak-ng 1.51 and epitran 1.26 on the same lists,
and the goal.
"""
import argparse
import importlib.util
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEFAULT = f'cargo run --quiet --release --manifest-path {ROOT}/Cargo.toml -p shruti -- phones'
# for each list: its language, the results of espeak-ng and of epitran, and the goal. Results and goal are phone error
# rate/word accuracy in percent
LISTS = {
    'hi': ('hi', '3.7/82.5', '7.7/70.0', '2.6/88'),
    'mr': ('mr', '4.9/79.0', '7.9/70.4', '3.0/87'),
    'gu': ('gu', '7.8/66.7', '–', '4.0/80'),
    'pa': ('pa', '10.5/63.5', '8.2/74.4', '7.0/77'),
    'bn': ('bn', '11.4/52.9', '21.5/34.5', '5.0/78'),
    'bn_google': ('bn', '', '', ''),
    'or': ('or', '33.3/60.6', '8.5/64.7', '5.0/80'),
    'ta': ('ta', '2.9/83.2', '7.5/56.5', '1.5/92'),
    'te': ('te', '2.2/91.0', '2.2/87.6', '1.2/95'),
    'kn': ('kn', '0.4/98.1', '3.0/86.3', '0.4/98'),
    'ml': ('ml', '5.5/71.9', '8.8/51.9', '3.0/85'),
    'ml_mlphon': ('ml', '', '', ''),
    'en': ('en', '', '', ''),
}


def run(command, lines):
    """Returns the output lines of a command for input lines."""
    done = subprocess.run(command, input='\n'.join(lines), capture_output=True, text=True, check=True)
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('scorer')
    parser.add_argument('lists')
    parser.add_argument('--phones', default=DEFAULT)
    parser.add_argument('--errors', nargs='+', default=[], metavar=('LIST', 'N'))
    arguments = parser.parse_args()
    spec = importlib.util.spec_from_file_location('scorer', arguments.scorer)
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    print('list        words    PER  words right  espeak-ng    epitran     goal')
    for name, (language, espeak, epitran, goal) in LISTS.items():
        path = pathlib.Path(arguments.lists) / f'{name}.tsv'
        if not path.exists():
            continue
        reference = scorer.read(path)
        command = [*arguments.phones.split(), '-l', language]
        spoken = run(command, reference)
        with tempfile.NamedTemporaryFile('w', suffix='.tsv', encoding='utf-8') as out:
            out.write(spoken)
            out.flush()
            result = scorer.score(scorer.read(out.name), reference, language)
        print(f"{name:10}{result['N']:7}{result['PER']:7.2f}{result['WACC']:13.1f}  {espeak:>9}  {epitran:>9}{goal:>9}")
        if arguments.errors[:1] == [name]:
            most = int(arguments.errors[1]) if len(arguments.errors) > 1 else 40
            for (right, wrong), times in result['conf'].most_common(20):
                print(f'    {right} as {wrong}: {times}')
            for word, right, wrong in result['errs'][:most]:
                print(f'    {word}\t{right}\t{wrong}')


if __name__ == '__main__':
    main()
