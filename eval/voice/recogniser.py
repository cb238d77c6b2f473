#!/usr/bin/env python3
"""How well an American recogniser hears English sentences, made smooth enough for fit to follow.

usage: recogniser.py TOOLS SENTENCES.txt rivals|phones
   TOOLS   holds wer.py, whose recogniser and whose way of preparing sound are used
   stdin   for each sound: number of its sentence, count of samples (u32, little-endian), the samples (i16, 24 kHz)
   stdout  for each sound two numbers (f64): with rivals, what its phones cost (acoustic_model.py) and how many there are;
           with phones, the errors of free phone decoding and the phones of the sentence
needs: pip install pocketsphinx numpy scipy

It may not talk the voices out of their accent: ð and θ are looked for as the stops that they are in India.
"""
import io
import os
import struct
import sys
import tempfile
from pathlib import Path

# One thread: fit runs several of these.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from acoustic_model import LOST, STOPS, AcousticModel
from scipy.io import wavfile

# Bytes of a sound that are enough to forget the sound before.
PRIMER = 19_200


class Aligner:
    """Finds the phones of a text in its sound; they are where they were as long as the sound has its length."""

    def __init__(self, wer):
        from pocketsphinx import Config, Decoder

        self.model = AcousticModel(wer.MODEL / "en-us")
        self.folder = tempfile.TemporaryDirectory()
        common = dict(hmm=str(wer.MODEL / "en-us"), dict=self._dictionary(wer), loglevel="FATAL", cmn="batch", lm=None)
        self.decoder = Decoder(Config(**common, bestpath=False, beam=1e-60, wbeam=1e-40, pbeam=1e-60))
        # looks for one word and soon gives up, which is little work, but leaves the cepstra of all it hears in a file
        grammar = Path(self.folder.name) / "one.jsgf"
        grammar.write_text("#JSGF V1.0; grammar one; public <s> = the;")
        self.logger = Decoder(Config(**common, jsgf=str(grammar), beam=0.5, wbeam=0.5, pbeam=0.5, ds=4, topn=1,
                                     mfclogdir=self.folder.name))
        self.found = {}

    def _dictionary(self, wer):
        """The recogniser's, with stops for ð and θ."""
        path = Path(self.folder.name) / "english.dict"
        with path.open("w") as out:
            for line in open(wer.DICTIONARY):
                word, *phones = line.split()
                out.write(" ".join([word, *(STOPS.get(p, p) for p in phones)]) + "\n")
        return str(path)

    def _cepstra(self, audio):
        # what the recogniser takes for noise is left from the sound before: always the end of this one
        listen(self.logger, audio[-PRIMER:])
        listen(self.logger, audio)
        logged = sorted(Path(self.folder.name).glob("*.mfc"))
        raw = logged[-1].read_bytes()
        for path in logged:
            path.unlink()
        order = "<" if 4 * int.from_bytes(raw[:4], "little") + 4 == len(raw) else ">"
        return np.frombuffer(raw[4:], order + "f4").reshape(-1, 13)

    def _phones(self, words, audio):
        """[(phone, first frame, frame after the last)], pauses left out."""
        self.decoder.set_align_text(" ".join(words))
        listen(self.decoder, audio)
        self.decoder.set_alignment()
        listen(self.decoder, audio)
        phones = [phone for word in self.decoder.get_alignment() for phone in word]
        return [(p.name, p.start, p.start + p.duration) for p in phones if p.name != "SIL"]

    def cost(self, words, audio, count):
        """What the phones of a sentence cost, and how many there are: `count` if nothing of it was found."""
        try:
            key = (tuple(words), len(audio))
            if key not in self.found:
                self.found[key] = self._phones(words, audio)
        except RuntimeError:
            return LOST * count, count
        likelihoods = self.model.log_likelihoods(self._cepstra(audio))
        phones = self.found[key]
        return sum(self.model.cost(likelihoods[start:end], name) for name, start, end in phones), len(phones)


def listen(decoder, audio):
    decoder.start_utt()
    decoder.process_raw(audio, full_utt=True)
    decoder.end_utt()


def main(tools, listing, mode):
    sys.path.insert(0, tools)
    import wer

    sentences = [wer.words(line) for line in open(listing) if line.strip()]
    spoken = wer.pronunciations()
    phones = [[p for word in sentence for p in spoken[word]] for sentence in sentences]
    aligner = Aligner(wer) if mode == "rivals" else None
    decoder = wer.decoder("phones", sentences) if mode == "phones" else None
    while head := sys.stdin.buffer.read(8):
        number, count = struct.unpack("<II", head)
        file = io.BytesIO()
        wavfile.write(file, 24_000, np.frombuffer(sys.stdin.buffer.read(2 * count), "<i2"))
        file.seek(0)
        audio = wer.pcm(file)
        if aligner:
            answer = aligner.cost(sentences[number], audio, len(phones[number]))
        else:
            answer = wer.edits(phones[number], wer.recognise(decoder, audio, "phones")), len(phones[number])
        sys.stdout.buffer.write(struct.pack("<dd", *answer))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[3] not in ("rivals", "phones"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
