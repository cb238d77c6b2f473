//! Graphs with the structure of Piper's graphs and with random weights, which are the same in every run.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use rten_onnx::onnx::{
    AttributeProto, AttributeType, DataType, Dimension, GraphProto, ModelProto, NodeProto,
    OperatorSetIdProto, TensorProto, TensorShapeProto, TypeProto, TypeProtoTensor, ValueInfoProto,
};
use shruti_lang::Language;
use shruti_neural::ImportOptions;
use shruti_packs::{Commercial, InputKind, Licence, PackVoice};

/// Size of a graph.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    /// Channels of the encoder.
    pub hidden: i64,
    /// Convolutions of the encoder.
    pub encoder: usize,
    /// Channels of the frames.
    pub channels: i64,
    /// Layers of the flow.
    pub flow: usize,
    /// Channels of the decoder's first stage.
    pub decoder: i64,
    /// Residual blocks of each stage of the decoder: 1 to 3.
    pub blocks: usize,
    /// Number of speakers. If it is 1, the graph has no speaker input.
    pub speakers: i64,
}

impl Size {
    /// Small size for tests: 0.05 MB. The decoder takes most of the time; its stages have 4, 2 and 1 channels.
    pub(crate) const SMALL: Self =
        Self { hidden: 16, encoder: 2, channels: 12, flow: 2, decoder: 8, blocks: 1, speakers: 1 };
    /// Size of Piper's medium voices: 63 MB.
    #[allow(dead_code, reason = "for examples")]
    pub(crate) const MEDIUM: Self =
        Self { hidden: 192, encoder: 39, channels: 192, flow: 16, decoder: 256, blocks: 3, speakers: 1 };
}

/// Builder for a graph.
pub(crate) struct Builder {
    pub graph: GraphProto,
    random: fastrand::Rng,
    count: usize,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self { graph: GraphProto::default(), random: fastrand::Rng::with_seed(7), count: 0 }
    }

    pub(crate) fn input(&mut self, name: &str, kind: DataType, dims: &[Option<i64>]) {
        let dim = |dim: &Option<i64>| Dimension {
            dim_value: *dim,
            dim_param: dim.is_none().then(|| "length".to_owned()),
        };
        let shape = Some(TensorShapeProto { dim: dims.iter().map(dim).collect() });
        let tensor_type = Some(TypeProtoTensor { elem_type: Some(kind), shape });
        let r#type = Some(TypeProto { tensor_type, ..TypeProto::default() });
        self.graph.input.push(ValueInfoProto { name: Some(name.to_owned()), r#type });
    }

    /// Adds a node with one output and returns the name of the output.
    pub(crate) fn node(&mut self, kind: &str, inputs: &[&str], attributes: Vec<AttributeProto>) -> String {
        self.count += 1;
        let output = format!("{kind}_{}", self.count);
        self.graph.node.push(NodeProto {
            name: Some(format!("/{output}")),
            op_type: Some(kind.to_owned()),
            input: inputs.iter().map(|&name| name.to_owned()).collect(),
            output: vec![output.clone()],
            attribute: attributes,
            ..NodeProto::default()
        });
        output
    }

    pub(crate) fn weight(&mut self, kind: DataType, dims: &[i64], bytes: Vec<u8>) -> String {
        self.count += 1;
        let name = format!("weight_{}", self.count);
        self.graph.initializer.push(TensorProto {
            name: Some(name.clone()),
            dims: dims.to_vec(),
            data_type: Some(kind),
            raw_data: Some(RefCell::new(bytes)),
            ..TensorProto::default()
        });
        name
    }

    pub(crate) fn floats(&mut self, dims: &[i64], values: &[f32]) -> String {
        self.weight(DataType::FLOAT, dims, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    pub(crate) fn whole(&mut self, dims: &[i64], values: &[i64]) -> String {
        self.weight(DataType::INT64, dims, values.iter().flat_map(|value| value.to_le_bytes()).collect())
    }

    /// Adds a weight with values that are uniformly distributed around 0 with a variance of `power`.
    pub(crate) fn random(&mut self, dims: &[i64], power: f32) -> String {
        let count = dims.iter().product::<i64>();
        let most = (3.0 * power).sqrt();
        let values: Vec<f32> = (0..count).map(|_| most * (2.0 * self.random.f32() - 1.0)).collect();
        self.floats(dims, &values)
    }

    /// Adds a convolution that keeps the length.
    pub(crate) fn conv(&mut self, x: &str, from: i64, to: i64, kernel: i64, dilation: i64) -> String {
        let weight = self.random(&[to, from, kernel], 1.0 / (from * kernel) as f32);
        let bias = self.random(&[to], 0.01);
        let pad = dilation * (kernel - 1) / 2;
        let attributes =
            vec![ints("kernel_shape", &[kernel]), ints("dilations", &[dilation]), ints("pads", &[pad, pad])];
        self.node("Conv", &[x, &weight, &bias], attributes)
    }

    pub(crate) fn leaky(&mut self, x: &str) -> String {
        let slope = AttributeProto {
            name: Some("alpha".to_owned()),
            f: Some(0.1),
            r#type: Some(AttributeType::FLOAT),
            ..AttributeProto::default()
        };
        self.node("LeakyRelu", &[x], vec![slope])
    }
}

pub(crate) fn ints(name: &str, values: &[i64]) -> AttributeProto {
    let (name, ints) = (Some(name.to_owned()), values.to_vec());
    AttributeProto { name, ints, r#type: Some(AttributeType::INTS), ..AttributeProto::default() }
}

pub(crate) fn int(name: &str, value: i64) -> AttributeProto {
    let name = Some(name.to_owned());
    AttributeProto { name, i: Some(value), r#type: Some(AttributeType::INT), ..AttributeProto::default() }
}

/// Number of symbols of the graph: `_`, `^`, `$`, space, and 26 letters.
pub(crate) const SYMBOLS: i64 = 30;
/// Strides and kernels of the three stages of the decoder, as in Piper's medium voices.
const STAGES: [(i64, i64); 3] = [(8, 16), (8, 16), (4, 8)];
const BLOCKS: [(i64, [i64; 2]); 3] = [(3, [1, 2]), (5, [2, 6]), (7, [3, 12])];

/// Returns a VITS graph as Piper exports it. The graph has the inputs `input`, `input_lengths`, `scales` and, with more
/// than one speaker, `sid`. It has one output.
pub(crate) fn piper(size: Size) -> ModelProto {
    let mut b = Builder::new();
    b.input("input", DataType::INT64, &[Some(1), None]);
    b.input("input_lengths", DataType::INT64, &[Some(1)]);
    b.input("scales", DataType::FLOAT, &[Some(3)]);
    let speaker = (size.speakers > 1).then(|| {
        b.input("sid", DataType::INT64, &[Some(1)]);
        let table = b.random(&[size.speakers, size.hidden], 1.0);
        let row = b.node("Gather", &[&table, "sid"], vec![]);
        let axis = b.whole(&[1], &[2]);
        b.node("Unsqueeze", &[&row, &axis], vec![])
    });
    let scale = |b: &mut Builder, at: i64| {
        let index = b.whole(&[1], &[at]);
        b.node("Gather", &["scales", &index], vec![])
    };
    let [noise, length, duration_noise] = [0, 1, 2].map(|at| scale(&mut b, at));

    // add the encoder
    let table = b.random(&[SYMBOLS, size.hidden], 1.0);
    let x = b.node("Gather", &[&table, "input"], vec![]);
    let mut x = b.node("Transpose", &[&x], vec![ints("perm", &[0, 2, 1])]);
    if let Some(speaker) = &speaker {
        x = b.node("Add", &[&x, speaker], vec![]);
    }
    for _ in 0..size.encoder {
        let y = b.conv(&x, size.hidden, size.hidden, 5, 1);
        let y = b.node("Tanh", &[&y], vec![]);
        x = b.node("Add", &[&x, &y], vec![]);
    }
    let mean = b.conv(&x, size.hidden, size.channels, 1, 1);
    let spread = b.conv(&x, size.hidden, size.channels, 1, 1);
    let spread = b.node("Tanh", &[&spread], vec![]);

    // compute the durations from noise and the output of the encoder
    let two = b.random(&[2, size.hidden, 1], 0.1);
    let like = b.node("Conv", &[&x, &two], vec![ints("kernel_shape", &[1])]);
    let drawn = b.node("RandomNormalLike", &[&like], vec![]);
    let drawn = b.node("Mul", &[&drawn, &duration_noise], vec![]);
    let drawn = b.conv(&drawn, 2, 1, 1, 1);
    let log = b.conv(&x, size.hidden, 1, 1, 1);
    let log = b.node("Tanh", &[&log], vec![]);
    let log = b.node("Add", &[&log, &drawn], vec![]);
    let log = b.node("Tanh", &[&log], vec![]);
    let usual = b.floats(&[], &[1.2]);
    let log = b.node("Add", &[&log, &usual], vec![]);
    let frames = b.node("Exp", &[&log], vec![]);
    let frames = b.node("Mul", &[&frames, &length], vec![]);
    let frames = b.node("Ceil", &[&frames], vec![]);

    let path = path(&mut b, &frames);
    let [mean, spread] = [&mean, &spread].map(|x| {
        let x = b.node("Transpose", &[x], vec![ints("perm", &[0, 2, 1])]);
        let x = b.node("MatMul", &[&path, &x], vec![]);
        b.node("Transpose", &[&x], vec![ints("perm", &[0, 2, 1])])
    });
    let drawn = b.node("RandomNormalLike", &[&mean], vec![]);
    let spread = b.node("Exp", &[&spread], vec![]);
    let drawn = b.node("Mul", &[&drawn, &spread], vec![]);
    let drawn = b.node("Mul", &[&drawn, &noise], vec![]);
    let mut z = b.node("Add", &[&mean, &drawn], vec![]);
    for _ in 0..size.flow {
        let a = b.conv(&z, size.channels, size.channels, 5, 1);
        let a = b.node("Tanh", &[&a], vec![]);
        let g = b.conv(&z, size.channels, size.channels, 5, 1);
        let g = b.node("Sigmoid", &[&g], vec![]);
        let y = b.node("Mul", &[&a, &g], vec![]);
        let y = b.conv(&y, size.channels, size.channels, 1, 1);
        z = b.node("Add", &[&z, &y], vec![]);
    }

    let x = decoder(&mut b, size, &z, speaker.as_deref());
    let axis = b.whole(&[1], &[1]);
    let output = b.node("Unsqueeze", &[&x, &axis], vec![]);
    b.graph.output.push(ValueInfoProto { name: Some(output), r#type: None });
    model(b.graph)
}

/// Adds a matrix of ones and zeros, `[1, frames, symbols]`, that assigns each frame to its symbol. `frames` is the
/// number of frames of each symbol, `[1, 1, symbols]`.
pub(crate) fn path(b: &mut Builder, frames: &str) -> String {
    let axis = b.whole(&[], &[2]);
    let ends = b.node("CumSum", &[frames, &axis], vec![]);
    let begins = b.node("Sub", &[&ends, frames], vec![]);
    let total = b.node("ReduceSum", &[frames], vec![int("keepdims", 0)]);
    let total = b.node("Cast", &[&total], vec![int("to", i64::from(DataType::INT64.0))]);
    let (zero, one) = (b.whole(&[], &[0]), b.whole(&[], &[1]));
    let places = b.node("Range", &[&zero, &total, &one], vec![]);
    let places = b.node("Cast", &[&places], vec![int("to", i64::from(DataType::FLOAT.0))]);
    let axes = b.whole(&[2], &[0, 2]);
    let places = b.node("Unsqueeze", &[&places, &axes], vec![]);
    let [before_end, before_begin] = [&ends, &begins].map(|edge| {
        let is = b.node("Less", &[&places, edge], vec![]);
        b.node("Cast", &[&is], vec![int("to", i64::from(DataType::FLOAT.0))])
    });
    b.node("Sub", &[&before_end, &before_begin], vec![])
}

/// Adds a decoder from frames to samples.
fn decoder(b: &mut Builder, size: Size, z: &str, speaker: Option<&str>) -> String {
    let mut x = b.conv(z, size.channels, size.decoder, 7, 1);
    if let Some(speaker) = &speaker {
        let y = b.conv(speaker, size.hidden, size.decoder, 1, 1);
        x = b.node("Add", &[&x, &y], vec![]);
    }
    let mut channels = size.decoder;
    for (stride, kernel) in STAGES {
        x = b.leaky(&x);
        let weight = b.random(&[channels, channels / 2, kernel], 2.0 / channels as f32);
        channels /= 2;
        let bias = b.random(&[channels], 0.01);
        let pad = (kernel - stride) / 2;
        let attributes =
            vec![ints("kernel_shape", &[kernel]), ints("strides", &[stride]), ints("pads", &[pad, pad])];
        x = b.node("ConvTranspose", &[&x, &weight, &bias], attributes);
        let input = x.clone();
        for (block, (kernel, dilations)) in BLOCKS.into_iter().take(size.blocks).enumerate() {
            let mut y = input.clone();
            for dilation in dilations {
                let a = b.leaky(&y);
                let a = b.conv(&a, channels, channels, kernel, dilation);
                y = b.node("Add", &[&a, &y], vec![]);
            }
            x = if block == 0 { y } else { b.node("Add", &[&x, &y], vec![]) };
        }
        let count = b.floats(&[], &[size.blocks as f32]);
        x = b.node("Div", &[&x, &count], vec![]);
    }
    x = b.leaky(&x);
    x = b.conv(&x, channels, 1, 7, 1);
    b.node("Tanh", &[&x], vec![])
}

pub(crate) fn model(graph: GraphProto) -> ModelProto {
    let opset = OperatorSetIdProto { domain: None, version: Some(17) };
    ModelProto { ir_version: Some(8), graph: Some(graph), opset_import: vec![opset], ..ModelProto::default() }
}

/// Writes the files of a voice into a folder as Piper publishes them, and returns the path of the graph.
pub(crate) fn write(folder: &Path, model: &ModelProto, speakers: i64) -> PathBuf {
    let file = folder.join("voice.onnx");
    std::fs::write(&file, model.write_buf().unwrap()).unwrap();
    let letters = ('a'..='z').enumerate().map(|(at, letter)| format!(", \"{letter}\": [{}]", at + 4));
    let json = format!(
        r#"{{"audio": {{"sample_rate": 22050}}, "espeak": {{"voice": "hi"}}, "num_speakers": {speakers},
        "inference": {{"noise_scale": 0.667, "length_scale": 1, "noise_w": 0.8}},
        "phoneme_id_map": {{"_": [0], "^": [1], "$": [2], " ": [3]{}}}}}"#,
        letters.collect::<String>()
    );
    std::fs::write(folder.join("voice.onnx.json"), json).unwrap();
    std::fs::write(folder.join("CARD"), "random weights").unwrap();
    file
}

/// Returns the import options for the written voice.
pub(crate) fn options(folder: &Path, speakers: i64) -> ImportOptions {
    let voice = |speaker: i64| PackVoice {
        name: format!("Test {speaker}"),
        sex: None,
        languages: vec![Language::Hindi],
        speaker: (speakers > 1).then_some(speaker as u32),
        upstream: None,
    };
    ImportOptions {
        id: "test".to_owned(),
        voices: (0..speakers).map(voice).collect(),
        licence: Licence {
            spdx: "MIT".to_owned(),
            attribution: "nobody".to_owned(),
            commercial: Commercial::Yes,
            source: "random weights".to_owned(),
            text: String::new(),
        },
        licence_text: folder.join("CARD"),
        input: Some(InputKind::Phones),
        gain_db: Some(0.0),
    }
}
