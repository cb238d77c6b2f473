//! Tests of import and synthesis with a graph in the form of Kokoro-82M with random weights.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use rten_onnx::onnx::{DataType, ModelProto, NodeProto, TensorProto};
use shruti_lang::Language;
use shruti_neural::{
    KOKORO_TERMS, KokoroOptions, Settings, SymbolSequence, Synthesiser, UnknownSymbols, Writer,
    import_kokoro, lines,
};
use shruti_packs::{Commercial, InputKind, Licence, Pack, PackVoice};
use shruti_text::Reader;
use tempfile::TempDir;

use crate::folder::{self, WholeSize};
use crate::graph::SYMBOLS;

/// Exclusive upper bound of Kokoro's symbol numbers.
const NUMBERS: i64 = 178;

/// Returns a graph that has room for Kokoro's symbols, and that rounds and clips durations as Kokoro does but has no
/// output for them.
fn model() -> ModelProto {
    let mut model = folder::whole(WholeSize { has_durations: false, ..WholeSize::SMALL });
    let graph = model.graph.as_mut().unwrap();
    let table = graph.initializer.iter_mut().find(|weight| weight.dims[0] == SYMBOLS).unwrap();
    let row = 4 * table.dims[1] as usize;
    let bytes = table.raw_data.take().unwrap().into_inner();
    table.raw_data = Some(RefCell::new(bytes.into_iter().cycle().take(row * NUMBERS as usize).collect()));
    table.dims[0] = NUMBERS;
    let one = TensorProto {
        name: Some("one".to_owned()),
        data_type: Some(DataType::FLOAT),
        raw_data: Some(RefCell::new(1.0_f32.to_le_bytes().to_vec())),
        ..TensorProto::default()
    };
    graph.initializer.push(one);
    let place = graph.node.iter().position(|node| node.op_type.as_deref() == Some("Ceil")).unwrap();
    let rounding = &mut graph.node[place];
    rounding.op_type = Some("Round".to_owned());
    let frames = std::mem::replace(&mut rounding.output, vec!["rounded".to_owned()]);
    let clipping = NodeProto {
        op_type: Some("Clip".to_owned()),
        input: vec!["rounded".to_owned(), "one".to_owned()],
        output: frames,
        ..NodeProto::default()
    };
    graph.node.insert(place + 1, clipping);
    model
}

/// Writes the files of the voice and returns its import options.
fn written(model: &ModelProto) -> (TempDir, PathBuf, KokoroOptions) {
    let folder = tempfile::tempdir().unwrap();
    folder::write_whole(folder.path(), model, 2);
    let voice = |speaker: u32| PackVoice {
        name: format!("voice_{speaker}"),
        sex: None,
        languages: Language::ALL.to_vec(),
        speaker: Some(speaker),
        upstream: None,
    };
    let options = KokoroOptions {
        id: "kokoro".to_owned(),
        voices: vec![voice(0), voice(1)],
        styles: ["style_0.bin", "style_1.bin"].map(|name| folder.path().join(name)).to_vec(),
        licence: Licence {
            spdx: "Apache-2.0".to_owned(),
            attribution: "nobody".to_owned(),
            commercial: Commercial::Yes,
            source: "random weights".to_owned(),
            text: String::new(),
        },
        licence_text: None,
        gain_db: Some(0.0),
    };
    let file = folder.path().join("whole.onnx");
    (folder, file, options)
}

fn imported(folder: &Path, file: &Path, options: &KokoroOptions) -> Pack {
    import_kokoro(&folder.join("packs"), file, options).unwrap()
}

fn sequence(synthesiser: &Synthesiser, text: &str, language: Language) -> SymbolSequence {
    let settings = shruti_text::Settings { language: Some(language), ..shruti_text::Settings::default() };
    let mut reader = Reader::new(settings);
    reader.push(text);
    reader.finish();
    let writer = Writer::of_pack(synthesiser.manifest()).unwrap();
    let table = synthesiser.symbols();
    let utterance = reader.next_utterance().unwrap();
    table.sequence_of(&writer.write(&utterance, &|symbol| table.contains(symbol))).unwrap()
}

fn samples(synthesiser: &Synthesiser, sequence: &SymbolSequence, speaker: u32) -> Vec<i16> {
    let settings = Settings { speaker: Some(speaker), ..Settings::default() };
    let mut prepared = synthesiser.prepare(sequence, &settings).unwrap();
    let mut samples = Vec::new();
    while let Some(chunk) = synthesiser.next(&mut prepared.passage).unwrap() {
        samples.extend(chunk);
    }
    samples
}

#[test]
fn a_pack_of_a_graph_and_styles_speaks_all_languages() {
    let (folder, file, options) = written(&model());
    let pack = imported(folder.path(), &file, &options);
    let manifest = pack.manifest();
    assert_eq!((manifest.input.kind, manifest.input.max_symbols), (InputKind::Kokoro, 200));
    assert_eq!(pack.licence_text().unwrap(), KOKORO_TERMS.as_bytes());
    for language in Language::ALL {
        let counted = UnknownSymbols::of_pack(&pack, lines(language), language).unwrap();
        assert_eq!(counted.unknown, 0, "{language}: {counted:?}");
    }
    let synthesiser = Synthesiser::load(&pack, 1).unwrap();
    assert!(synthesiser.has_word_times(), "the durations have become an output");
    let english = sequence(&synthesiser, "A day.", Language::English);
    // symbol numbers in Kokoro's own table: $ ə space d ˈ A . $
    assert_eq!(english.ids, [0, 83, 16, 46, 156, 24, 4, 0]);
    assert_eq!((english.words.clone(), english.symbols), (vec![1..2, 3..6], 6));
    let hindi = sequence(&synthesiser, "नमस्ते।", Language::Hindi);
    let [first, second] = [0, 1].map(|speaker| samples(&synthesiser, &hindi, speaker));
    assert!(first.iter().any(|sample| sample.unsigned_abs() > 100), "silence");
    assert_ne!(first, second, "both voices have one style");
    assert_eq!(first, samples(&synthesiser, &hindi, 0), "the same request gives the same samples");
}

#[test]
fn files_of_other_models_are_rejected_with_the_reason() {
    type Change = fn(&Path, &mut KokoroOptions);
    let cases: [(Change, &str); 8] = [
        (|at, _| std::fs::write(at.join("whole.onnx"), "no graph").unwrap(), "whole.onnx: "),
        (|at, _| std::fs::remove_file(at.join("whole.onnx")).unwrap(), "whole.onnx: "),
        (
            |at, _| std::fs::write(at.join("style_1.bin"), [0; 33]).unwrap(),
            "style_1.bin: 33 bytes; it must have",
        ),
        (|at, _| std::fs::write(at.join("style_1.bin"), [255; 32]).unwrap(), "style_1.bin: NaN at 0"),
        (|_, options| options.styles.truncate(1), "`speaker` 1, but only 1 files"),
        (|_, options| options.styles.clear(), "pack.toml names no file in `graph.files.styles`"),
        (|_, options| options.voices[1].name = "a/b".to_owned(), "`voice[1].name`"),
        (|at, options| options.licence_text = Some(at.join("TERMS")), "TERMS: "),
    ];
    for (change, expected) in cases {
        let (folder, file, mut options) = written(&model());
        change(folder.path(), &mut options);
        options.gain_db = None;
        let error = import_kokoro(&folder.path().join("packs"), &file, &options).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
        assert!(!folder.path().join("packs/kokoro").exists());
    }
}

#[test]
fn graphs_of_another_form_are_rejected_with_the_reason() {
    type Change = fn(&mut ModelProto);
    fn rename(model: &mut ModelProto, from: &str, to: &str) {
        let graph = model.graph.as_mut().unwrap();
        let input = graph.input.iter_mut().find(|input| input.name.as_deref() == Some(from)).unwrap();
        input.name = Some(to.to_owned());
        for name in graph.node.iter_mut().flat_map(|node| &mut node.input).filter(|name| *name == from) {
            *name = to.to_owned();
        }
    }
    let cases: [(Change, &str); 4] = [
        (|model| model.graph = None, "the file contains no graph"),
        (
            |model| rename(model, "style", "voice"),
            "not a graph of Kokoro: there is no input `style` of known width",
        ),
        (|model| rename(model, "speed", "rate"), "its inputs are [\"input_ids\", \"style\", \"rate\""),
        (
            |model| {
                let node = &mut model.graph.as_mut().unwrap().node[0];
                (node.op_type, node.domain) =
                    (Some("FusedMatMul".to_owned()), Some("com.microsoft".to_owned()));
                node.input.truncate(1);
            },
            "(FusedMatMul): its number of values is 1 inputs and 1 outputs; it must be 2 inputs and 1 output",
        ),
    ];
    for (change, expected) in cases {
        let mut model = model();
        change(&mut model);
        let (folder, file, options) = written(&model);
        let options = KokoroOptions { gain_db: None, ..options };
        let error = import_kokoro(&folder.path().join("packs"), &file, &options).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains(expected), "{expected}: {error}");
    }
}
