#!/usr/bin/env python3
"""How well an American recogniser hears English sentences, made smooth enough for fit to follow.

usage: recogniser.py TOOLS SENTENCES.txt align|phones
   TOOLS   holds wer.py, whose recogniser and whose way of preparing sound are used
   stdin   for each sound: number of its sentence, count of samples (u32, little-endian), the samples (i16, 24 kHz)
   stdout  for each sound two numbers (f64): with align, what its phones cost and how many there are; with phones,
           the errors of free phone decoding and the phones of the sentence
needs: pip install pocketsphinx numpy scipy

A phone costs 1 - e^(s/30), s being its acoustic score a frame: 0 where the recogniser is sure of it, near 1 where it hears
another. It may not talk the voices out of their accent: ð and θ are looked for as the stops that they are in India.
"""
import io
import struct
import sys
import tempfile

import numpy as np
from scipy.io import wavfile

STOPS = {"DH": "D", "TH": "T"}
SHARPNESS = 30.0


def dictionary(wer):
    """The recogniser's, with stops for ð and θ."""
    out = tempfile.NamedTemporaryFile("w", suffix=".dict", delete=False)
    for line in open(wer.DICTIONARY):
        word, *phones = line.split()
        out.write(" ".join([word, *(STOPS.get(p, p) for p in phones)]) + "\n")
    out.close()
    return out.name


def aligner(wer):
    from pocketsphinx import Config, Decoder

    return Decoder(Config(hmm=str(wer.MODEL / "en-us"), dict=dictionary(wer), loglevel="FATAL", cmn="batch", lm=None,
                          bestpath=False, beam=1e-60, wbeam=1e-40, pbeam=1e-60))


def aligned(decoder, text, audio):
    """(phone, frames, score) of every phone."""
    def listen():
        decoder.start_utt()
        decoder.process_raw(audio, full_utt=True)
        decoder.end_utt()

    decoder.set_align_text(text)
    listen()
    decoder.set_alignment()
    listen()
    return [(p.name, p.duration, p.score) for word in decoder.get_alignment() for p in word]


def cost(decoder, words, audio, count):
    try:
        phones = [p for p in aligned(decoder, " ".join(words), audio) if p[0] != "SIL"]
        return sum(1 - np.exp(min(0.0, score / frames) / SHARPNESS) for _, frames, score in phones), len(phones)
    except RuntimeError:
        return count, count  # nothing of it was found


def main(tools, listing, mode):
    sys.path.insert(0, tools)
    import wer

    sentences = [wer.words(line) for line in open(listing) if line.strip()]
    spoken = wer.pronunciations()
    phones = [[p for word in sentence for p in spoken[word]] for sentence in sentences]
    decoder = aligner(wer) if mode == "align" else wer.decoder("phones", sentences)
    while head := sys.stdin.buffer.read(8):
        number, count = struct.unpack("<II", head)
        file = io.BytesIO()
        wavfile.write(file, 24_000, np.frombuffer(sys.stdin.buffer.read(2 * count), "<i2"))
        file.seek(0)
        audio = wer.pcm(file)
        if mode == "align":
            answer = cost(decoder, sentences[number], audio, len(phones[number]))
        else:
            answer = wer.edits(phones[number], wer.recognise(decoder, audio, "phones")), len(phones[number])
        sys.stdout.buffer.write(struct.pack("<dd", *answer))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[3] not in ("align", "phones"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
