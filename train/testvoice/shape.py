"""Constants shared by fitting, the network and the exported graph."""
import numpy as np

# sample rate and hop, in samples, as in Piper
RATE, HOP = 22050, 256
WINDOW = 2 * HOP
# number of bands for harmonics, and for noise; both are evenly spaced on the mel scale from 0 to half the sample rate
BANDS = 40
HARMONICS = 72


def mel(hertz):
    return 2595 * np.log10(1 + np.asarray(hertz) / 700)


MEL_STEP = float(mel(RATE / 2) / (BANDS - 1))
