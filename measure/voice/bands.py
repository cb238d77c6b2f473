"""How far the levels of vowels and fricatives by frequency are from what people's are (sound.py's bands)."""
import numpy as np
from scipy.signal import resample_poly

RATE, WINDOW, HOP = 16_000, 400, 160
HERTZ = np.fft.rfftfreq(512, 1 / RATE)
# Bands of vowels in Hz, and their lowest and highest level against what is below 1 kHz in human readers, dB.
VOWELS = [((1000, 2000), (-22, -12)), ((2000, 3000), (-31, -16)), ((3000, 4000), (-36, -22)), ((5000, 6000), (-47, -38))]
# Fricatives: what is above 5 kHz against 2 to 5 kHz, dB; two American voices and a story-teller.
HISS = (-6, 8)
# Nats a phone for each dB by which a sentence is off.
COST = 0.03


def _outside(level, low, high):
    return max(0.0, low - level) + max(0.0, level - high)


def distance(sound):
    """Root of the mean square of what the levels of a sentence at 24 kHz are outside their ranges, dB."""
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
