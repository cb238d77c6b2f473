#!/usr/bin/env python3
"""Scores English sentences with an American English recogniser, as a smooth cost for fit.

usage: recogniser.py TOOLS rivals|phones
   TOOLS   contains wer.py, which supplies the recogniser, and phone.py, which supplies the telephone and babble
   stdin, stdout: see messages.py. With `rivals`, the cost is that of the phones of the sentence (acoustic_model.py)
           plus the deviation of its band levels (bands.py); with `phones`, it is the errors of free phone decoding
needs: pip install pocketsphinx numpy scipy soundfile

The recogniser expects ð and θ as the stops that Indian English has, so that fitting does not remove the accent.
"""
import os
import sys
import tempfile
from pathlib import Path

# One thread, because fit runs several instances of this script.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import bands
from acoustic_model import LOST, STOPS, AcousticModel
from messages import answer_all, wav

# Number of bytes of audio after which the recogniser's state no longer depends on earlier audio.
PRIMER = 19_200


class Aligner:
    """Aligns the phones of a text with its audio; an alignment is reused for audio of the same text and length."""

    def __init__(self, wer):
        from pocketsphinx import Config, Decoder

        self.model = AcousticModel(wer.MODEL / "en-us")
        self.folder = tempfile.TemporaryDirectory()
        common = dict(hmm=str(wer.MODEL / "en-us"), dict=self._dictionary(wer), loglevel="FATAL", cmn="batch", lm=None)
        self.decoder = Decoder(Config(**common, bestpath=False, beam=1e-60, wbeam=1e-40, pbeam=1e-60))
        # this decoder serves to write the cepstra of all its input to a file; it searches for one word and soon gives
        # up, so it is cheap
        grammar = Path(self.folder.name) / "one.jsgf"
        grammar.write_text("#JSGF V1.0; grammar one; public <s> = the;")
        self.logger = Decoder(Config(**common, jsgf=str(grammar), beam=0.5, wbeam=0.5, pbeam=0.5, ds=4, topn=1,
                                     mfclogdir=self.folder.name))
        self.found = {}

    def _dictionary(self, wer):
        """Writes the dictionary of the recogniser with stops for ð and θ; returns its path."""
        path = Path(self.folder.name) / "english.dict"
        with path.open("w") as out:
            for line in open(wer.DICTIONARY):
                word, *phones = line.split()
                out.write(" ".join([word, *(STOPS.get(p, p) for p in phones)]) + "\n")
        return str(path)

    def _cepstra(self, audio):
        # the recogniser's noise estimate depends on earlier audio, so always pass the end of this audio to it first
        listen(self.logger, audio[-PRIMER:])
        listen(self.logger, audio)
        logged = sorted(Path(self.folder.name).glob("*.mfc"))
        raw = logged[-1].read_bytes()
        for path in logged:
            path.unlink()
        order = "<" if 4 * int.from_bytes(raw[:4], "little") + 4 == len(raw) else ">"
        return np.frombuffer(raw[4:], order + "f4").reshape(-1, 13)

    def _phones(self, words, audio):
        """Returns [(phone, first frame, frame after the last)] without pauses."""
        self.decoder.set_align_text(" ".join(words))
        listen(self.decoder, audio)
        self.decoder.set_alignment()
        listen(self.decoder, audio)
        phones = [phone for word in self.decoder.get_alignment() for phone in word]
        return [(p.name, p.start, p.start + p.duration) for p in phones if p.name != "SIL"]

    def cost(self, words, clean, audio, count):
        """Returns the total cost of the phones and their number: `count` if the clean audio cannot be aligned."""
        try:
            key = (tuple(words), len(audio))
            if key not in self.found:
                self.found[key] = self._phones(words, clean)
        except RuntimeError:
            return LOST * count, count
        likelihoods = self.model.log_likelihoods(self._cepstra(audio))
        phones = self.found[key]
        return sum(self.model.cost(likelihoods[start:end], name) for name, start, end in phones), len(phones)


def listen(decoder, audio):
    decoder.start_utt()
    decoder.process_raw(audio, full_utt=True)
    decoder.end_utt()


def main(tools, mode):
    sys.path.insert(0, tools)
    import phone
    import wer

    spoken = wer.pronunciations()
    aligner = Aligner(wer) if mode == "rivals" else None
    decoder = wer.decoder("phones", []) if mode == "phones" else None

    def hear(text, sound, condition):
        words = wer.words(text)
        phones = [p for word in words for p in spoken[word]]
        x = phone.load(wav(sound))
        # the random noise depends only on the length of the text, so that it is the same for all recordings of a
        # sentence
        random = np.random.default_rng(len(text))
        audio = phone.pcm(phone.through(x, condition, random), random)
        if mode == "phones":
            return wer.edits(phones, wer.recognise(decoder, audio, "phones")), len(phones)
        clean = audio if condition == "clean" else phone.pcm(x, random)
        cost, count = aligner.cost(words, clean, audio, len(phones))
        return cost + count * bands.COST * bands.distance(sound), count

    answer_all(hear)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in ("rivals", "phones"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
