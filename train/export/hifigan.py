#!/usr/bin/env python3
"""Exports a HiFi-GAN generator, config.json and checkpoint, to vocoder.onnx: V1, V2 or V3, of its authors or of Coqui
TTS.

usage: hifigan.py config.json generator OUT
needs: pip install torch onnx
"""
import argparse
import json
from pathlib import Path

import torch

from folder import export, load_parameters, read_checkpoint
from vocoders import Generator, merge_weight_norm


def shape(config):
    """Returns the generator's settings: top-level in its authors' config, under `generator_model_params` in Coqui's."""
    if "generator_model_params" not in config:
        return config
    params = config["generator_model_params"]
    return {"resblock": params["resblock_type"], "upsample_rates": params["upsample_factors"],
            "upsample_initial_channel": params["upsample_initial_channel"],
            **{name: params[name] for name in ("upsample_kernel_sizes", "resblock_kernel_sizes",
                                               "resblock_dilation_sizes")}}


def generator_parameters(checkpoint):
    """Returns the generator's parameters from a checkpoint, with weight norm merged."""
    state = checkpoint.get("generator") or checkpoint.get("model") or checkpoint
    # checkpoints of Coqui's training contain both the generator and the discriminator
    inner = {name.removeprefix("model_g."): value for name, value in state.items() if name.startswith("model_g.")}
    return merge_weight_norm(inner or state)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path)
    parser.add_argument("checkpoint", type=Path)
    parser.add_argument("out", type=Path, help="the folder of the acoustic model")
    args = parser.parse_args()
    config = shape(json.loads(args.config.read_text(encoding="utf-8")))
    parameters = generator_parameters(read_checkpoint(args.checkpoint))
    mels = parameters["conv_pre.weight"].shape[1]
    model = Generator(config, mels)
    load_parameters(model, parameters, ignored=["model_d."])
    args.out.mkdir(parents=True, exist_ok=True)
    export(model.eval(), (torch.zeros(1, mels, 20),), ["mel"], ["samples"], {"mel": 2, "samples": 2},
           args.out / "vocoder.onnx")


if __name__ == "__main__":
    main()
