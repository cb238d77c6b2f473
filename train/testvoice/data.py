"""Training data from the output of `aligned_speech`, as arrays.

The synthesiser spoke every line twice, the second time without noise, so that the voiced part and the noise are known.
"""
from pathlib import Path

import numpy as np
from scipy.signal import resample_poly

from shape import BANDS, HARMONICS, HOP, MEL_STEP, RATE, mel

SOURCE_RATE, SOURCE_FRAME = 24000, 48
# special symbols, arranged as in Piper: one at the start, one at the end, a blank between every two symbols, and a
# space between words
BLANK, BEGIN, END, SPACE = "_", "^", "$", " "
# ln of the smallest amplitude that is not silence: half a 16-bit step
FLOOR = -10.5
# difference between the log of the mean of a periodogram and the mean of its log, if about three values are combined
NOISE_BIAS = 0.1
LEAD = 6 * HOP * SOURCE_RATE // RATE


def rows(table):
    """Yields (first sample, samples, [(symbol, samples)]) of each utterance."""
    for line in Path(table).read_text(encoding="utf-8").splitlines():
        start, count, phones = line.split("\t")
        phones = [("", "0") if p == "" or p == ":" else p.rsplit(":", 1) for p in phones.split(" ")]
        phones = [(SPACE if symbol == "" else symbol, int(samples)) for symbol, samples in phones]
        yield int(start), int(count), phones


def symbols(tables):
    """Returns the number of every symbol; the same tables always yield the same numbers."""
    phones = sorted({symbol for table in tables for _, _, row in rows(table) for symbol, _ in row} - {SPACE, "."})
    return {symbol: number for number, symbol in enumerate([BLANK, BEGIN, END, SPACE, *phones])}


def windows(sound, size, shift, frames):
    """Returns the power (frames, size / 2 + 1) under a Hann window around the middle of each frame."""
    padded = np.pad(sound, size)
    first = size + HOP // 2 - size // 2 + shift
    at = first + HOP * np.arange(frames)[:, None] + np.arange(size)
    window = np.hanning(size + 1)[:size].astype(np.float32)
    return np.abs(np.fft.rfft(padded[at] * window)) ** 2 / (window ** 2).sum()


def harmonic_bands(sound, f0):
    """Returns ln amplitudes of harmonics (frames, BANDS), interpolated at the frequencies of the bands."""
    size = 512
    power = windows(sound, size, 0, len(f0)) * (4 / size)
    sums = np.pad(np.cumsum(power, 1), ((0, 0), (1, 0)))
    edges = (np.arange(HARMONICS + 1) + 0.5) * f0[:, None]
    edges[:, 0] = 0
    place = np.clip(edges * size / RATE + 0.5, 0, sums.shape[1] - 1.001)
    low, row = place.astype(int), np.arange(len(f0))[:, None]
    upto = sums[row, low] + (place - low) * (sums[row, low + 1] - sums[row, low])
    heights = np.log(np.maximum(np.diff(upto, axis=1), np.exp(2 * FLOOR))) / 2
    number = mel_to_hertz(np.arange(BANDS) * MEL_STEP) / f0[:, None] - 1
    most = np.minimum(HARMONICS, RATE / 2 // f0)[:, None] - 1.001
    number = np.clip(number, 0, most)
    low = number.astype(int)
    return heights[row, low] + (number - low) * (heights[row, low + 1] - heights[row, low])


def mel_to_hertz(height):
    return 700 * (10 ** (height / 2595) - 1)


def noise_shares(size):
    """Returns the share (bins, BANDS) of each bin's power in each band."""
    hertz, middle = np.arange(size // 2 + 1) * RATE / size, np.arange(BANDS) * MEL_STEP
    width = np.maximum(MEL_STEP, mel(hertz + RATE / size) - mel(hertz))
    shares = np.maximum(0, 1 - np.abs(mel(hertz)[:, None] - middle) / width[:, None])
    return shares / shares.sum(0)


def noise_bands(sound, frames):
    """Returns ln amplitudes of noise (frames, BANDS)."""
    size = 256
    power = (windows(sound, size, -64, frames) + windows(sound, size, 64, frames)) / 2
    power = power @ noise_shares(size)
    return np.maximum(np.log(np.maximum(power, 1e-12)) / 2 + NOISE_BIAS, FLOOR)


class Utterance:
    """Symbol numbers of an utterance, frames per symbol, and per frame: bands, ln F0, and whether it is voiced."""

    def __init__(self, numbers, row, pcm, voice, pitch, speaker):
        start, count, phones = row
        self.speaker = speaker
        # add silence at both ends; it belongs to the first and to the last symbol
        closing = phones[-1][1] if phones[-1][0] == "." else 0
        kept = min(closing, SOURCE_FRAME * 20)
        end = start + count - closing + kept
        times = [(BEGIN, LEAD)] + phones[:len(phones) - bool(closing)] + [(END, kept + LEAD)]
        merged = []
        for symbol, samples in times:
            if symbol == SPACE and merged[-1][0] == ".":
                # a pause inside a line belongs to the space
                merged[-1] = (SPACE, merged[-1][1])
            else:
                merged.append((symbol, samples))
        merged = [(SPACE if symbol == "." else symbol, samples) for symbol, samples in merged]
        ends = np.rint(np.cumsum([s for _, s in merged]) * (RATE / SOURCE_RATE / HOP)).astype(int)
        self.ids = np.zeros(2 * len(merged) - 1, np.int64)
        self.ids[::2] = [numbers[symbol] for symbol, _ in merged]
        self.frames = np.zeros(len(self.ids), np.int64)
        self.frames[::2] = np.diff(ends, prepend=0)
        total = int(ends[-1])

        f0 = pitch[start // SOURCE_FRAME:end // SOURCE_FRAME]
        f0 = np.concatenate([np.zeros(LEAD // SOURCE_FRAME, np.float32), f0])
        at = ((np.arange(total) + 0.5) * HOP * SOURCE_RATE / RATE / SOURCE_FRAME).astype(int)
        f0 = np.where(at < len(f0), f0[np.minimum(at, len(f0) - 1)], 0)
        self.voiced = (f0 > 0).astype(np.float32)
        known = np.flatnonzero(f0 > 0)
        f0 = np.interp(np.arange(total), known, f0[known]) if len(known) else np.full(total, 120.0)
        self.pitch = np.log(f0).astype(np.float32)

        def sound(of):
            part = np.concatenate([np.zeros(LEAD, np.float32), of[start:end].astype(np.float32) / 32768])
            part = resample_poly(part, 147, 160)
            return np.pad(part, (0, max(0, total * HOP - len(part))))

        both, voice = sound(pcm), sound(voice)
        bands = [harmonic_bands(voice, f0), noise_bands(both - voice, total)]
        self.bands = np.concatenate(bands, 1).T.astype(np.float32)


def load(parts):
    """Returns all utterances of `aligned_speech` files, one voice per part, and their symbol numbers."""
    numbers = symbols([f"{part}.tsv" for part in parts])
    utterances = []
    for speaker, part in enumerate(parts):
        pcm, voice = (np.fromfile(f"{part}{kind}.pcm", np.int16) for kind in ("", ".voiced"))
        pitch = np.fromfile(f"{part}.f0", np.float32)
        for row in rows(f"{part}.tsv"):
            if row[2][0][0] not in (SPACE, "."):
                utterances.append(Utterance(numbers, row, pcm, voice, pitch, speaker))
    return utterances, numbers
