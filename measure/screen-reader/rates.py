#!/usr/bin/env python3
"""Measures the intelligibility of English at screen reader rates with the recogniser pocketsphinx (US English).

usage: rates.py SENTENCES.txt RATE=WAVDIR …    WAVDIR contains 000.wav, 001.wav …, one per line of SENTENCES.txt, spoken at RATE;
                                               `cargo run -p shruti-screenreader --example rates` writes them
requires: pip install pocketsphinx numpy scipy    (the wheel contains the model)

Prints word error rates in percent (lower is better). The grammar of the recogniser contains only these sentences.
  plain    default settings. The acoustic models require at least 30 ms per phone; at 3x and faster, phones are shorter.
  scaled   RATE times as many frames per second, and shorter windows (at least 12.5 ms). This measures whether the audio
           still distinguishes the words, not whether a person can understand it.
"""
import re
import sys
import tempfile
from pathlib import Path

import numpy as np
from pocketsphinx import Config, Decoder, get_model_path
from scipy.io import wavfile
from scipy.signal import resample_poly

MODEL = Path(get_model_path("en-us"))
WINDOW = 0.025625
SHORTEST_WINDOW = 0.0125


def words(text):
    return re.sub(r"[^a-z' ]", " ", text.lower()).split()


def sound(path):
    """Returns a file as 16 kHz mono bytes, with silence at both ends and dither: the recogniser fails on digital
    silence.
    """
    rate, samples = wavfile.read(path)
    samples = resample_poly(samples.astype(np.float64), 16000, rate)
    samples = np.pad(0.7 * 32767 * samples / max(1.0, np.abs(samples).max()), 3200)
    noise = np.random.default_rng(0)
    return np.rint(samples + noise.random(len(samples)) - noise.random(len(samples))).astype("<i2").tobytes()


def decoder(sentences, rate):
    grammar = " | ".join(" ".join(words(sentence)) for sentence in sentences)
    with tempfile.NamedTemporaryFile("w", suffix=".gram") as file:
        file.write(f"#JSGF V1.0;\ngrammar sentences;\npublic <sentence> = {grammar};\n")
        file.flush()
        return Decoder(Config(
            hmm=str(MODEL / "en-us"), dict=str(MODEL / "cmudict-en-us.dict"), jsgf=file.name, loglevel="FATAL", cmn="batch",
            frate=round(100 * rate), wlen=max(WINDOW / rate, SHORTEST_WINDOW), beam=1e-80, wbeam=1e-60, pbeam=1e-80))


def edits(expected, heard):
    row = list(range(len(heard) + 1))
    for i, one in enumerate(expected, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1]


def error_rate(sentences, sounds, rate):
    recognizer = decoder(sentences, rate)
    wrong = 0
    for sentence, samples in zip(sentences, sounds):
        recognizer.start_utt()
        recognizer.process_raw(samples, full_utt=True)
        recognizer.end_utt()
        heard = recognizer.hyp()
        wrong += edits(words(sentence), words(heard.hypstr) if heard else [])
    return 100 * wrong / sum(len(words(sentence)) for sentence in sentences)


def main(sentences, folders):
    sentences = [line.strip() for line in Path(sentences).read_text().splitlines() if line.strip()]
    for folder in folders:
        rate, folder = folder.split("=", 1)
        paths = [Path(folder) / f"{number:03}.wav" for number in range(len(sentences))]
        sounds = [sound(path) for path in paths]
        seconds = sum(len(samples) / 32000 - 0.4 for samples in sounds)
        minutes = sum(len(words(sentence)) for sentence in sentences) * 60 / seconds
        print(f"{rate}x: {minutes:.0f} words per minute, plain {error_rate(sentences, sounds, 1.0):.1f} %, "
              f"scaled {error_rate(sentences, sounds, float(rate)):.1f} %", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
