#!/usr/bin/env python3
"""Creates a page for a blind listening test: it plays voices in pairs and collects which one the listener prefers.

usage: make.py OUT A B [C ...] [--texts texts.tsv] [--languages hi,ta] [--seed 1] [--question TEXT] [--keep-levels]
   A, B …  the voices, as NAME=COMMAND: the command is run for each text, without a shell, with {text},
           {language} and {wav} filled in: 'new=target/release/shruti say -l {language} --voice Arjun -o {wav} -- {text}',
           'espeak-ng=espeak-ng -v {language} -w {wav} -- {text}'
   OUT     receives index.html, listen.js, listen.css, pairs.js and sound/: a folder that can be opened from a file or
           from any server. The key to the voices is written to OUT.key.json, next to the folder; do not serve it.
Each line of the texts has a language code, a tab and a text. Every two voices form a pair on each text. The seed
determines the sides of the voices and the order of the pairs. All recordings are adjusted to the same loudness
(BS.1770), unless --keep-levels is set. A voice that cannot speak a text is skipped for that text and reported on
standard error. needs: pip install numpy scipy praat-parselmouth (as for loudness.py)
"""
import argparse
import itertools
import json
import random
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
from scipy.io import wavfile

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from loudness import loudness  # noqa: E402

PAGE = ("index.html", "listen.js", "listen.css")
LEVEL = -23.0  # LUFS: low enough to avoid clipping
LANGUAGES = {"hi": "Hindi", "bn": "Bengali", "ta": "Tamil", "te": "Telugu", "gu": "Gujarati", "kn": "Kannada",
             "ml": "Malayalam", "mr": "Marathi", "pa": "Punjabi", "or": "Odia", "en": "English"}


def side(given):
    name, _, command = given.partition("=")
    if not name or not command:
        raise argparse.ArgumentTypeError(f"{given!r} is not NAME=COMMAND")
    if "{wav}" not in command or "{text}" not in command:
        raise argparse.ArgumentTypeError(f"the command of {name} lacks {{text}} or {{wav}}")
    return name, shlex.split(command)


def texts(path, wanted):
    """Reads (language, text) from each line."""
    found = []
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        language, tab, text = line.partition("\t")
        if not tab or language not in LANGUAGES or not text.strip():
            sys.exit(f"{path}:{number}: expected a language code ({' '.join(LANGUAGES)}), a tab and a text")
        if not wanted or language in wanted:
            found.append((language, text.strip()))
    return found


def speak(command, language, text, wav):
    """Runs the command of a voice; returns the reason of a failure, or None."""
    given = {"language": language, "wav": str(wav), "text": text}
    filled = [re.sub(r"\{(language|wav|text)\}", lambda name: given[name[1]], part) for part in command]
    try:
        done = subprocess.run(filled, capture_output=True, text=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode or not wav.exists() or wav.stat().st_size <= 44:
        return (done.stderr.strip() or f"no sound, status {done.returncode}").splitlines()[-1]
    return None


def level(wav):
    rate, x = wavfile.read(wav)
    x = x.astype(float) / 32768
    x = x * 10 ** ((LEVEL - loudness(rate, x)) / 20)
    wavfile.write(wav, rate, np.rint(np.clip(x, -1, 1) * 32767).astype(np.int16))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("voices", type=side, nargs="+")
    parser.add_argument("--texts", default=HERE / "texts.tsv")
    parser.add_argument("--languages", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--question", default="Which one would you rather listen to?")
    parser.add_argument("--keep-levels", action="store_true")
    given = parser.parse_args()
    wanted = set(filter(None, given.languages.split(",")))
    if unknown := wanted - set(LANGUAGES):
        sys.exit(f"--languages: {', '.join(sorted(unknown))} unknown; expected {' '.join(LANGUAGES)}")
    names = [name for name, _ in given.voices]
    if len(names) < 2 or len(set(names)) < len(names):
        sys.exit("at least two voices with different names are needed")
    if given.out.exists() and any(given.out.iterdir()):
        sys.exit(f"{given.out} is not empty")
    sound = given.out / "sound"
    sound.mkdir(parents=True)

    lot = random.Random(given.seed)
    pairs, key = [], {}
    for number, (language, text) in enumerate(texts(given.texts, wanted)):
        # the number in the file name does not reveal the voice
        spoken = []
        for place, (name, command) in enumerate(lot.sample(given.voices, len(given.voices))):
            wav = sound / f"{number:03d}-{place}.wav"
            if why := speak(command, language, text, wav):
                print(f"left out: {name}, {language} {text}: {why}", file=sys.stderr)
                wav.unlink(missing_ok=True)
                continue
            if not given.keep_levels:
                level(wav)
            spoken.append((name, wav))
        for couple in itertools.combinations(spoken, 2):
            sides = lot.sample(couple, 2)
            pair = f"{len(pairs):04d}"
            pairs.append({"id": pair, "language": language, "languageName": LANGUAGES[language], "text": text,
                          "sounds": [f"sound/{wav.name}" for _, wav in sides]})
            key[pair] = {"language": language, "text": text, "sides": [name for name, _ in sides]}
    if not pairs:
        sys.exit("no text can be spoken by two voices")
    lot.shuffle(pairs)
    test = f"{given.seed}-{lot.getrandbits(32):08x}"
    told = json.dumps({"test": test, "question": given.question, "pairs": pairs}, ensure_ascii=False, indent=1)
    (given.out / "pairs.js").write_text(f"window.listening = {told};\n", encoding="utf-8")
    whole = {"test": test, "names": names, "pairs": key}
    key_path = given.out.with_name(given.out.name + ".key.json")
    key_path.write_text(json.dumps(whole, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    for name in PAGE:
        shutil.copy(HERE / "page" / name, given.out / name)
    print(f"{len(pairs)} pairs in {given.out}/index.html; key to the voices: {key_path}")


if __name__ == "__main__":
    main()
