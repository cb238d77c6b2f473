"""Deviation of the band levels of vowels and fricatives from those of human speakers (bands of sound.py)."""
import numpy as np
from scipy.signal import resample_poly

RATE, WINDOW, HOP = 16_000, 400, 160
HERTZ = np.fft.rfftfreq(512, 1 / RATE)
# Vowel bands in Hz, each with the lowest and highest level, in dB relative to the band below 1 kHz, of human readers.
VOWELS = [((1000, 2000), (-22, -12)), ((2000, 3000), (-31, -16)), ((3000, 4000), (-36, -22)), ((5000, 6000), (-47, -38))]
# Lowest and highest level of fricatives above 5 kHz, in dB relative to the band from 2 to 5 kHz, in two American voices
# and the voice of a storyteller.
HISS = (-6, 8)
# Cost, in nats per phone, of each dB by which a sentence deviates.
COST = 0.03


def _outside(level, low, high):
    return max(0.0, low - level) + max(0.0, level - high)


def distance(sound):
    """Returns the root mean square, in dB, by which the band levels of a 24 kHz sentence lie outside their ranges."""
    x = resample_poly(sound / 32768.0, 2, 3)
    frames = 1 + (len(x) - WINDOW) // HOP
    cut = np.arange(WINDOW)[None] + HOP * np.arange(frames)[:, None]
    power = np.abs(np.fft.rfft(x[cut] * np.hanning(WINDOW), 512)) ** 2

    def band(low, high):
        return power[:, (HERTZ >= low) & (HERTZ < high)].sum(1)

    low, total = band(0, 1000), power.sum(1)
    vowels = (total > total.max() * 10**-1.5) & (low > 0.5 * total)
    off = [_outside(10 * np.log10(band(*ends)[vowels].mean() / low[vowels].mean()), *wanted) for ends, wanted in VOWELS]
    hiss = (total > total.max() * 1e-4) & (band(2000, 8000) > 4 * low)
    if hiss.sum() >= 5:
        off.append(_outside(10 * np.log10(band(5000, 8000)[hiss].mean() / band(2000, 5000)[hiss].mean()), *HISS))
    return float(np.sqrt(np.mean(np.square(off))))
