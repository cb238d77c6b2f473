#!/usr/bin/env python3
"""Scores Malayalam with the recogniser trained on human speech (hear_ml.py), as a smooth cost for fit.

usage: people.py TOOLS rivals|phones
   TOOLS   contains hear_ml.py, which supplies the network and the features
   stdin, stdout: see messages.py; the text of a recording is its phones. With `rivals`, the cost is the loss of
           connectionist temporal classification for the phones plus the deviation of the band levels (bands.py); with
           `phones`, it is the edit distance to the recognised phones
needs: pip install numpy scipy soundfile
"""
import os
import sys

# One thread, because fit runs several instances of this script.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import bands
import numpy as np
from messages import answer_all, wav

NOTHING = -1e9
# Maximum cost of an unrecognisable line, in nats per phone.
LOST = 6.0


class Network:
    """The convolutions of hear_ml.py, each computed as one matrix product."""

    def __init__(self, tools):
        sys.path.insert(0, tools)
        import hear_ml

        self.hear_ml = hear_ml
        self.codes = {symbol: number + 1 for number, symbol in enumerate(hear_ml.SYMBOLS)}
        names = ["in", *map(str, range(int(hear_ml.MODEL["blocks"]))), "out"]
        self.layers = {name: self._layer(hear_ml.MODEL, name) for name in names}
        self.blocks = names[1:-1]

    @staticmethod
    def _layer(model, name):
        weight = model[f"{name}.w"].astype(np.float32)
        return np.ascontiguousarray(weight.transpose(2, 1, 0)).reshape(-1, len(weight)), model[f"{name}.b"], weight.shape[2]

    def _convolve(self, x, name, stride=1, dilation=1):
        weight, bias, taps = self.layers[name]
        pad = taps // 2 * dilation
        x = np.pad(x, ((pad, pad), (0, 0)))
        count = (len(x) - dilation * (taps - 1) - 1) // stride + 1
        windows = [x[k * dilation:k * dilation + stride * (count - 1) + 1:stride] for k in range(taps)]
        return np.concatenate(windows, axis=1) @ weight + bias

    def log_probabilities(self, sound):
        """Returns log probabilities (20 ms frames, blank and symbols) of 24 kHz samples."""
        x = self.hear_ml.features(wav(sound))
        x = np.maximum(self._convolve(x, "in", stride=2), 0)
        for i, name in enumerate(self.blocks):
            x = x + np.maximum(self._convolve(x, name, dilation=1 + i % 2), 0)
        x = self._convolve(x, "out")
        x = x - x.max(1, keepdims=True)
        return x - np.log(np.exp(x).sum(1, keepdims=True))


def loss(logs, codes):
    """Returns the loss of a phone sequence: the negative log of the summed probability of all its alignments."""
    path = np.zeros(2 * len(codes) + 1, int)
    path[1::2] = codes
    # a blank may be omitted between two different phones
    skips = np.zeros(len(path), bool)
    skips[3::2] = path[3::2] != path[1:-2:2]
    fits = logs[:, path]
    forward = np.full(len(path), NOTHING)
    forward[:2] = fits[0, :2]
    for frame in fits[1:]:
        one, two = np.roll(forward, 1), np.roll(forward, 2)
        one[0] = NOTHING
        two[~skips] = NOTHING
        forward = np.logaddexp(np.logaddexp(forward, one), two) + frame
    return -float(np.logaddexp(forward[-1], forward[-2]))


def main(tools, mode):
    network = Network(tools)

    def hear(text, sound, _condition):
        said = text.split()
        logs = network.log_probabilities(sound)
        if mode == "rivals":
            codes = [network.codes[phone] for phone in said if phone in network.codes]
            mean = loss(logs, codes) / len(codes)
            cost = LOST * (1 - np.exp(-mean / LOST)) + bands.COST * bands.distance(sound)
            return cost * len(codes), len(codes)
        best = logs.argmax(1)
        heard = [network.hear_ml.SYMBOLS[k - 1] for k, before in zip(best, np.append(0, best[:-1])) if k and k != before]
        return network.hear_ml.align(said, heard)[0], len(said)

    answer_all(hear)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[2] not in ("rivals", "phones"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
