#!/usr/bin/env python3
"""Evaluates the student: speaks sentences and prints the scores of independent recognisers and quality models.

usage: judge.py PROGRAM UTTERANCES WEIGHTS SENTENCES_FOLDER LISTENERS_FOLDER OUTPUT_FOLDER [--languages hi,ta] [--count
N] [--speakers 0,1]

PROGRAM and UTTERANCES are the examples `learned` of shruti-learned and `utterances` of shruti-text. SENTENCES_FOLDER
contains <code>.txt, with sentences outside the corpus. LISTENERS_FOLDER contains hear_people.py, hear_whisper.py and
mos.py; their requirements must be installed.
"""
import argparse
import subprocess
import sys
from pathlib import Path

from front_end import LANGUAGES, read_sentences

# Languages of the word recogniser.
WHISPER = ("hi", "ta", "en")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "utterances", "weights", "sentences", "listeners", "output"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--speakers", default="0")
    arguments = parser.parse_args()
    for language in arguments.languages.split(","):
        lines = (arguments.sentences / f"{language}.txt").read_text(encoding="utf-8").splitlines()[:arguments.count]
        sentences, phones = arguments.output / f"{language}.txt", arguments.output / f"{language}.phones"
        arguments.output.mkdir(parents=True, exist_ok=True)
        sentences.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        read = read_sentences(arguments.utterances, language, lines)
        phones.write_text("".join(" ".join(sentence.phones) + "\n" for sentence in read), encoding="utf-8")
        for speaker in arguments.speakers.split(","):
            folder = arguments.output / f"{language}-{speaker}"
            with sentences.open() as text:
                subprocess.run([arguments.program, arguments.weights, language, speaker, folder], stdin=text, check=True)
            listeners = [["mos.py", folder]]
            listeners += [["hear_people.py", phones, folder]] if language != "en" else []
            listeners += [["hear_whisper.py", language, sentences, folder]] if language in WHISPER else []
            for script, *inputs in listeners:
                subprocess.run([sys.executable, arguments.listeners / script, *inputs], check=True)


if __name__ == "__main__":
    main()
