"""The network of the test voice: symbols to frames of harmonic and noise bands."""
import math

import torch
from torch import nn
from torch.nn.functional import leaky_relu

from shape import BANDS

SYMBOL, PHONE, FRAME = 64, 96, 128
VOICE = 16
POSITIONS = 5


def positions(frames):
    """Returns the position (frames, POSITIONS) of each frame in its symbol; `frames` has the frame count per symbol."""
    length = torch.repeat_interleave(frames, frames).float()
    start = torch.repeat_interleave(torch.cumsum(frames, 0) - frames, frames)
    at = torch.arange(len(start)) - start + 0.5
    share = at / length
    return torch.stack([share, share * share, torch.exp(-at / 3), torch.exp((at - length) / 3), torch.log(length)], -1)


class Front(nn.Module):
    """Network from symbols to durations and frames."""

    def __init__(self, symbols, voices):
        super().__init__()
        self.symbols = nn.Embedding(symbols, SYMBOL)
        self.voices = nn.Embedding(voices, VOICE)
        # every second symbol is a blank, which these convolutions skip
        wide = dict(kernel_size=5, dilation=2, padding=4)
        self.phones = nn.ModuleList([
            nn.Conv1d(SYMBOL + VOICE, PHONE, **wide), nn.Conv1d(PHONE, PHONE, **wide),
            nn.Conv1d(PHONE, PHONE, **wide)])
        self.length = nn.Conv1d(PHONE, 1, 1)
        self.frames = nn.ModuleList([
            nn.Conv1d(PHONE + POSITIONS, FRAME, 5, padding=2), nn.Conv1d(FRAME, FRAME, 3, padding=1),
            nn.Conv1d(FRAME, FRAME, 3, padding=1)])
        self.out = nn.Conv1d(FRAME, 2 * BANDS + 1, 1)

    def encode(self, ids, voice):
        """Returns features (batch, PHONE, symbols) and ln durations in frames of symbols (batch, symbols)."""
        voices = self.voices(voice)[:, :, None].expand(-1, -1, ids.shape[1])
        x = torch.cat([self.symbols(ids).transpose(1, 2), voices], 1)
        for at, layer in enumerate(self.phones):
            y = leaky_relu(layer(x), 0.1)
            x = x + y if at else y
        return x, self.length(x)[:, 0]

    def decode(self, x):
        """Maps (batch, PHONE + POSITIONS, frames) to (batch, 2 BANDS + 1, frames): normalised bands and ln F0."""
        for at, layer in enumerate(self.frames):
            y = leaky_relu(layer(x), 0.1)
            x = x + y if at else y
        return self.out(x)


# scales from the network's output to ln amplitudes and ln Hz
BAND_SCALE, HARMONIC_MEAN, NOISE_MEAN = 2.0, -6.0, -8.0
PITCH_SCALE, PITCH_MEAN = 0.3, math.log(150)
