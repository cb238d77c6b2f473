//! Tests of `shruti voices` with packs that have random weights. The packs speak only noise, but the commands treat
//! them like other packs.

mod attacks;
mod import;
mod licence;
mod publisher;
mod pull;
mod refused;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rten_onnx::onnx::{ModelProto, NodeProto};
use serde_json::{Value, json};
use shruti_neural::import_piper;
use shruti_packs::{MANIFEST, Manifest};
use shruti_text::phone::{Phone, Symbol};

use crate::graph::{self, Size};
use crate::process::SHRUTI;

/// Arguments that accept the licence of the test packs.
const ACCEPT: [&str; 2] = ["--accept", "MIT"];

fn shruti(data_dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(SHRUTI);
    command.args(arguments).arg("--data-dir").arg(data_dir);
    command
}

fn run(data_dir: &Path, arguments: &[&str]) -> Output {
    shruti(data_dir, arguments).output().unwrap()
}

/// Runs a command that must succeed, and returns its standard output.
fn printed(data_dir: &Path, arguments: &[&str]) -> String {
    let output = run(data_dir, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command that must fail, and returns its standard error.
fn refused(data_dir: &Path, arguments: &[&str]) -> String {
    let output = run(data_dir, arguments);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Returns the listing as JSON.
fn listed(data_dir: &Path) -> Value {
    serde_json::from_str(&printed(data_dir, &["voices", "--json"])).unwrap()
}

/// Returns the IDs of the packs that are listed as usable.
fn packs(data_dir: &Path) -> Vec<String> {
    let listed = listed(data_dir);
    let packs = listed["packs"].as_array().unwrap().iter().filter(|pack| pack["error"].is_null());
    packs.map(|pack| pack["id"].as_str().unwrap().to_owned()).collect()
}

/// Returns the entries of the folder of packs, without its lock and empty folders.
fn held(data_dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(data_dir.join("packs")).into_iter().flatten().map(Result::unwrap);
    let is_something = |path: &Path| !path.is_dir() || fs::read_dir(path).unwrap().next().is_some();
    let entries = entries.filter(|entry| is_something(&entry.path()));
    let mut names: Vec<String> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| name != ".lock")
        .collect();
    names.sort();
    names
}

/// Returns the events of the audit log with their subjects.
fn audited(data_dir: &Path) -> Vec<(String, String)> {
    let text = printed(data_dir, &["audit", "--json"]);
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let string_of = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    lines.map(|line| (string_of(&line["event"]), string_of(&line["subject"]))).collect()
}

/// Adds all phones to the configuration of a voice, with IDs that the voice uses for letters.
fn teach_phones(folder: &Path) {
    let path = folder.join("voice.onnx.json");
    let mut config: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let ids = config["phoneme_id_map"].as_object_mut().unwrap();
    for (at, &symbol) in Symbol::ALL.iter().enumerate() {
        for (long, nasal) in [(false, false), (false, true), (true, false), (true, true)] {
            let phone = Phone { symbol, long, nasal }.to_string();
            ids.entry(phone).or_insert_with(|| json!([4 + at % 26]));
        }
    }
    fs::write(&path, config.to_string()).unwrap();
}

/// Creates a folder with a Piper voice of random weights and its `MODEL_CARD`.
fn piper_files(model: &ModelProto) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    graph::write(folder.path(), model, 1);
    teach_phones(folder.path());
    fs::rename(folder.path().join("CARD"), folder.path().join("MODEL_CARD")).unwrap();
    folder
}

/// Creates the pack `test` in a folder that is not a data folder.
fn pack_folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = graph::write(folder.path(), &graph::piper(Size::SMALL), 1);
    teach_phones(folder.path());
    let packs = folder.path().join("made");
    // the import measures the gain, to match the loudness of the built-in voices
    let options = shruti_neural::ImportOptions { gain_db: None, ..graph::options(folder.path(), 1) };
    let pack = import_piper(&packs, &file, &options).unwrap();
    let place = pack.folder().to_owned();
    (folder, place)
}

/// Replaces a file of a pack, and updates its length and checksum in the manifest.
fn rewrite(pack: &Path, path: &str, bytes: &[u8]) {
    let text = fs::read_to_string(pack.join(MANIFEST)).unwrap();
    let mut manifest = Manifest::parse(&text).unwrap();
    let file = manifest.files.iter_mut().find(|file| file.path == path).unwrap();
    file.bytes = bytes.len() as u64;
    file.sha256 = publisher::checksum(bytes);
    fs::write(pack.join(path), bytes).unwrap();
    fs::write(pack.join(MANIFEST), manifest.to_toml().unwrap()).unwrap();
}

/// Changes the decoder of a pack, and updates the manifest.
fn change_decoder(pack: &Path, change: impl FnOnce(&mut ModelProto)) {
    let mut model = ModelProto::parse_buf(&fs::read(pack.join("decoder.onnx")).unwrap()).unwrap();
    change(&mut model);
    rewrite(pack, "decoder.onnx", &model.write_buf().unwrap());
}

/// Returns the first node with the operator type `kind`.
fn node<'a>(model: &'a mut ModelProto, kind: &str) -> &'a mut NodeProto {
    let nodes = &mut model.graph.as_mut().unwrap().node;
    nodes.iter_mut().find(|node| node.op_type.as_deref() == Some(kind)).unwrap()
}

/// Adds work to a graph: multiplies a square matrix of zeros by itself `times` times, and adds the mean of the result
/// to the output. The matrix has `size` rows.
fn add_work(model: &mut ModelProto, size: i64, times: usize) {
    let graph = model.graph.as_mut().unwrap();
    let made = |kind: &str, inputs: &[&str], output: &str| NodeProto {
        op_type: Some(kind.to_owned()),
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    };
    let shape = rten_onnx::onnx::TensorProto {
        name: Some("work_shape".to_owned()),
        dims: vec![2],
        data_type: Some(rten_onnx::onnx::DataType::INT64),
        raw_data: Some(std::cell::RefCell::new([size, size].iter().flat_map(|n| n.to_le_bytes()).collect())),
        ..rten_onnx::onnx::TensorProto::default()
    };
    graph.initializer.push(shape);
    let output = graph.output[0].name.clone().unwrap();
    let last = graph.node.iter_mut().find(|node| node.output.contains(&output)).unwrap();
    last.output = vec!["work_before".to_owned()];
    graph.node.push(made("ConstantOfShape", &["work_shape"], "work_0"));
    for at in 0..times {
        let [from, to] = [at, at + 1].map(|at| format!("work_{at}"));
        graph.node.push(made("MatMul", &[&from, "work_0"], &to));
    }
    graph.node.push(made("ReduceMean", &[&format!("work_{times}")], "work_mean"));
    graph.node.push(made("Add", &["work_before", "work_mean"], &output));
}

#[test]
fn without_packs_the_built_in_voices_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("none");
    let text = printed(&data_dir, &["voices"]);
    assert!(
        text.contains("Ananya   female") && text.contains("hi  Hindi") && !text.contains("packs:"),
        "{text}"
    );
    assert_eq!(printed(&data_dir, &["voices", "list"]), text);
    assert_eq!(listed(&data_dir)["voices"][1]["name"], "Arjun");
    assert!(!data_dir.exists(), "listing creates nothing");
}
