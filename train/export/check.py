#!/usr/bin/env python3
"""Tests the exporters on random weights.

Writes checkpoints of the published shapes, exports them with the scripts of this folder, and runs them in ONNX Runtime.
Reference outputs of PyTorch are stored next to them for `cargo run --example exported`.

usage: check.py OUT [fastspeech2|fastpitch] [v1|v2|v3]
needs: pip install torch onnx onnxruntime numpy pyyaml
"""
import json
import subprocess
import sys
from pathlib import Path

import numpy
import onnxruntime
import torch
import yaml

import fastpitch
import fastspeech2
from vocoders import V1, V2, V3, Generator

HERE = Path(__file__).parent
MELS = 80
# dimensions of the models published by IIT Madras
TTS_CONF = dict(adim=384, aheads=2, elayers=4, eunits=1536, dlayers=4, dunits=1536, positionwise_layer_type="conv1d",
                positionwise_conv_kernel_size=3, duration_predictor_layers=2, duration_predictor_chans=256,
                duration_predictor_kernel_size=3, postnet_layers=5, postnet_filts=5, postnet_chans=256,
                use_scaled_pos_enc=True, encoder_normalize_before=True, decoder_normalize_before=True,
                reduction_factor=1, pitch_predictor_layers=5, pitch_predictor_chans=256, pitch_predictor_kernel_size=5,
                pitch_embed_kernel_size=1, energy_predictor_layers=2, energy_predictor_chans=256,
                energy_predictor_kernel_size=3, energy_embed_kernel_size=1)
# dimensions of the models published by AI4Bharat
STACK = dict(hidden_channels_ffn=1024, num_heads=1, num_layers=6, dropout_p=0.1)
MODEL_ARGS = dict(hidden_channels=512, encoder_type="fftransformer", decoder_type="fftransformer", encoder_params=STACK,
                  decoder_params=STACK, use_pitch=True, positional_encoding=True)
LETTERS = [chr(ord("a") + at) for at in range(26)]


def weight_norm(state):
    """Returns the parameters of a generator as stored in training: a magnitude and an unnormalised direction per
    weight.
    """
    split = {}
    for name, value in state.items():
        if name.endswith(".weight"):
            stem = name.removesuffix(".weight")
            split[stem + ".weight_g"] = value.norm(dim=(1, 2), keepdim=True)
            split[stem + ".weight_v"] = 3.0 * value
        else:
            split[name] = value
    return split


def louder(model):
    """Scales the weights up, because the output of the initial random weights is almost silent."""
    for name, parameter in model.named_parameters():
        if name.startswith(("ups.", "conv_post")) and name.endswith("weight"):
            parameter.data *= 3.0


def run(script, *arguments):
    subprocess.run([sys.executable, HERE / script, *map(str, arguments)], check=True)


def common(out):
    licence = out / "terms"
    licence.write_text("random weights\n")
    return ["--id", "random", "--voice", "Random", "--languages", "hi", "--kind", "characters", "--licence", "MIT",
            "--licence-text", licence, "--attribution", "nobody", "--source", "random weights"]


def write_fastspeech2(out, pack):
    tokens = ["<blank>", "<unk>", "<space>", *LETTERS, "<sos/eos>"]
    config = dict(tts_conf=TTS_CONF, token_list=tokens, feats_extract_conf=dict(fs=22050, n_mels=MELS, hop_length=256),
                  pitch_extract_conf={})
    model = fastspeech2.build(TTS_CONF, len(tokens), MELS, 0).eval()
    model.duration_predictor.linear.bias.data.fill_(2.0)
    state = {f"tts.{name}": value for name, value in model.state_dict().items()}
    extra = {"normalize.mean": torch.randn(MELS), "normalize.std": torch.rand(MELS) + 0.5,
             "pitch_normalize.mean": torch.tensor([5.0]), "pitch_normalize.std": torch.tensor([0.25])}
    (out / "config.yaml").write_text(yaml.safe_dump(config, allow_unicode=True))
    torch.save({**state, **extra}, out / "model.pth")
    run("fastspeech2.py", out / "config.yaml", out / "model.pth", pack, "--mel-scale", 2.3262, *common(out))
    fastspeech2.normalisation(model, extra, None, None)
    return model, 2.3262


def write_fastpitch(out, pack):
    characters = dict(pad="<PAD>", eos="<EOS>", bos="<BOS>", blank="<BLNK>", characters="".join(LETTERS),
                      punctuations=" ,.")
    config = dict(model_args=MODEL_ARGS, characters=characters, audio=dict(num_mels=MELS, sample_rate=22050))
    count = len(fastpitch.character_table(characters))
    model = fastpitch.build(MODEL_ARGS, count, MELS, 0).eval()
    model.duration_predictor.proj.bias.data.fill_(2.0)
    (out / "config.json").write_text(json.dumps(config))
    aligner = {"aligner.key_layer.0.weight": torch.zeros(1)}
    torch.save({"model": {**model.state_dict(), **aligner}}, out / "best_model.pth")
    run("fastpitch.py", out / "config.json", out / "best_model.pth", pack, "--pitch-stats", 200, 50, *common(out))
    model.pitch_stats = (200.0, 50.0)
    return model, 1.0


def reference(model, vocoder, mel_scale, ids, pitch):
    """Computes the outputs of PyTorch, step by step."""
    with torch.no_grad():
        features, durations = model.encode(ids, None, pitch)
        frames = torch.round(durations[0]).clamp(min=0).long()
        stretched = features.repeat_interleave(frames, dim=1)
        mel = model.decode(stretched)
        samples = vocoder(mel * mel_scale)
        return dict(features=features, durations=durations, stretched=stretched, mel=mel, samples=samples)


def main(out, kind="fastspeech2", version="v1"):
    torch.manual_seed(7)
    out = Path(out)
    pack = out / "pack"
    pack.mkdir(parents=True, exist_ok=True)
    model, mel_scale = {"fastspeech2": write_fastspeech2, "fastpitch": write_fastpitch}[kind](out, pack)
    shape = {"v1": V1, "v2": V2, "v3": V3}[version]
    vocoder = Generator(shape, MELS).eval()
    louder(vocoder)
    (out / "vocoder.json").write_text(json.dumps(shape))
    torch.save({"generator": weight_norm(vocoder.state_dict())}, out / "generator")
    run("hifigan.py", out / "vocoder.json", out / "generator", pack)
    ids, pitch = torch.randint(3, 28, (1, 60)), torch.tensor([2.0])
    expected = reference(model, vocoder, mel_scale, ids, pitch)
    folder = out / "reference"
    folder.mkdir(exist_ok=True)
    for name, value in dict(expected, input=ids, pitch=pitch, mel_scale=torch.tensor([mel_scale])).items():
        value.numpy().astype("<f4").tofile(folder / f"{name}.f32")
    session = lambda name: onnxruntime.InferenceSession(str(pack / f"{name}.onnx"))
    encoded = session("encoder").run(None, {"input": ids.numpy(), "pitch": pitch.numpy()})
    given = dict(zip(["features", "durations"], encoded))
    given["mel"] = session("mel_decoder").run(None, {"features": expected["stretched"].numpy()})[0]
    given["samples"] = session("vocoder").run(None, {"mel": (expected["mel"] * mel_scale).numpy()})[0]
    for name, value in given.items():
        wanted = expected[name].numpy()
        off, most = numpy.abs(value - wanted).max(), numpy.abs(wanted).max()
        print(f"{kind} {version} {name} {list(wanted.shape)}: ONNX Runtime deviates by {off:.2e}, with values up to {most:.2f}")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
