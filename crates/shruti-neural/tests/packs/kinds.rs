//! Tests of import, synthesis, chunks and word timestamps for packs with an acoustic model and a vocoder, and for packs
//! with a graph that runs as a whole.

use std::path::Path;

use rten_onnx::onnx::{ModelProto, NodeProto, ValueInfoProto};
use shruti_neural::{Chunks, PreparedPassage, Settings, SymbolSequence, Synthesiser, import_folder};
use shruti_packs::{Graph, Manifest, Pack};
use tempfile::TempDir;

use crate::folder::{self, Acoustic, AcousticSize, SMALL_HOP, VocoderSize, WholeSize};
use crate::graph::{self, Size};

const TEXT: &str = "the same request gives the same samples in chunks";

/// Imports a voice of a kind and returns its folder and pack.
fn imported(kind: &str) -> (TempDir, Pack) {
    let folder = tempfile::tempdir().unwrap();
    let packs = folder.path().join("packs");
    let pack = match kind {
        "vits" => {
            let file = graph::write(folder.path(), &graph::piper(Size::SMALL), 1);
            shruti_neural::import_piper(&packs, &file, &graph::options(folder.path(), 1)).unwrap()
        }
        "acoustic-vocoder" => {
            Acoustic::small().write(folder.path(), 1);
            import_folder(&packs, folder.path()).unwrap()
        }
        _ => {
            folder::write_whole(folder.path(), &folder::whole(WholeSize::SMALL), 1);
            import_folder(&packs, folder.path()).unwrap()
        }
    };
    (folder, pack)
}

fn sequence(synthesiser: &Synthesiser) -> SymbolSequence {
    let words = TEXT.split(' ').map(|word| word.chars().map(String::from).collect::<Vec<_>>());
    synthesiser.symbols().sequence(words).unwrap()
}

fn spoken(synthesiser: &Synthesiser, settings: &Settings) -> (Vec<Vec<i16>>, PreparedPassage) {
    let mut prepared = synthesiser.prepare(&sequence(synthesiser), settings).unwrap();
    let mut blocks = Vec::new();
    while let Some(block) = synthesiser.next(&mut prepared.passage).unwrap() {
        blocks.push(block);
    }
    (blocks, prepared)
}

#[test]
fn samples_of_every_kind_are_independent_of_chunks_and_threads() {
    for kind in ["vits", "acoustic-vocoder", "whole"] {
        let (_folder, pack) = imported(kind);
        let first = Synthesiser::load(&pack, 1).unwrap();
        let (expected, prepared) =
            spoken(&first, &Settings { chunks: Chunks::whole(), ..Settings::default() });
        assert_eq!((expected.len(), expected[0].len()), (1, prepared.samples), "{kind}");
        assert!(expected[0].iter().any(|sample| sample.unsigned_abs() > 1_000), "{kind} is nearly silent");
        for threads in 1..=4 {
            let synthesiser = Synthesiser::load(&pack, threads).unwrap();
            for chunks in
                [Chunks::of(25), Chunks::of(40), Chunks::of(100), Chunks::default(), Chunks::whole()]
            {
                let (blocks, _) = spoken(&synthesiser, &Settings { chunks, ..Settings::default() });
                assert!(chunks != Chunks::of(25) || blocks.len() > 1, "{kind}, {chunks:?}");
                assert!(blocks.concat() == expected[0], "{kind}, {chunks:?}, {threads} threads");
            }
        }
    }
}

#[test]
fn import_measures_hop_context_and_loudness() {
    let (_folder, pack) = imported("acoustic-vocoder");
    let Graph::AcousticVocoder(graph) = &pack.manifest().graph else { panic!("another kind") };
    assert_eq!((graph.hop, graph.mel_scale), (SMALL_HOP, 1.5));
    // the convolution before the first stage needs 3 frames on each side, and the stages need more
    assert!((6..=40).contains(&graph.context), "{} frames", graph.context);
    for kind in ["acoustic-vocoder", "whole"] {
        let (_folder, pack) = imported(kind);
        let synthesiser = Synthesiser::load(&pack, 1).unwrap();
        let mut meter = ebur128::EbuR128::new(1, 24_000, ebur128::Mode::I).unwrap();
        for seed in 0..4 {
            let (blocks, _) = spoken(&synthesiser, &Settings { seed, ..Settings::default() });
            meter.add_frames_i16(&blocks.concat()).unwrap();
        }
        let loudness = meter.loudness_global().unwrap();
        assert!((loudness + 20.0).abs() < 1.5, "{kind}: {loudness} LUFS, {:?}", pack.manifest().sound);
        let text = pack.manifest().to_toml().unwrap();
        assert_eq!(&Manifest::parse(&text).unwrap(), pack.manifest(), "{text}");
    }
}

#[test]
fn words_have_the_times_of_their_symbols() {
    for kind in ["acoustic-vocoder", "whole"] {
        let (_folder, pack) = imported(kind);
        let synthesiser = Synthesiser::load(&pack, 1).unwrap();
        assert!(synthesiser.has_word_times());
        let (_, prepared) = spoken(&synthesiser, &Settings::default());
        let total: usize = prepared.durations.iter().sum();
        assert_eq!(prepared.words.len(), TEXT.split(' ').count());
        for (symbols, word) in sequence(&synthesiser).words.iter().zip(&prepared.words) {
            let frames = |symbols: std::ops::Range<usize>| prepared.durations[symbols].iter().sum::<usize>();
            // a word includes half of the adjacent space or punctuation mark
            let begin =
                frames(0..symbols.start) as f64 - frames(symbols.start - 1..symbols.start) as f64 / 2.0;
            let end = frames(0..symbols.end) as f64 + frames(symbols.end..symbols.end + 1) as f64 / 2.0;
            let at = |frame: f64| frame * prepared.samples as f64 / total as f64;
            assert!((word.start as f64 - at(begin)).abs() < 2.0, "{kind}: {word:?} begins at {}", at(begin));
            assert!((word.end as f64 - at(end)).abs() < 2.0, "{kind}: {word:?} ends at {}", at(end));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let size = WholeSize { has_durations: false, ..WholeSize::SMALL };
    folder::write_whole(folder.path(), &folder::whole(size), 1);
    let pack = import_folder(&folder.path().join("packs"), folder.path()).unwrap();
    let synthesiser = Synthesiser::load(&pack, 1).unwrap();
    assert!(!synthesiser.has_word_times() && spoken(&synthesiser, &Settings::default()).1.words.is_empty());
}

#[test]
fn speed_changes_the_length_and_no_symbol_is_lost() {
    for kind in ["acoustic-vocoder", "whole"] {
        let (_folder, pack) = imported(kind);
        let synthesiser = Synthesiser::load(&pack, 1).unwrap();
        let of = |speed| spoken(&synthesiser, &Settings { speed, ..Settings::default() }).1;
        let (slow, fast) = (of(0.5), of(2.0));
        let ratio = slow.samples as f64 / fast.samples as f64;
        assert!((2.5..=4.5).contains(&ratio), "{kind}: half speed is {ratio} times as long as double speed");
        assert!(fast.durations.iter().all(|&frames| frames > 0), "{kind}: {:?}", fast.durations);
    }
}

#[test]
fn speakers_and_pitch_and_seeds_change_the_sound() {
    let folder = tempfile::tempdir().unwrap();
    let size = AcousticSize { speakers: 3, has_pitch: true, ..AcousticSize::SMALL };
    Acoustic::new(size, VocoderSize::SMALL).write(folder.path(), 3);
    let pack = import_folder(&folder.path().join("packs"), folder.path()).unwrap();
    let synthesiser = Synthesiser::load(&pack, 1).unwrap();
    assert!(synthesiser.has_pitch());
    let of = |speaker, pitch| {
        let settings = Settings { speaker: Some(speaker), pitch, ..Settings::default() };
        spoken(&synthesiser, &settings).0.concat()
    };
    assert_ne!(of(0, 0.0), of(2, 0.0));
    assert_ne!(of(0, 0.0), of(0, 2.0));
    assert_eq!(of(0, 0.0).len(), of(0, 2.0).len(), "the pitch leaves the durations as they are");

    let folder = tempfile::tempdir().unwrap();
    folder::write_whole(folder.path(), &folder::whole(WholeSize::SMALL), 2);
    let pack = import_folder(&folder.path().join("packs"), folder.path()).unwrap();
    let synthesiser = Synthesiser::load(&pack, 1).unwrap();
    assert!(!synthesiser.has_pitch());
    let of = |speaker, seed| {
        let settings = Settings { speaker: Some(speaker), seed, ..Settings::default() };
        spoken(&synthesiser, &settings).0.concat()
    };
    assert_ne!(of(0, 1), of(1, 1));
    assert_ne!(of(0, 1), of(0, 2), "what the graph draws has become inputs");
    assert_eq!(of(0, 1), of(0, 1));
}

#[test]
fn mel_and_length_settings_of_the_manifest_are_applied() {
    let of = |from: &str, to: &str| {
        let folder = tempfile::tempdir().unwrap();
        Acoustic::small().write(folder.path(), 1);
        edit(folder.path(), from, to);
        let pack = import_folder(&folder.path().join("packs"), folder.path()).unwrap();
        let synthesiser = Synthesiser::load(&pack, 1).unwrap();
        spoken(&synthesiser, &Settings::default()).0.concat()
    };
    // all packs have the same gain, because measured gains would hide the difference
    let pauses = "pauses = \"ours\"";
    let replacement = format!("{pauses}\ngain_db = 0.0");
    let scaled = |scale: &str| {
        let folder = tempfile::tempdir().unwrap();
        Acoustic::small().write(folder.path(), 1);
        edit(folder.path(), pauses, &replacement);
        edit(folder.path(), "mel_scale = 1.5", scale);
        let pack = import_folder(&folder.path().join("packs"), folder.path()).unwrap();
        assert_eq!(pack.manifest().sound.gain_db, 0.0, "a gain that is given stays");
        spoken(&Synthesiser::load(&pack, 1).unwrap(), &Settings::default()).0.concat()
    };
    let (one, more) = (scaled(""), scaled("mel_scale = 1.5"));
    assert_eq!(one.len(), more.len());
    assert_ne!(one, more);
    assert_eq!(scaled("mel_scale = 1.0"), one, "without one it is 1");
    let ratio = of("mel_scale = 1.5", "length = 2.0").len() as f64 / one.len() as f64;
    assert!((1.9..=2.1).contains(&ratio), "twice the length is {ratio} times as long");
}

/// Returns a graph that runs as a whole, draws `numbers` random numbers and adds their mean to its samples.
fn drawing(numbers: i64) -> ModelProto {
    let mut model = folder::whole(WholeSize::SMALL);
    let graph = model.graph.as_mut().unwrap();
    let samples = graph.output[0].name.replace("sum".to_owned()).unwrap();
    let node = |kind: &str, inputs: &[&str], output: &str, attribute: Vec<_>| NodeProto {
        op_type: Some(kind.to_owned()),
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output.to_owned()],
        attribute,
        ..NodeProto::default()
    };
    graph.node.push(node("RandomNormal", &[], "drawn", vec![graph::ints("shape", &[numbers])]));
    graph.node.push(node("ReduceMean", &["drawn"], "mean", vec![graph::int("keepdims", 0)]));
    graph.node.push(node("Add", &[&samples, "mean"], "sum", vec![]));
    model
}

#[test]
fn the_random_numbers_of_a_graph_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    folder::write_whole(folder.path(), &drawing(3 << 20), 1);
    let pack = import_folder(&folder.path().join("packs"), folder.path()).unwrap();
    let synthesiser = Synthesiser::load(&pack, 1).unwrap();
    let of = |seed| spoken(&synthesiser, &Settings { seed, ..Settings::default() }).0.concat();
    assert_eq!(of(1), of(1));
    let folder = tempfile::tempdir().unwrap();
    folder::write_whole(folder.path(), &drawing(33 << 20), 1);
    let error = refused(folder.path());
    assert!(error.starts_with("whole: the run failed"), "{error}");
}

/// Returns the error of an import, after checking that the import left no pack.
fn refused(folder: &Path) -> String {
    let packs = folder.join("packs");
    let error = import_folder(&packs, folder).map(|_| ()).expect_err("it is imported");
    let entries = std::fs::read_dir(&packs).into_iter().flatten().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = entries.filter(|name| name != ".lock").collect();
    assert!(left.is_empty(), "left: {left:?}");
    error.to_string()
}

fn edit(folder: &Path, from: &str, to: &str) {
    let path = folder.join("pack.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

/// Appends a node to an output of a graph.
fn append(model: &mut ModelProto, output: usize, kind: &str) {
    let graph = model.graph.as_mut().unwrap();
    let appended = format!("appended_{}", graph.node.len());
    let name = graph.output[output].name.replace(appended.clone()).unwrap();
    let op_type = Some(kind.to_owned());
    graph.node.push(NodeProto { op_type, input: vec![name], output: vec![appended], ..NodeProto::default() });
}

#[test]
fn graphs_with_invalid_outputs_are_rejected_with_the_reason() {
    type Change = fn(&mut Acoustic);
    let cases: [(Change, &str); 10] = [
        (|voice| append(&mut voice.vocoder, 0, "Log"), "vocoder: its output `samples` is NaN at"),
        (|voice| append(&mut voice.mel_decoder, 0, "Sqrt"), "mel_decoder: its output `mel` is NaN at"),
        (|voice| append(&mut voice.encoder, 0, "Sqrt"), "encoder: its output `features` is NaN at"),
        (
            |voice| {
                append(&mut voice.encoder, 1, "Exp");
                append(&mut voice.encoder, 1, "Exp");
            },
            "encoder: its output `durations` is inf at",
        ),
        (|voice| append(&mut voice.encoder, 1, "Shape"), "not a tensor of floats"),
        (|voice| append(&mut voice.encoder, 1, "ReduceMax"), "one of each per symbol"),
        (|voice| append(&mut voice.mel_decoder, 0, "Transpose"), "mel_decoder: its output `mel` is of shape"),
        (
            |voice| append(&mut voice.vocoder, 0, "ReduceMax"),
            "vocoder: its output `samples` is 1 samples for",
        ),
        (|voice| voice.encoder = Acoustic::small().vocoder, "encoder: its inputs are [\"mel\"]"),
        (|voice| voice.vocoder = Acoustic::small().encoder, "vocoder: 1 inputs and 2 outputs"),
    ];
    for (change, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let mut voice = Acoustic::small();
        change(&mut voice);
        voice.write(folder.path(), 1);
        let error = refused(folder.path());
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn excessive_durations_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let mut voice = Acoustic::small();
    let graph = voice.encoder.graph.as_mut().unwrap();
    let usual = graph.initializer.iter_mut().rfind(|weight| weight.dims.is_empty()).unwrap();
    usual.raw_data = Some(std::cell::RefCell::new(1e9_f32.to_le_bytes().to_vec()));
    voice.write(folder.path(), 1);
    let error = refused(folder.path());
    assert!(error.contains("`durations`") && error.contains("at most 8000 in total"), "{error}");
}

#[test]
fn incomplete_folders_are_rejected_with_the_missing_item() {
    type Change = fn(&Path);
    fn remove(at: &Path, name: &str) {
        std::fs::remove_file(at.join(name)).unwrap();
    }
    let cases: [(Change, &str); 9] = [
        (|at| remove(at, "vocoder.onnx"), "vocoder.onnx: "),
        (|at| remove(at, "symbols.tsv"), "symbols.tsv: "),
        (|at| remove(at, "CARD"), "CARD: "),
        (|at| remove(at, "pack.toml"), "pack.toml: "),
        (|at| edit(at, "rate = 22050", "rate = 96000"), "`graph.rate` is 96000"),
        (
            |at| edit(at, "rate = 22050", "rate = 22050\nhop = 256"),
            "`graph.hop` is 256, but the graph produces 32",
        ),
        (|at| edit(at, "rate = 22050", "rate = 22050\ncontext = 9"), "`graph.context` is given"),
        (|at| edit(at, "encoder.onnx", "../encoder.onnx"), "../encoder.onnx"),
        (|at| edit(at, "mel_decoder = \"mel_decoder.onnx\", ", ""), "mel_decoder"),
    ];
    for (change, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        Acoustic::small().write(folder.path(), 1);
        change(folder.path());
        let error = refused(folder.path());
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn invalid_whole_graphs_are_rejected_with_the_reason() {
    type Change = fn(&mut ModelProto, &Path);
    fn node<'a>(model: &'a mut ModelProto, kind: &str) -> &'a mut NodeProto {
        let nodes = &mut model.graph.as_mut().unwrap().node;
        nodes.iter_mut().find(|node| node.op_type.as_deref() == Some(kind)).unwrap()
    }
    let cases: [(Change, &str); 6] = [
        (|model, _| append(model, 0, "Log"), "whole: its output `samples` is NaN at"),
        (|model, _| append(model, 1, "ReduceMax"), "whole: its output `durations` is 1 durations"),
        (
            |model, _| node(model, "RandomUniform").op_type = Some("Bernoulli".to_owned()),
            "draws random numbers",
        ),
        (
            |model, _| {
                let graph = model.graph.as_mut().unwrap();
                graph.input.push(ValueInfoProto { name: Some("sid".to_owned()), r#type: None });
            },
            "its inputs are [\"input_ids\", \"style\", \"speed\", \"sid\"",
        ),
        (|_, at| std::fs::write(at.join("style_0.bin"), [0; 31]).unwrap(), "style_0.bin: 31 bytes"),
        (|_, at| edit(at, ", styles = [\"style_0.bin\"]", ""), "names no file in `graph.files.styles`"),
    ];
    for (change, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let mut model = folder::whole(WholeSize::SMALL);
        folder::write_whole(folder.path(), &model, 1);
        change(&mut model, folder.path());
        std::fs::write(folder.path().join("whole.onnx"), model.write_buf().unwrap()).unwrap();
        let error = refused(folder.path());
        assert!(error.contains(expected), "{expected}: {error}");
    }
}
