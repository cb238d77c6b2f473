//! Tests with files that are not voices, and with files whose processing does not end.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::graph::{self, Size};
use rten_onnx::onnx::{DataLocation, ModelProto, NodeProto};
use shruti_neural::{ChildError, Limits, Settings, Synthesiser, import_piper, run_limited};

/// Environment variable that marks the child process of a test and selects its task.
const CHILD: &str = "SHRUTI_NEURAL_TEST_CHILD";

fn import(model: &ModelProto) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = graph::write(folder.path(), model, 1);
    refused(folder.path(), &file)
}

/// Returns the error of an import, after checking that the import left no pack.
fn refused(folder: &Path, file: &Path) -> String {
    let packs = folder.join("packs");
    let error =
        import_piper(&packs, file, &graph::options(folder, 1)).map(|_| ()).expect_err("it is imported");
    let left = std::fs::read_dir(&packs)
        .into_iter()
        .flatten()
        .filter(|entry| entry.as_ref().unwrap().file_name() != ".lock");
    assert_eq!(left.count(), 0, "something is left of it");
    error.to_string()
}

fn node<'a>(model: &'a mut ModelProto, kind: &str) -> &'a mut NodeProto {
    let nodes = &mut model.graph.as_mut().unwrap().node;
    nodes.iter_mut().find(|node| node.op_type.as_deref() == Some(kind)).unwrap()
}

#[test]
fn graphs_that_are_not_voices_are_rejected_with_the_reason() {
    type Change = fn(&mut ModelProto);
    let cases: [(Change, &str); 12] = [
        (|model| model.graph = None, "the file contains no graph"),
        (|model| model.graph.as_mut().unwrap().node.clear(), "0 `Ceil` nodes"),
        (|model| model.graph.as_mut().unwrap().output.clear(), "0 outputs"),
        (|model| model.graph.as_mut().unwrap().input.truncate(2), "the graph has the inputs"),
        (
            |model| node(model, "RandomNormalLike").op_type = Some("Bernoulli".to_owned()),
            "draws random numbers",
        ),
        (|model| node(model, "Ceil").op_type = Some("Floor".to_owned()), "0 `Ceil` nodes"),
        (|model| node(model, "Exp").op_type = Some("Ceil".to_owned()), "2 `Ceil` nodes"),
        (|model| node(model, "Tanh").op_type = Some("NoSuchOperator".to_owned()), "NoSuchOperator"),
        (|model| model.graph.as_mut().unwrap().node.reverse(), "is used before it is defined"),
        (|model| node(model, "Tanh").output[0] = "shruti_x".to_owned(), "are reserved for the importer"),
        (
            |model| model.graph.as_mut().unwrap().initializer[0].data_location = Some(DataLocation::EXTERNAL),
            "is in another file",
        ),
        (
            |model| {
                for node in &mut model.graph.as_mut().unwrap().node {
                    if node.op_type.as_deref() == Some("ConvTranspose") {
                        node.op_type = Some("Conv".to_owned());
                    }
                }
            },
            "there is no ConvTranspose",
        ),
    ];
    for (change, expected) in cases {
        let mut model = graph::piper(Size::SMALL);
        change(&mut model);
        let error = import(&model);
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn non_finite_values_are_rejected() {
    let mut model = graph::piper(Size::SMALL);
    // insert the square root of a value that is often negative
    node(&mut model, "ConvTranspose").input[0] = "root".to_owned();
    let graph = model.graph.as_mut().unwrap();
    let at = graph.node.iter().position(|node| node.op_type.as_deref() == Some("ConvTranspose")).unwrap();
    let mut root = graph.node[at - 1].clone();
    root.op_type = Some("Sqrt".to_owned());
    root.attribute.clear();
    root.input = graph.node[at - 1].output.clone();
    root.output = vec!["root".to_owned()];
    root.name = None;
    graph.node.insert(at, root);
    let error = import(&model);
    assert!(error.contains("NaN at") && error.contains("it must be finite"), "{error}");
}

/// Returns a voice in which the duration of every symbol is unlimited.
fn endless(size: Size) -> ModelProto {
    let mut model = graph::piper(size);
    let graph = model.graph.as_mut().unwrap();
    let ceil = graph.node.iter().position(|node| node.op_type.as_deref() == Some("Ceil")).unwrap();
    for at in ceil..ceil + 3 {
        let longer = format!("longer_{at}");
        let read = std::mem::replace(&mut graph.node[at].input, vec![longer.clone()]);
        let op_type = Some("Exp".to_owned());
        graph
            .node
            .insert(at, NodeProto { op_type, input: read, output: vec![longer], ..NodeProto::default() });
    }
    model
}

#[test]
fn endless_voices_are_bounded_and_multichannel_voices_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let file = graph::write(folder.path(), &endless(Size::SMALL), 1);
    let pack = import_piper(&folder.path().join("packs"), &file, &graph::options(folder.path(), 1)).unwrap();
    let synthesiser = Synthesiser::load(&pack, 1).unwrap();
    let sequence = synthesiser.symbols().sequence([["a", "b"]]).unwrap();
    let prepared = synthesiser.prepare(&sequence, &Settings::default()).unwrap();
    assert!(prepared.durations.iter().all(|&frames| frames == 250), "{:?}", prepared.durations);
    let error = import(&endless(Size { channels: 220, ..Size::SMALL }));
    assert!(error.starts_with("whole: the run failed"), "{error}");
}

#[test]
fn a_decoder_with_unlimited_context_is_rejected() {
    let mut model = graph::piper(Size::SMALL);
    // divide all frames by the largest value, so that each sample depends on all frames
    let graph = model.graph.as_mut().unwrap();
    let at = graph.node.iter().position(|node| node.op_type.as_deref() == Some("ConvTranspose")).unwrap();
    let read = graph.node[at].input[0].clone();
    let made = |kind: &str, inputs: &[&str], output: &str| NodeProto {
        op_type: Some(kind.to_owned()),
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    };
    graph.node[at].input[0] = "levelled".to_owned();
    graph.node.insert(at, made("Div", &[&read, "loudest"], "levelled"));
    graph.node.insert(at, made("ReduceMax", &[&read], "loudest"));
    let error = import(&model);
    assert!(error.contains("decoding in chunks and in one run produce different samples"), "{error}");
}

#[test]
fn truncated_or_changed_files_are_rejected_without_a_panic() {
    let folder = tempfile::tempdir().unwrap();
    let file = graph::write(folder.path(), &graph::piper(Size::SMALL), 1);
    let bytes = std::fs::read(&file).unwrap();
    for length in [0, 1, 100, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&file, &bytes[..length]).unwrap();
        refused(folder.path(), &file);
    }
    std::fs::write(&file, b"no graph at all").unwrap();
    refused(folder.path(), &file);
    std::fs::write(&file, &bytes).unwrap();
    std::fs::remove_file(folder.path().join("voice.onnx.json")).unwrap();
    assert!(refused(folder.path(), &file).contains("voice.onnx.json"));
}

/// Returns a command that runs one test of this test binary as a child process.
fn child(test: &str, work: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture"]).env(CHILD, work);
    command
}

#[test]
fn work_in_a_process_has_limits() {
    let name = "refused::work_in_a_process_has_limits";
    let limits = Limits { time: Duration::from_mins(1), memory: 1 << 30 };
    match std::env::var(CHILD).as_deref() {
        Ok("done") => return eprintln!("it is done"),
        Ok("failed") => {
            eprintln!("it is wrong");
            std::process::exit(3);
        }
        Ok("endless") => loop {
            std::thread::park();
        },
        Ok("memory") => {
            limits.apply().unwrap();
            let much = vec![1_u8; 2 << 30];
            return eprintln!("it has {} bytes", much.len());
        }
        _ => {}
    }
    assert!(run_limited(&mut child(name, "done"), &limits).unwrap().error.contains("it is done"));
    let failed = run_limited(&mut child(name, "failed"), &limits);
    assert!(matches!(&failed, Err(ChildError::Failed(said)) if said.contains("it is wrong")), "{failed:?}");
    let ended = run_limited(&mut child(name, "memory"), &limits);
    assert!(matches!(&ended, Err(ChildError::Ended { .. })), "{ended:?}");
    let short = Limits { time: Duration::from_millis(200), ..limits };
    let endless = run_limited(&mut child(name, "endless"), &short);
    assert!(matches!(&endless, Err(ChildError::Time(_))), "{endless:?}");
}
