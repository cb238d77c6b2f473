"""HiFi-GAN generator in plain PyTorch, after J. Kong and others, "HiFi-GAN" (2020).

Parameters have the same names as in the published checkpoints, so that these can be loaded.
"""
import torch
from torch import nn

SLOPE = 0.1


def same_padding(kernel, dilation=1):
    """Returns the padding that keeps the length of a convolution's input."""
    return (kernel - 1) * dilation // 2


def convolution(channels, kernel, dilation):
    return nn.Conv1d(channels, channels, kernel, dilation=dilation, padding=same_padding(kernel, dilation))


class DoubleBlock(nn.Module):
    """Resblock "1": pairs of a dilated and a plain convolution."""

    def __init__(self, channels, kernel, dilations):
        super().__init__()
        self.convs1 = nn.ModuleList(convolution(channels, kernel, dilation) for dilation in dilations)
        self.convs2 = nn.ModuleList(convolution(channels, kernel, 1) for _ in dilations)

    def forward(self, x):
        for dilated, plain in zip(self.convs1, self.convs2):
            y = dilated(nn.functional.leaky_relu(x, SLOPE))
            x = x + plain(nn.functional.leaky_relu(y, SLOPE))
        return x


class SingleBlock(nn.Module):
    """Resblock "2": dilated convolutions only."""

    def __init__(self, channels, kernel, dilations):
        super().__init__()
        self.convs = nn.ModuleList(convolution(channels, kernel, dilation) for dilation in dilations)

    def forward(self, x):
        for dilated in self.convs:
            x = x + dilated(nn.functional.leaky_relu(x, SLOPE))
        return x


class Generator(nn.Module):
    """Generator from mel `[1, mels, frames]` to samples `[1, 1, frames * hop]`."""

    def __init__(self, config, mels):
        super().__init__()
        block = DoubleBlock if str(config["resblock"]) == "1" else SingleBlock
        channels = config["upsample_initial_channel"]
        self.conv_pre = nn.Conv1d(mels, channels, 7, padding=3)
        self.ups, self.resblocks = nn.ModuleList(), nn.ModuleList()
        for stride, kernel in zip(config["upsample_rates"], config["upsample_kernel_sizes"]):
            if (kernel - stride) % 2:
                raise SystemExit(f"a stage with stride {stride} and kernel {kernel} does not produce whole frames")
            padding = (kernel - stride) // 2
            self.ups.append(nn.ConvTranspose1d(channels, channels // 2, kernel, stride, padding=padding))
            channels //= 2
            for size, dilations in zip(config["resblock_kernel_sizes"], config["resblock_dilation_sizes"]):
                self.resblocks.append(block(channels, size, dilations))
        self.conv_post = nn.Conv1d(channels, 1, 7, padding=3)
        self.kernels = len(config["resblock_kernel_sizes"])

    def forward(self, mel):
        x = self.conv_pre(mel)
        for stage, up in enumerate(self.ups):
            x = up(nn.functional.leaky_relu(x, SLOPE))
            blocks = self.resblocks[stage * self.kernels:(stage + 1) * self.kernels]
            x = sum(block(x) for block in blocks) / self.kernels
        # here, the reference implementation uses the default slope, 0.01
        return torch.tanh(self.conv_post(nn.functional.leaky_relu(x)))


# Versions of HiFi-GAN as in the paper. The sample rate and the window are replaced by those of the checkpoint's config.
V1 = dict(resblock="1", upsample_rates=[8, 8, 2, 2], upsample_kernel_sizes=[16, 16, 4, 4], upsample_initial_channel=512,
          resblock_kernel_sizes=[3, 7, 11], resblock_dilation_sizes=[[1, 3, 5]] * 3, sampling_rate=22050)
V2 = dict(V1, upsample_initial_channel=128)
V3 = dict(V1, resblock="2", upsample_rates=[8, 8, 4], upsample_kernel_sizes=[16, 16, 8], upsample_initial_channel=256,
          resblock_kernel_sizes=[3, 5, 7], resblock_dilation_sizes=[[1, 2], [2, 6], [3, 12]])


def merge_weight_norm(state):
    """Returns the parameters of a checkpoint with weight norm merged into the weights.

    A weight stored as a magnitude and a direction (T. Salimans, "Weight Normalization", 2016) is multiplied out, under
    both naming schemes of torch.
    """
    merged = {}
    for name, value in state.items():
        for length, direction in ((".weight_g", ".weight_v"),
                                  (".parametrizations.weight.original0", ".parametrizations.weight.original1")):
            if name.endswith(length):
                stem = name[:-len(length)]
                vector = state[stem + direction]
                norm = vector.norm(dim=tuple(range(1, vector.dim())), keepdim=True)
                merged[stem + ".weight"] = vector * (value / norm)
                break
            if name.endswith(direction):
                break
        else:
            merged[name] = value
    return merged
