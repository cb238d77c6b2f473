"""Differentiable synthesis of a waveform from the parts of a spectrum: harmonics, shaped noise and a free-phase part.

S = exp(h) · exp(iπ tanh θ) · STFT(pulses) + exp(n) · Z + exp(r) · exp(iφ), with Z complex Gaussian noise; the waveform
is the inverse STFT of S (after hibari's `dsp.py`, Apache-2.0).
"""
import math

import torch
from torch.nn import functional

from student import FRAME_SAMPLES

FFT = 1200
RATE = 24_000
UNVOICED_BELOW = 40.0
HARMONICS_BELOW = 11_000.0


def pulses(f0):
    """Returns a band-limited pulse train [B, F · 300] for F0 in Hz per frame [B, F]: every harmonic below 11 kHz with
    amplitude 1.
    """
    samples = functional.interpolate(f0[:, None], scale_factor=FRAME_SAMPLES, mode="linear", align_corners=False)[:, 0]
    voiced = samples > UNVOICED_BELOW
    samples = samples.clamp(min=UNVOICED_BELOW)
    phase = (torch.cumsum(samples.double(), 1) / RATE % 1.0).float() * 2 * math.pi
    count = torch.floor(HARMONICS_BELOW / samples) + 0.5
    half = 2 * torch.sin(phase / 2)
    near_zero = half.abs() <= 2e-3
    train = torch.where(near_zero, count, torch.sin(count * phase) / torch.where(near_zero, 1.0, half)) - 0.5
    return torch.where(voiced, train, 0.0)


def synthesise(parts, f0):
    """Returns samples [B, F · 300] for five parts [B, 601, F] and F0 in Hz [B, F]."""
    harmonic, theta, noise, rest, phi = parts
    window = torch.hann_window(FFT, device=f0.device)
    frames = f0.shape[1]
    source = torch.stft(pulses(f0), FFT, FRAME_SAMPLES, window=window / (FFT / 4), center=True, return_complex=True)[:, :, :frames]
    random = torch.randn((2, *noise.shape), device=f0.device)
    spectrum = torch.polar(harmonic.clamp(max=7).exp(), math.pi * torch.tanh(theta)) * source
    spectrum = spectrum + noise.clamp(max=7).exp() * torch.complex(random[0], random[1])
    spectrum = spectrum + torch.polar(rest.clamp(max=7).exp(), phi)
    spectrum = torch.cat([spectrum, spectrum[:, :, -1:]], 2)
    return torch.istft(spectrum, FFT, FRAME_SAMPLES, window=window, center=True, length=frames * FRAME_SAMPLES)
