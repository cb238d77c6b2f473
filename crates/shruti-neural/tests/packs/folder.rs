//! Folders in the format of `train/export`, with random weights: an acoustic model with a vocoder, and whole graphs.

use std::fmt::Write;
use std::path::Path;

use rten_onnx::onnx::{
    AttributeProto, AttributeType, DataType, ModelProto, NodeProto, TensorProto, ValueInfoProto,
};

use crate::graph::{Builder, SYMBOLS, int, ints, model, path};

/// Size of an acoustic model.
#[derive(Clone, Copy)]
pub(crate) struct AcousticSize {
    /// Channels of features.
    pub channels: i64,
    /// Channels inside a block.
    pub inner: i64,
    /// Number of blocks of the encoder and of the mel decoder.
    pub blocks: usize,
    /// Channels of the mel spectrogram.
    pub mels: i64,
    /// Number of speakers. If it is 1, the encoder has no speaker input.
    pub speakers: i64,
    /// Whether the encoder has a pitch input.
    pub has_pitch: bool,
}

impl AcousticSize {
    /// Small size for tests.
    pub(crate) const SMALL: Self =
        Self { channels: 16, inner: 24, blocks: 1, mels: 10, speakers: 1, has_pitch: false };
}

/// Size of a vocoder as described in J. Kong and others, "HiFi-GAN" (2020).
#[derive(Clone, Copy)]
pub(crate) struct VocoderSize {
    /// Channels before the first stage.
    pub channels: i64,
    /// Kernel size and stride of each stage.
    pub stages: &'static [(i64, i64)],
    /// Kernel sizes of the residual blocks. Each block has three pairs of convolutions: the first of a pair has a
    /// dilation of 1, 3 or 5, the second has none.
    pub kernels: &'static [i64],
}

/// Stages of V1 and V2: 256 samples per frame.
const STAGES: [(i64, i64); 4] = [(16, 8), (16, 8), (4, 2), (4, 2)];

impl VocoderSize {
    /// Small size for tests.
    pub(crate) const SMALL: Self = Self { channels: 16, stages: &[(16, 8), (8, 4)], kernels: &[3, 5] };
    /// V1 of the paper.
    pub(crate) const V1: Self = Self { channels: 512, stages: &STAGES, kernels: &[3, 7, 11] };
    /// V2 of the paper.
    pub(crate) const V2: Self = Self { channels: 128, ..Self::V1 };
    /// Small size for tests, with longer frames.
    const LONGER: Self = Self { stages: &[(16, 8), (16, 8)], ..Self::SMALL };
}

/// Samples per frame of the small vocoder.
pub(crate) const SMALL_HOP: usize = 32;

/// Graphs of an acoustic model and a vocoder.
pub(crate) struct Acoustic {
    pub encoder: ModelProto,
    pub mel_decoder: ModelProto,
    pub vocoder: ModelProto,
}

impl Acoustic {
    pub(crate) fn new(size: AcousticSize, vocoder: VocoderSize) -> Self {
        Self { encoder: encoder(size), mel_decoder: mel_decoder(size), vocoder: hifi_gan(vocoder, size.mels) }
    }

    pub(crate) fn small() -> Self {
        Self::new(AcousticSize::SMALL, VocoderSize::SMALL)
    }

    /// Writes the graphs and an unfinished manifest.
    pub(crate) fn write(&self, folder: &Path, speakers: i64) {
        for (name, model) in
            [("encoder", &self.encoder), ("mel_decoder", &self.mel_decoder), ("vocoder", &self.vocoder)]
        {
            std::fs::write(folder.join(format!("{name}.onnx")), model.write_buf().unwrap()).unwrap();
        }
        let graph = "kind = \"acoustic-vocoder\"\nrate = 22050\nmel_scale = 1.5\n\
            files = { encoder = \"encoder.onnx\", mel_decoder = \"mel_decoder.onnx\", vocoder = \"vocoder.onnx\" }";
        write_manifest(folder, graph, speakers);
    }
}

/// Writes a graph that runs as a whole, style tables for its speakers, and an unfinished manifest.
pub(crate) fn write_whole(folder: &Path, model: &ModelProto, speakers: i64) {
    std::fs::write(folder.join("whole.onnx"), model.write_buf().unwrap()).unwrap();
    let mut random = fastrand::Rng::with_seed(9);
    let mut styles = Vec::new();
    for speaker in 0..speakers {
        let table: Vec<u8> = (0..ROWS * STYLE).flat_map(|_| (random.f32() - 0.5).to_le_bytes()).collect();
        let name = format!("style_{speaker}.bin");
        std::fs::write(folder.join(&name), table).unwrap();
        styles.push(format!("{name:?}"));
    }
    let styles = styles.join(", ");
    let graph =
        format!("kind = \"whole\"\nrate = 24000\nfiles = {{ whole = \"whole.onnx\", styles = [{styles}] }}");
    write_manifest(folder, &graph, speakers);
}

/// Number of rows of a style table.
const ROWS: i64 = 60;
/// Number of values in a row of a style table.
const STYLE: i64 = 8;

fn write_manifest(folder: &Path, graph: &str, speakers: i64) {
    let mut text = "format = 1\nid = \"test\"\n".to_owned();
    for speaker in 0..speakers {
        let number = if speakers > 1 { format!("speaker = {speaker}\n") } else { String::new() };
        write!(text, "[[voice]]\nname = \"Test {speaker}\"\nlanguages = [\"hi\"]\n{number}").unwrap();
    }
    write!(
        text,
        "[licence]\nspdx = \"MIT\"\nattribution = \"nobody\"\ncommercial = \"yes\"\nsource = \"random weights\"\n\
         text = \"CARD\"\n[input]\nkind = \"characters\"\nsymbols = \"symbols.tsv\"\nbegin = [\"^\"]\nbetween = []\n\
         end = [\"$\"]\nunknown = \"skip\"\nmax_symbols = 60\n[graph]\n{graph}\n[sound]\npauses = \"ours\"\n"
    )
    .unwrap();
    std::fs::write(folder.join("pack.toml"), text).unwrap();
    std::fs::write(folder.join("CARD"), "random weights").unwrap();
    let letters = ('a'..='z').enumerate();
    let letters = letters.fold(String::new(), |text, (at, letter)| text + &format!("{letter}\t{}\n", at + 4));
    std::fs::write(folder.join("symbols.tsv"), format!("_\t0\n^\t1\n$\t2\n \t3\n{letters}")).unwrap();
}

/// Adds a block of a feed-forward transformer with one head, for `[1, length, channels]`.
fn block(b: &mut Builder, x: &str, channels: i64, inner: i64) -> String {
    let [query, key, value] = [(); 3].map(|()| {
        let weight = b.random(&[channels, channels], 1.0 / channels as f32);
        b.node("MatMul", &[x, &weight], vec![])
    });
    let key = b.node("Transpose", &[&key], vec![ints("perm", &[0, 2, 1])]);
    let scores = b.node("MatMul", &[&query, &key], vec![]);
    let scale = b.floats(&[], &[1.0 / (channels as f32).sqrt()]);
    let scores = b.node("Mul", &[&scores, &scale], vec![]);
    let weights = b.node("Softmax", &[&scores], vec![int("axis", -1)]);
    let y = b.node("MatMul", &[&weights, &value], vec![]);
    let x = b.node("Add", &[x, &y], vec![]);
    let x = norm(b, &x, channels);
    let y = b.node("Transpose", &[&x], vec![ints("perm", &[0, 2, 1])]);
    let y = b.conv(&y, channels, inner, 3, 1);
    let y = b.node("Relu", &[&y], vec![]);
    let y = b.conv(&y, inner, channels, 3, 1);
    let y = b.node("Transpose", &[&y], vec![ints("perm", &[0, 2, 1])]);
    let x = b.node("Add", &[&x, &y], vec![]);
    norm(b, &x, channels)
}

fn norm(b: &mut Builder, x: &str, channels: i64) -> String {
    let ones = b.floats(&[channels], &vec![1.0; channels as usize]);
    b.node("LayerNormalization", &[x, &ones], vec![int("axis", -1)])
}

fn output(b: &mut Builder, name: String) {
    b.graph.output.push(ValueInfoProto { name: Some(name), r#type: None });
}

/// Returns an encoder from symbols to features `[1, symbols, channels]` and durations `[1, symbols]`.
fn encoder(size: AcousticSize) -> ModelProto {
    let mut b = Builder::new();
    b.input("input", DataType::INT64, &[Some(1), None]);
    let table = b.random(&[SYMBOLS, size.channels], 1.0);
    let mut x = b.node("Gather", &[&table, "input"], vec![]);
    if size.speakers > 1 {
        b.input("sid", DataType::INT64, &[Some(1)]);
        let table = b.random(&[size.speakers, size.channels], 1.0);
        let row = b.node("Gather", &[&table, "sid"], vec![]);
        x = b.node("Add", &[&x, &row], vec![]);
    }
    for _ in 0..size.blocks {
        x = block(&mut b, &x, size.channels, size.inner);
    }
    let weight = b.random(&[size.channels, 1], 0.5 / size.channels as f32);
    let y = b.node("MatMul", &[&x, &weight], vec![]);
    let axis = b.whole(&[1], &[2]);
    let y = b.node("Squeeze", &[&y, &axis], vec![]);
    let usual = b.floats(&[], &[6.0]);
    let durations = b.node("Exp", &[&y], vec![]);
    let durations = b.node("Mul", &[&durations, &usual], vec![]);
    if size.has_pitch {
        b.input("pitch", DataType::FLOAT, &[Some(1)]);
        let weight = b.random(&[size.channels], 0.1);
        let shift = b.node("Mul", &["pitch", &weight], vec![]);
        x = b.node("Add", &[&x, &shift], vec![]);
    }
    output(&mut b, x);
    output(&mut b, durations);
    model(b.graph)
}

/// Returns a decoder from repeated features to a mel spectrogram `[1, mels, frames]`.
fn mel_decoder(size: AcousticSize) -> ModelProto {
    let mut b = Builder::new();
    b.input("features", DataType::FLOAT, &[Some(1), None, Some(size.channels)]);
    let mut x = "features".to_owned();
    for _ in 0..size.blocks {
        x = block(&mut b, &x, size.channels, size.inner);
    }
    let x = b.node("Transpose", &[&x], vec![ints("perm", &[0, 2, 1])]);
    let mel = b.conv(&x, size.channels, size.mels, 5, 1);
    output(&mut b, mel);
    model(b.graph)
}

/// Returns a HiFi-GAN vocoder model, which converts a mel spectrogram to samples.
fn hifi_gan(size: VocoderSize, mels: i64) -> ModelProto {
    let mut b = Builder::new();
    b.input("mel", DataType::FLOAT, &[Some(1), Some(mels), None]);
    let sound = generator(&mut b, "mel", size, mels);
    output(&mut b, sound);
    model(b.graph)
}

/// Adds the generator of HiFi-GAN.
fn generator(b: &mut Builder, x: &str, size: VocoderSize, mels: i64) -> String {
    let mut x = b.conv(x, mels, size.channels, 7, 1);
    let mut channels = size.channels;
    for &(kernel, stride) in size.stages {
        x = b.leaky(&x);
        let weight = b.random(&[channels, channels / 2, kernel], 2.0 / channels as f32);
        channels /= 2;
        let bias = b.random(&[channels], 0.01);
        let pad = (kernel - stride) / 2;
        let attributes =
            vec![ints("kernel_shape", &[kernel]), ints("strides", &[stride]), ints("pads", &[pad, pad])];
        x = b.node("ConvTranspose", &[&x, &weight, &bias], attributes);
        let blocks: Vec<String> = size
            .kernels
            .iter()
            .map(|&kernel| {
                let mut y = x.clone();
                for dilation in [1, 3, 5] {
                    let a = b.leaky(&y);
                    let a = b.conv(&a, channels, channels, kernel, dilation);
                    let a = b.leaky(&a);
                    let a = b.conv(&a, channels, channels, kernel, 1);
                    y = b.node("Add", &[&a, &y], vec![]);
                }
                y
            })
            .collect();
        let names: Vec<&str> = blocks.iter().map(String::as_str).collect();
        x = b.node("Mean", &names, vec![]);
    }
    x = b.leaky(&x);
    x = b.conv(&x, channels, 1, 7, 1);
    b.node("Tanh", &[&x], vec![])
}

/// Size of a graph that runs as a whole.
#[derive(Clone, Copy)]
pub(crate) struct WholeSize {
    /// Channels between symbols and the generator.
    pub channels: i64,
    /// Channels inside a block of the encoder.
    pub inner: i64,
    /// Blocks of the encoder.
    pub blocks: usize,
    /// Generator that produces the samples.
    pub generator: VocoderSize,
    /// Whether the graph outputs the duration of each symbol.
    pub has_durations: bool,
}

impl WholeSize {
    /// Small size for tests.
    pub(crate) const SMALL: Self =
        Self { channels: 16, inner: 24, blocks: 1, generator: VocoderSize::LONGER, has_durations: true };
}

/// Returns a graph in the form of Kokoro: from symbols, a style and a speed to samples. The graph draws normal and
/// uniform numbers, and normalises over the whole utterance.
pub(crate) fn whole(size: WholeSize) -> ModelProto {
    let mut b = Builder::new();
    let c = size.channels;
    b.input("input_ids", DataType::INT64, &[Some(1), None]);
    b.input("style", DataType::FLOAT, &[Some(1), Some(STYLE)]);
    b.input("speed", DataType::FLOAT, &[Some(1)]);
    let table = b.random(&[SYMBOLS, c], 1.0);
    let mut x = b.node("Gather", &[&table, "input_ids"], vec![]);
    let weight = b.random(&[STYLE, c], 1.0);
    let style = b.node("MatMul", &["style", &weight], vec![]);
    x = b.node("Add", &[&x, &style], vec![]);
    for _ in 0..size.blocks {
        x = block(&mut b, &x, c, size.inner);
    }
    let x = b.node("Transpose", &[&x], vec![ints("perm", &[0, 2, 1])]);
    let y = b.conv(&x, c, 1, 1, 1);
    let y = b.node("Tanh", &[&y], vec![]);
    let y = b.node("Exp", &[&y], vec![]);
    let usual = b.floats(&[], &[6.0]);
    let y = b.node("Mul", &[&y, &usual], vec![]);
    let y = b.node("Div", &[&y, "speed"], vec![]);
    let frames = b.node("Ceil", &[&y], vec![]);
    let path = path(&mut b, &frames);
    let x = b.node("Transpose", &[&x], vec![ints("perm", &[0, 2, 1])]);
    let x = b.node("MatMul", &[&path, &x], vec![]);
    let x = b.node("Transpose", &[&x], vec![ints("perm", &[0, 2, 1])]);
    // add a random phase per channel, and noise
    let phase = b.node("RandomUniform", &[], vec![ints("shape", &[1, c, 1]), float("low", -0.5)]);
    let x = b.node("Add", &[&x, &phase], vec![]);
    let noise = b.node("RandomNormalLike", &[&x], vec![float("scale", 0.3)]);
    let x = b.node("Add", &[&x, &noise], vec![]);
    let loudest = b.node("ReduceMax", &[&x], vec![]);
    let x = b.node("Div", &[&x, &loudest], vec![]);
    let sound = generator(&mut b, &x, size.generator, c);
    output(&mut b, sound);
    if size.has_durations {
        let flat = b.whole(&[1], &[-1]);
        let durations = b.node("Reshape", &[&frames, &flat], vec![]);
        output(&mut b, durations);
    }
    model(b.graph)
}

pub(crate) fn float(name: &str, value: f32) -> AttributeProto {
    let name = Some(name.to_owned());
    AttributeProto { name, f: Some(value), r#type: Some(AttributeType::FLOAT), ..AttributeProto::default() }
}

/// Adds `samples` samples of silence before and after the output of a graph that runs as a whole.
#[allow(dead_code, reason = "for some of the tests")]
pub(crate) fn pad_with_silence(model: &mut ModelProto, samples: i64) {
    let graph = model.graph.as_mut().unwrap();
    let output = graph.output[0].name.clone().unwrap();
    let last = graph.node.iter_mut().find(|node| node.output.contains(&output)).unwrap();
    last.output = vec!["unpadded".to_owned()];
    let pads = [0, 0, samples, 0, 0, samples];
    graph.initializer.push(TensorProto {
        name: Some("pads".to_owned()),
        dims: vec![6],
        data_type: Some(DataType::INT64),
        raw_data: Some(std::cell::RefCell::new(pads.iter().flat_map(|n: &i64| n.to_le_bytes()).collect())),
        ..TensorProto::default()
    });
    graph.node.push(NodeProto {
        op_type: Some("Pad".to_owned()),
        input: vec!["unpadded".to_owned(), "pads".to_owned()],
        output: vec![output],
        ..NodeProto::default()
    });
}
