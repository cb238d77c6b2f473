"""What fitting, the network and the graph agree upon."""
import numpy as np

# Piper's
RATE, HOP = 22050, 256
WINDOW = 2 * HOP
# of harmonics, and as many of noise; evenly on the mel scale from 0 to half the rate
BANDS = 40
HARMONICS = 72


def mel(hertz):
    return 2595 * np.log10(1 + np.asarray(hertz) / 700)


MEL_STEP = float(mel(RATE / 2) / (BANDS - 1))
