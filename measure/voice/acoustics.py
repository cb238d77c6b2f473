"""Acoustic measurements with Praat: formants, voice onset time, pitch and harmonics, plus syllable and click counts."""
import numpy as np
import parselmouth
from scipy.signal import butter, sosfilt

# Vowels that a script can write in isolation.
VOWELS = {
    "hi": ["आ", "ई", "ऊ", "ए", "ओ", "ऐ", "औ"],
    "te": ["అ", "ఆ", "ఇ", "ఈ", "ఉ", "ఊ", "ఎ", "ఏ", "ఒ", "ఓ"],
    "mr": ["आ", "ई", "ऊ", "ए", "ओ"],
}
# Mean F1 and F2 of men, in Hz: Hindi, rounded from Ohala & Ohala (1992) and Khan & Rizvi (1994).
PUBLISHED = {"hi": [(700, 1250), (310, 2250), (340, 830), (440, 2020), (450, 870), (600, 1850), (590, 950)]}
STOPS = {
    "hi": ["पा", "फा", "बा", "भा", "ता", "था", "दा", "धा", "टा", "ठा", "डा", "ढा", "का", "खा", "गा", "घा"],
}


def formants(path, male):
    """Returns the medians of F1 to F3, in Hz, in the middle third of a vowel."""
    sound = parselmouth.Sound(str(path))
    tracks = sound.to_formant_burg(maximum_formant=5000 if male else 5500)
    intensity = sound.to_intensity(minimum_pitch=80)
    loud = [t for t, v in zip(intensity.xs(), intensity.values[0]) if v > intensity.values.max() - 12]
    middle = np.linspace(loud[0] + (loud[-1] - loud[0]) / 3, loud[-1] - (loud[-1] - loud[0]) / 3, 15)
    return [float(np.nanmedian([tracks.get_value_at_time(n, t) for t in middle])) for n in (1, 2, 3)]


def deviation(found, standard):
    """Describes the deviation of formants from a standard, in percent, after vocal tract normalisation."""
    ours = np.array([f[:2] for f in found])
    theirs = np.array([s[:2] for s in standard])
    ratios = ours / theirs
    off = 100 * (ratios / np.median(ratios) - 1)
    return f"mean {np.abs(off).mean():.0f} %, worst {off.flat[np.abs(off).argmax()]:.0f} %, tract {np.median(ratios):.2f}"


def onset_time(path):
    """Returns the time from the release of the first stop to the onset of voicing, in ms; negative if prevoiced."""
    sound = parselmouth.Sound(str(path))
    rate, x = sound.sampling_frequency, sound.values[0]
    high = sosfilt(butter(4, 2500, "highpass", fs=rate, output="sos"), x)
    hop = int(rate / 1000)
    energy = np.array([np.mean(high[i:i + 3 * hop] ** 2) for i in range(0, len(x) - 3 * hop, hop)]) + 1e-9
    level = 10 * np.log10(energy)
    head = level[: int(np.argmax(level > level.max() - 6)) + 25]
    release = int(np.argmax(np.diff(head, prepend=head[0] - 1) + np.diff(np.append(head[0], head[:-1]), prepend=head[0])))
    pulses = parselmouth.praat.call(sound, "To PointProcess (periodic, cc)", 70, 400)
    count = parselmouth.praat.call(pulses, "Get number of points")
    if not count:
        return float("nan")
    first = parselmouth.praat.call(pulses, "Get time from index", 1)
    return 1000 * first - release


class Summary:
    """Acoustic statistics over several sentences of running speech."""

    def __init__(self, sounds):
        pitches, harmonics, high, nuclei, voiced, self.clicks = [], [], [], 0, 0.0, 0
        for rate, x in sounds:
            sound = parselmouth.Sound(x, rate)
            pitch = sound.to_pitch(0.01, 60, 450).selected_array["frequency"]
            pitches += list(pitch[pitch > 0])
            ratio = sound.to_harmonicity_cc().values[0]
            harmonics += list(ratio[ratio > 0])
            spectrum = np.abs(np.fft.rfft(x)) ** 2
            hertz = np.fft.rfftfreq(len(x), 1 / rate)
            high.append(10 * np.log10(spectrum[(hertz > 4000) & (hertz < 8000)].sum() / spectrum.sum()))
            count, length = syllables(sound)
            nuclei, voiced = nuclei + count, voiced + length
            self.clicks += clicks(rate, x)
        self.pitch = np.array(pitches)
        self.harmonics, self.high, self.rate = np.median(harmonics), np.mean(high), nuclei / voiced

    def text(self):
        low, high = np.percentile(self.pitch, [5, 95])
        return (f"F0 {self.pitch.mean():.0f} Hz ({low:.0f} to {high:.0f}), HNR {self.harmonics:.1f} dB, "
                f"4 to 8 kHz {self.high:.1f} dB, {self.rate:.1f} syllables/s, {self.clicks} clicks")


def syllables(sound):
    """Returns the number of syllable nuclei, from intensity peaks (after de Jong & Wempe 2009), and the time without
    pauses, in s.
    """
    intensity = sound.to_intensity(minimum_pitch=60, time_step=0.01).values[0]
    top = np.percentile(intensity, 97)
    pitch = sound.to_pitch(0.01, 60, 450)
    count, dip = 0, -100.0
    for i in range(1, len(intensity) - 1):
        dip = min(dip, intensity[i])
        peak = intensity[i] >= intensity[i - 1] and intensity[i] > intensity[i + 1]
        if peak and intensity[i] > top - 25 and (count == 0 or intensity[i] - dip > 2):
            if pitch.get_value_at_time(sound.x1 + 0.01 * i) > 0:
                count, dip = count + 1, intensity[i]
    return count, 0.01 * np.sum(intensity > top - 25)


def clicks(rate, x):
    """Counts isolated milliseconds in which the high frequencies exceed those within 6 ms on either side by 20 dB."""
    top = np.abs(sosfilt(butter(4, 0.7 * rate / 2, "highpass", fs=rate, output="sos"), x))
    hop = int(rate / 1000)
    peaks = np.array([top[i:i + hop].max() for i in range(0, len(x) - hop, hop)])
    found = 0
    for i in range(8, len(peaks) - 8):
        around = np.concatenate([peaks[i - 7:i - 1], peaks[i + 2:i + 8]])
        found += peaks[i] > 0.01 and peaks[i] > 10 * around.max()
    return found
