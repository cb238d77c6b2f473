"""Discriminators of the adversarial training: small convolutional networks over log-magnitude spectrograms at several resolutions.

After the multi-resolution discriminator of UnivNet (Jang et al. 2021), with few channels, so that a step is affordable without a GPU.
"""
import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.parametrizations import weight_norm

# Samples of the window and of the hop.
RESOLUTIONS = ((256, 64), (512, 128), (1024, 256))
CHANNELS = (16, 24, 32, 32)
# Of the log magnitudes of speech, about: inputs of unit variance are learned from several times faster.
MEAN, DEVIATION = -4.0, 2.5


class Discriminator(nn.Module):
    """Judges spectrograms at one resolution: each output value sees a patch of some 60 bins and 11 frames."""

    def __init__(self, fft, hop):
        super().__init__()
        self.fft, self.hop = fft, hop
        inputs = (1, *CHANNELS[:-1])
        strides = ((2, 1), (2, 1), (2, 1), (2, 2))
        self.layers = nn.ModuleList(
            weight_norm(nn.Conv2d(before, after, (5, 3), stride, (2, 1))) for before, after, stride in zip(inputs, CHANNELS, strides))
        self.last = weight_norm(nn.Conv2d(CHANNELS[-1], 1, 3, padding=1))
        self.register_buffer("window", torch.hann_window(fft), persistent=False)

    def forward(self, samples):
        """Samples [B, T] to judgements [B, 1, bins', frames'], 1 for real, and the features of each layer."""
        magnitudes = torch.stft(samples, self.fft, self.hop, window=self.window, return_complex=True).abs()
        x = ((magnitudes.clamp(min=1e-4).log() - MEAN) / DEVIATION)[:, None]
        features = []
        for layer in self.layers:
            x = functional.leaky_relu(layer(x), 0.1)
            features.append(x)
        return self.last(x), features


def discriminator_error(discriminator, made, wanted):
    """Least-squares error (Mao et al. 2017) of the judgements of generated and real samples."""
    return ((discriminator(wanted)[0] - 1) ** 2).mean() + (discriminator(made.detach())[0] ** 2).mean()


def generator_error(discriminator, made, wanted):
    """Least-squares error of the judgement of generated samples, and their mean distance from real ones in the discriminator's features."""
    judged, features = discriminator(made)
    with torch.no_grad():
        targets = discriminator(wanted)[1]
    distance = sum(functional.l1_loss(feature, target) / target.abs().mean() for feature, target in zip(features, targets)) / len(targets)
    return ((judged - 1) ** 2).mean(), distance
