#!/usr/bin/env python3
"""Exports FastPitch of Coqui TTS (config.json, best_model.pth) to encoder.onnx, mel_decoder.onnx and a partial
pack.toml.

usage: fastpitch.py config.json best_model.pth OUT --id ID --voice NAME --languages te --kind characters …
needs: pip install torch onnx numpy
"""
import json

from acoustic import FastPitch
from folder import arguments, export_acoustic, load_parameters, read_checkpoint, write_pack


def character_table(characters):
    """Returns Coqui's symbol numbers as in `BaseCharacters`: pad, end, begin, blank, letters, punctuation."""
    marks = [characters.get(name) for name in ("pad", "eos", "bos", "blank")]
    letters = characters["characters"]
    if characters.get("is_unique", True):
        letters = sorted(set(letters))
    elif characters.get("is_sorted", True):
        letters = sorted(letters)
    listed = [mark for mark in marks if mark] + list(letters) + list(characters["punctuations"])
    return {symbol: number for number, symbol in enumerate(listed)}


def build(args, symbols, mels, speakers):
    """Returns the model of `model_args`; rejects unsupported options."""
    for part in ("encoder", "decoder"):
        kind = args.get(f"{part}_type", "fftransformer")
        if kind.lower() != "fftransformer":
            raise SystemExit(f"model_args: `{part}_type` is {kind!r}; only 'fftransformer' is supported")
    if args.get("use_energy") or args.get("use_d_vector_file"):
        raise SystemExit("model_args: energy predictors and speaker vectors are not supported")
    if not args.get("use_pitch", True) or not args.get("positional_encoding", True):
        raise SystemExit("model_args: `use_pitch` and `positional_encoding` must be true")
    return FastPitch(args, symbols, mels, speakers)


def main():
    parser = arguments(__doc__)
    parser.add_argument("--pitch-stats", nargs=2, type=float, metavar=("MEAN", "STD"),
                        help="in Hz, from the training's pitch_stats.npy; without it, the pitch of the voice cannot be changed")
    args = parser.parse_args()
    config = json.loads(args.config.read_text(encoding="utf-8"))
    if config.get("add_blank") or config.get("use_phonemes"):
        raise SystemExit("config: `add_blank` and `use_phonemes` are not supported")
    model_args = config["model_args"]
    symbols = character_table(config["characters"])
    state = read_checkpoint(args.checkpoint)["model"]
    count = state["emb.weight"].shape[0]
    if count != len(symbols):
        raise SystemExit(f"the checkpoint has {count} symbols; config.json lists {len(symbols)}")
    speakers = state["emb_g.weight"].shape[0] if "emb_g.weight" in state else 0
    model = build(model_args, count, config["audio"]["num_mels"], speakers)
    model.pitch_stats = args.pitch_stats
    load_parameters(model, state, ignored=["aligner."])
    args.out.mkdir(parents=True, exist_ok=True)
    channels = model_args.get("hidden_channels", 384)
    export_acoustic(model.eval(), channels, speakers > 0, args.pitch_stats is not None, args.out)
    marks = {config["characters"].get(name) for name in ("pad", "eos", "bos", "blank")}
    spoken = {symbol: number for symbol, number in symbols.items() if symbol not in marks}
    write_pack(args, spoken, [], [], config["audio"]["sample_rate"], 1.0, speakers)


if __name__ == "__main__":
    main()
