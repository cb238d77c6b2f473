#!/usr/bin/env python3
"""Records words of Festival's diphone voices as features of listen.py: the data for fitting and testing the voices.

Draws words from word lists (`word<TAB>…` per line), excludes those of listen.py's own lists, and synthesises them with
the diphone voices of Debian. Only features and times of the audio are kept: no recording becomes part of the project.

usage: record.py TOOLS LISTS LISTEN OUT [COUNT]
   TOOLS   contains listen.py       LISTS  contains hi.tsv te.tsv mr.tsv (words to draw from)
   LISTEN  contains <lang>.txt: excluded words
   OUT     receives <lang>.txt (the words), <lang>.npz (the format of listen.py, for judging),
           <lang>.bin (the same data for fit), <lang>.seg (Festival's phones with their end times, in s)
           and wav/<lang>/NNN.wav; and babble.bin, the babble of phone.py for fit (16 bits, 16 kHz)
   COUNT   words per language, 600 by default: even ones for fitting, odd ones for judging
needs: festival festvox-hi-nsk festvox-te-nsk festvox-mr-nsk festvox-kallpc16k; pip install numpy scipy numba soundfile
"""
import random
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np

# Minimum length, in 10 ms frames, of the silence after the stray noise at the start of a broken recording.
GAP = 12
VOICES = {"hi": "hindi", "te": "telugu", "mr": "marathi"}


def draw(lists, listen, language, count):
    taken = set((listen / f"{language}.txt").read_text(encoding="utf-8").split("\n"))
    words = {line.split("\t")[0] for line in open(lists / f"{language}.tsv", encoding="utf-8")}
    words = sorted(w for w in words - taken if 3 <= len(w) <= 12 and all("\u0900" <= c <= "\u0c7f" for c in w))
    random.Random(1).shuffle(words)
    return words[:count]


def speak(language, numbered, folder):
    """Returns the phones of each word with their end times, by number; skips words at which Festival crashes."""
    program = [f"(voice_{VOICES[language]}_NSK_diphone)"]
    for number, word in numbered:
        program.append(
            f'(set! u (utt.synth (Utterance Text "{word}"))) (utt.save.wave u "{folder}/{number:03d}.wav" \'riff)'
            '(format t "@") (mapcar (lambda (s) (format t " %s:%f" (item.name s) (item.feat s "end")))'
            " (utt.relation.items u 'Segment)) (format t \"\\n\")")
    run = subprocess.run(["festival", "--pipe"], input="\n".join(program).encode(), capture_output=True)
    lines = [line[1:].strip() for line in run.stdout.decode().split("\n") if line.startswith("@")]
    if run.returncode == 0 and len(lines) == len(numbered):
        return {number: line for (number, _), line in zip(numbered, lines)}
    if len(numbered) == 1:
        return {}
    half = len(numbered) // 2
    return speak(language, numbered[:half], folder) | speak(language, numbered[half:], folder)


def is_broken(sound, hop):
    """Returns whether a stray noise precedes a word, as in every Telugu word that begins with ని or నె.

    A recogniser would learn the noise instead of the word.
    """
    powers = np.array([np.mean(sound[i:i + hop] ** 2) for i in range(0, len(sound) - hop, hop)])
    quiet = powers[:4 * GAP] < 4e-3 * powers.max()
    gaps = [i for i in range(len(quiet) - GAP) if quiet[i:i + GAP].all()]
    return bool(gaps) and powers[:gaps[0]].max(initial=0) < 0.1 * powers.max()


def main(tools, lists, listen_lists, out, count="600"):
    sys.path.insert(0, tools)
    import listen
    import phone

    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "babble.bin").write_bytes(np.rint(32767 * phone.BABBLE).astype("<i2").tobytes())
    for language in VOICES:
        drawn = draw(Path(lists), Path(listen_lists), language, int(count))
        folder = out / "wav" / language
        folder.mkdir(parents=True, exist_ok=True)
        spoken = speak(language, list(enumerate(drawn)), folder)
        words, segments, features = [], [], {}
        for number in sorted(spoken):
            recorded, place = folder / f"{number:03d}.wav", len(words)
            sound = listen.load(recorded)
            if is_broken(sound, listen.HOP):
                continue
            words.append(drawn[number])
            segments.append(spoken[number])
            recorded.rename(folder / f"{place:03d}.wav")
            features[f"{place:03d}"] = listen.features(sound)
        (out / f"{language}.txt").write_text("\n".join(words), encoding="utf-8")
        (out / f"{language}.seg").write_text("\n".join(segments) + "\n", encoding="utf-8")
        np.savez(out / f"{language}.npz", **{name: f.astype(np.float16) for name, f in features.items()})
        with open(out / f"{language}.bin", "wb") as file:
            for f in features.values():
                file.write(struct.pack("<I", len(f)) + f.astype("<f4").tobytes())
        print(f"{language}: {len(words)} words, {len(spoken) - len(words)} broken recordings skipped")


if __name__ == "__main__":
    if not 5 <= len(sys.argv) <= 6:
        sys.exit(__doc__)
    main(*sys.argv[1:])
