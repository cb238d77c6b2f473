"""Phone models of the American English recogniser, read from its files to compare how well each phone fits the audio.

pocketsphinx (BSD licence) reports how well the audio fits the requested phones, but not how well other phones would
fit. Its model is a phonetically tied mixture: each phone has its own 128 Gaussians in each of three streams (cepstra
and their first and second differences), and each of the three states of a phone weights them differently. Only the
context-independent states are used here.
"""
import struct

import numpy as np

STREAMS, GAUSSIANS, CEPSTRA, STATES = 3, 128, 13, 3
# Phones that the recogniser replaces: ð and θ are stops in Indian English.
STOPS = {"DH": "D", "TH": "T"}
# Scale of the log likelihood. The frames are not independent, so the plain likelihood overstates the evidence.
SHARPNESS = 0.2
# Maximum cost of an unrecognisable phone, in nats.
LOST = 5.0


def _floats(path):
    """Reads the values of a parameter file in Sphinx 3 format."""
    raw = path.read_bytes()
    at = raw.index(b"endhdr\n") + 7
    phones, streams, gaussians = struct.unpack_from("<4i", raw, at)[1:]
    assert (streams, gaussians) == (STREAMS, GAUSSIANS), path
    at += 16 + 4 * streams + 4
    values = np.frombuffer(raw, "<f4", phones * streams * gaussians * CEPSTRA, at)
    return values.reshape(phones, streams, gaussians, CEPSTRA)


def _names(path, count):
    """Returns the phone names of a model in model order; fillers (`+…+`) come first."""
    raw = path.read_bytes()
    at = raw.index(b"AA\0")
    while raw[at - 2:at] == b"+\0":
        at = raw.rindex(b"+", 0, at - 2)
    return [name.decode() for name in raw[at:].split(b"\0", count)[:count]]


def _weights(path, phones):
    """Returns the Gaussian weights of the context-independent states, which are the first states of a model."""
    raw = path.read_bytes()
    at = 0
    while length := struct.unpack_from("<i", raw, at)[0]:  # the header: strings, each after its length
        at += 4 + length
    gaussians, states = struct.unpack_from("<2i", raw, at + 4)
    assert gaussians == GAUSSIANS, path
    quantised = np.frombuffer(raw, np.uint8, STREAMS * GAUSSIANS * states, at + 12).reshape(STREAMS, GAUSSIANS, states)
    logarithms = -1024 * np.log(1.0001) * quantised[:, :, :STATES * phones].astype(np.float32)
    return np.exp(logarithms).reshape(STREAMS, GAUSSIANS, phones, STATES).transpose(0, 2, 1, 3)


class AcousticModel:
    """Gaussian mixture models of phones, from the files means, variances, sendump and mdef in `folder`."""

    def __init__(self, folder):
        means, variances = _floats(folder / "means"), np.maximum(_floats(folder / "variances"), 1e-4)
        names = _names(folder / "mdef", len(means))
        weights = _weights(folder / "sendump", len(names))
        kept = [i for i, name in enumerate(names) if name != "SIL" and name not in STOPS and not name.startswith("+")]
        self.names = [names[i] for i in kept]
        # write -(x - mean)² / (2 variance) as a product with (x², x), plus a part that does not depend on x
        slopes = np.concatenate([-0.5 / variances, means / variances], axis=-1)[kept]
        fixed = -0.5 * ((means**2 / variances).sum(-1) + np.log(variances).sum(-1))[kept]
        self.slopes = [np.ascontiguousarray(slopes[:, s].reshape(-1, 2 * CEPSTRA).T) for s in range(STREAMS)]
        self.fixed = [fixed[:, s] for s in range(STREAMS)]
        self.weights = [np.ascontiguousarray(weights[s, kept]) for s in range(STREAMS)]

    def log_likelihoods(self, cepstra):
        """Returns log likelihoods (frames, phones, states) for the cepstra (frames, 13) of an utterance."""
        total = 0.0
        for x, slopes, fixed, weights in zip(streams(cepstra), self.slopes, self.fixed, self.weights):
            exponents = (np.concatenate([x * x, x], axis=1) @ slopes).reshape(len(x), *fixed.shape) + fixed
            highest = exponents.max(-1, keepdims=True)
            sums = np.matmul(np.exp(exponents - highest).transpose(1, 0, 2), weights).transpose(1, 0, 2)
            total = total + np.log(sums + 1e-30) + highest
        return total

    def cost(self, likelihoods, phone):
        """Returns the cost of confusing a phone with others in the given frames: 0 (best) to LOST (worst), in nats."""
        fits = SHARPNESS * passage(likelihoods)
        fits -= fits.max()
        lost = np.log(np.exp(fits).sum()) - fits[self.names.index(STOPS.get(phone, phone))]
        return LOST * (1 - np.exp(-lost / LOST))


def streams(cepstra):
    """Returns mean-normalised cepstra and their first and second differences, computed as the recogniser does."""
    x = (cepstra - cepstra.mean(0)).astype(np.float32)
    padded = np.pad(x, ((3, 3), (0, 0)), "edge")

    def after(frames):
        return padded[3 + frames:3 + frames + len(x)]

    return x, after(2) - after(-2), (after(3) - after(-1)) - (after(1) - after(-3))


def passage(likelihoods):
    """Returns, for every phone, the log likelihood of the best path through its states."""
    if len(likelihoods) < STATES:
        return likelihoods.max(2).sum(0)
    best = np.full(likelihoods.shape[1:], -np.inf)
    best[:, 0] = likelihoods[0, :, 0]
    for frame in likelihoods[1:]:
        best[:, 1:] = np.maximum(best[:, 1:], best[:, :-1])
        best += frame
    return best[:, -1]
