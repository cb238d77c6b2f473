"""The voice as a network: symbols to frames of harmonic and noise bands, and those to sound."""
import math

import numpy as np
import torch
from torch import nn
from torch.nn.functional import leaky_relu

from shape import BANDS, HARMONICS, HOP, MEL_STEP, RATE, WINDOW, mel

SYMBOL, PHONE, FRAME = 64, 96, 128
VOICE = 16
POSITIONS = 5


def noise_bands():
    """(HOP, BANDS): the share that each band has in each noise coefficient, whose frequencies rise evenly."""
    at = mel((np.arange(HOP) + 0.5) * RATE / 2 / HOP) / MEL_STEP
    return np.maximum(0, 1 - np.abs(at[:, None] - np.arange(BANDS))).astype(np.float32)


def lapped():
    """(HOP, WINDOW): the basis of the MDCT under a sine window: noise of any spectrum has no steps between frames."""
    n, k = np.arange(WINDOW) + 0.5, np.arange(HOP)[:, None] + 0.5
    basis = np.sin(math.pi * n / WINDOW) * np.cos(math.pi / HOP * (n + HOP / 2) * k) * math.sqrt(2 / HOP)
    return basis.astype(np.float32)


def positions(frames):
    """(frames, POSITIONS): where each frame stands in its symbol; `frames` are those of each symbol."""
    length = torch.repeat_interleave(frames, frames).float()
    start = torch.repeat_interleave(torch.cumsum(frames, 0) - frames, frames)
    at = torch.arange(len(start)) - start + 0.5
    return place(at, length)


def place(at, length):
    share = at / length
    return torch.stack([share, share * share, torch.exp(-at / 3), torch.exp((at - length) / 3), torch.log(length)], -1)


class Front(nn.Module):
    """Symbols to durations and frames."""

    def __init__(self, symbols, voices):
        super().__init__()
        self.symbols = nn.Embedding(symbols, SYMBOL)
        self.voices = nn.Embedding(voices, VOICE)
        # every second symbol is a blank, which these pass over
        wide = dict(kernel_size=5, dilation=2, padding=4)
        self.phones = nn.ModuleList([
            nn.Conv1d(SYMBOL + VOICE, PHONE, **wide), nn.Conv1d(PHONE, PHONE, **wide), nn.Conv1d(PHONE, PHONE, **wide)])
        self.length = nn.Conv1d(PHONE, 1, 1)
        self.frames = nn.ModuleList([
            nn.Conv1d(PHONE + POSITIONS, FRAME, 5, padding=2), nn.Conv1d(FRAME, FRAME, 3, padding=1),
            nn.Conv1d(FRAME, FRAME, 3, padding=1)])
        self.out = nn.Conv1d(FRAME, 2 * BANDS + 1, 1)

    def encode(self, ids, voice):
        """(batch, symbols) to (batch, PHONE, symbols) and ln of their frames."""
        voices = self.voices(voice)[:, :, None].expand(-1, -1, ids.shape[1])
        x = torch.cat([self.symbols(ids).transpose(1, 2), voices], 1)
        for at, layer in enumerate(self.phones):
            y = leaky_relu(layer(x), 0.1)
            x = x + y if at else y
        return x, self.length(x)[:, 0]

    def decode(self, x):
        """(batch, PHONE + POSITIONS, frames) to (batch, 2 BANDS + 1, frames): bands without unit, ln F0 likewise."""
        for at, layer in enumerate(self.frames):
            y = leaky_relu(layer(x), 0.1)
            x = x + y if at else y
        return self.out(x)


# what the network gives is turned into ln of amplitudes, and of Hz
BAND_SCALE, HARMONIC_MEAN, NOISE_MEAN = 2.0, -6.0, -8.0
PITCH_SCALE, PITCH_MEAN = 0.3, math.log(150)


class Sound(nn.Module):
    """Frames to samples. It has nothing to fit."""

    def __init__(self):
        super().__init__()
        self.register_buffer("bands", torch.from_numpy(noise_bands()))
        self.register_buffer("basis", torch.from_numpy(lapped()))
        self.register_buffer("number", torch.arange(1, HARMONICS + 1).float())
        self.register_buffer("step", (torch.arange(HOP).float() + 0.5) / HOP)

    def harmonics(self, bands, f0):
        """Amplitudes (batch, frames, HARMONICS) of (batch, BANDS, frames) and F0."""
        hertz = f0[..., None] * self.number
        at = 2595 / MEL_STEP * torch.log10(1 + hertz / 700)
        share = torch.relu(1 - (at[..., None] - torch.arange(BANDS)).abs())
        heights = (share @ bands.transpose(1, 2)[..., None])[..., 0]
        return torch.exp(heights) * torch.clamp((RATE / 2 - hertz) / 200, 0, 1)

    def forward(self, bands, f0, phase):
        """(batch, 2 BANDS, frames), F0 in Hz and phase in cycles at the middle of each frame: (batch, samples).
        The outer halves of the first and the last frame are left out."""
        amplitude = self.harmonics(bands[:, :BANDS], f0)
        left, right = f0[:, :-1, None], f0[:, 1:, None]
        cycles = phase[:, :-1, None] + (left * self.step + (right - left) * self.step ** 2 / 2) * (HOP / RATE)
        waves = torch.cos(2 * math.pi * cycles[..., None] * self.number)
        mixed = waves @ torch.stack([amplitude[:, :-1], amplitude[:, 1:]], -1)
        voice = mixed[..., 0] * (1 - self.step) + mixed[..., 1] * self.step
        noise = torch.exp(self.bands @ bands[:, BANDS:])
        noise = noise * torch.randn_like(noise)
        windows = torch.nn.functional.conv_transpose1d(noise, self.basis[:, None], stride=HOP)[:, 0]
        # a frame's window begins half a frame before it
        return voice.flatten(1) + windows[:, HOP:-HOP]
