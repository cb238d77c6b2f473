"""Discriminators of adversarial training: small convolutional networks over spectrograms and samples.

They follow the multi-resolution discriminator of UnivNet (Jang et al. 2021) and the multi-period discriminator of
HiFi-GAN (Kong et al. 2020), with fewer channels.
"""
import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.parametrizations import weight_norm

# Window length and hop of each resolution, in samples.
RESOLUTIONS = ((256, 64), (512, 128), (1024, 256), (2048, 512))
SPECTRAL_CHANNELS = (32, 32, 32, 32)
PERIODS = (2, 3, 5, 7, 11)
PERIOD_CHANNELS = (32, 64, 128, 256, 256)
# Approximate mean and standard deviation of the log magnitudes of speech. Training is several times faster with inputs
# of unit variance.
MEAN, DEVIATION = -4.0, 2.5
# Typical amplitude of speech.
AMPLITUDE = 0.1


class Discriminator(nn.Module):
    """Convolutions whose outputs are the features, and a final convolution that scores."""

    def __init__(self, layers, last):
        super().__init__()
        self.layers = nn.ModuleList(weight_norm(layer) for layer in layers)
        self.last = weight_norm(last)

    def forward(self, samples):
        """Maps samples [B, T] to scores [B, …], 1 for real, and the features of each layer."""
        x = self.image(samples)
        features = []
        for layer in self.layers:
            x = functional.leaky_relu(layer(x), 0.1)
            features.append(x)
        return self.last(x), features


class Spectral(Discriminator):
    """Discriminator of spectrograms at one resolution: each output value covers a patch of about 60 bins and 11 frames.
    """

    def __init__(self, fft, hop):
        inputs = (1, *SPECTRAL_CHANNELS[:-1])
        strides = ((2, 1), (2, 1), (2, 1), (2, 2))
        layers = [nn.Conv2d(before, after, (5, 3), stride, (2, 1)) for before, after, stride in zip(inputs, SPECTRAL_CHANNELS, strides)]
        super().__init__(layers, nn.Conv2d(SPECTRAL_CHANNELS[-1], 1, 3, padding=1))
        self.fft, self.hop = fft, hop
        self.register_buffer("window", torch.hann_window(fft), persistent=False)

    def image(self, samples):
        with torch.autocast(samples.device.type, enabled=False):
            magnitudes = torch.stft(samples, self.fft, self.hop, window=self.window, return_complex=True).abs()
            return ((magnitudes.clamp(min=1e-4).log() - MEAN) / DEVIATION)[:, None]


class Periodic(Discriminator):
    """Discriminator of samples at a fixed distance (period)."""

    def __init__(self, period):
        inputs = (1, *PERIOD_CHANNELS[:-1])
        strides = (3, 3, 3, 3, 1)
        layers = [nn.Conv2d(before, after, (5, 1), (stride, 1), (2, 0)) for before, after, stride in zip(inputs, PERIOD_CHANNELS, strides)]
        super().__init__(layers, nn.Conv2d(PERIOD_CHANNELS[-1], 1, (3, 1), padding=(1, 0)))
        self.period = period

    def image(self, samples):
        whole = samples.shape[1] // self.period * self.period
        return samples[:, :whole].view(len(samples), 1, -1, self.period) / AMPLITUDE


def discriminators():
    return nn.ModuleList([*(Spectral(*resolution) for resolution in RESOLUTIONS), *(Periodic(period) for period in PERIODS)])


def discriminator_error(discriminator, made, wanted):
    """Returns the least-squares error (Mao et al. 2017) of the scores of generated and real samples, and the features
    of the real ones.
    """
    judged, features = discriminator(torch.cat([wanted, made.detach()]))
    real, generated = judged.float().split(len(wanted))
    return ((real - 1) ** 2).mean() + (generated ** 2).mean(), [feature[:len(wanted)].detach() for feature in features]


def generator_error(discriminator, made, targets):
    """Returns the least-squares error of the scores of generated samples, and their mean distance from real ones in the
    discriminator's features.
    """
    judged, features = discriminator(made)
    distance = sum((feature - target).abs().mean().float() / target.abs().mean().float() for feature, target in zip(features, targets)) / len(targets)
    return ((judged.float() - 1) ** 2).mean(), distance
