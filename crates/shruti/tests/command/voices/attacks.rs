//! Tests of commands that are killed, run concurrently, or encounter unexpected folders.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Stdio;

use shruti_testkit::server::PATIENCE;

use super::publisher::{Publisher, publish, rest, whole};
use super::{ACCEPT, add_work, held, pack_folder, packs, piper_files, printed, refused, run, shruti};
use crate::graph::{self, Size};
use crate::process::Running;

fn has_part(data_dir: &Path) -> bool {
    data_dir.join("packs/test.part").exists()
}

/// Waits until a condition is true.
fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_killed_pull_leaves_no_pack_and_can_be_resumed() {
    let (folder, files) = (tempfile::tempdir().unwrap(), piper_files(&graph::piper(Size::SMALL)));
    let data_dir = folder.path();
    let bytes = fs::read(files.path().join("voice.onnx")).unwrap();
    let half = bytes.len() / 2;
    let of_publisher = files.path().to_owned();
    // the first response stops in the middle, and the connection stays open
    let publisher = Publisher::start(move |asked| match (asked.path.as_str(), asked.before, asked.from) {
        ("/voice.onnx", 0, _) => {
            let answer = whole(&bytes);
            let head = answer.len() - bytes.len();
            super::publisher::Answer { bytes: answer[..head + half].to_vec(), stays_open: true }
        }
        ("/voice.onnx", _, Some(from)) => rest(&bytes, from).into(),
        _ => publish(&of_publisher, asked).into(),
    });
    let catalogue = publisher.catalogue(files.path());
    let of = ["voices", "pull", "test", "--catalogue", catalogue.to_str().unwrap()];
    let arguments: Vec<&str> = of.into_iter().chain(ACCEPT).collect();
    let mut running = Running(shruti(data_dir, &arguments).stderr(Stdio::null()).spawn().unwrap());
    let downloads = data_dir.join("packs/.downloads");
    let parts =
        || fs::read_dir(&downloads).into_iter().flatten().filter_map(|entry| entry.ok()?.metadata().ok());
    wait_for("half of it is there", || parts().any(|part| part.len() == half as u64));
    for other in [&["voices", "remove", "test"][..], &arguments] {
        let error = refused(data_dir, other);
        assert!(
            error.contains("another pack is being installed") || error.contains("is not installed"),
            "{error}"
        );
    }
    assert!(
        has_part(data_dir) && packs(data_dir).is_empty() && has_part(data_dir),
        "listing does not interfere"
    );
    running.signal("-KILL");
    running.wait().unwrap();
    assert!(has_part(data_dir), "the installation was interrupted");
    assert!(packs(data_dir).is_empty());
    assert!(!has_part(data_dir), "the next command removes it");
    printed(data_dir, &arguments);
    let froms: Vec<Option<usize>> = publisher.asked("/voice.onnx").iter().map(|asked| asked.from).collect();
    assert_eq!(froms, [None, Some(half)]);
    assert_eq!(held(data_dir), [".test.measured", "test"]);
}

/// Returns the child processes of a process.
#[cfg(target_os = "linux")]
fn children(id: u32) -> Vec<String> {
    let text = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    text.split_whitespace().map(ToOwned::to_owned).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_import_ends_its_process() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path();
    let mut model = graph::piper(Size::SMALL);
    add_work(&mut model, 2_048, 5_000);
    let files = piper_files(&model);
    let file = files.path().join("voice.onnx");
    let of = ["voices", "import", "piper", file.to_str().unwrap(), "--licence", "MIT", "-l", "hi"];
    let arguments: Vec<&str> = of.into_iter().chain(["--name", "T", "--id", "test"]).chain(ACCEPT).collect();
    let mut running = Running(shruti(data_dir, &arguments).stderr(Stdio::piped()).spawn().unwrap());
    let mut stderr = BufReader::new(running.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.starts_with("importing"), "{line}");
    let mut begun = Vec::new();
    wait_for("the process begins", || {
        begun = children(running.id());
        // the child creates its folder only after it has arranged to end with its parent
        !begun.is_empty() && data_dir.join("packs/test.part/test.part").exists()
    });
    running.signal("-KILL");
    running.wait().unwrap();
    // the pipe closes when the last process that writes to it has ended
    stderr.read_to_string(&mut line).unwrap();
    let is_gone = |id: &String| {
        let state = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        state.is_empty() || state.contains(") Z ")
    };
    wait_for("its process ends", || begun.iter().all(is_gone));
    assert!(has_part(data_dir));
    assert!(packs(data_dir).is_empty());
    assert!(held(data_dir).is_empty(), "{:?}", held(data_dir));
}

#[test]
fn only_one_of_two_concurrent_commands_installs_a_pack() {
    let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
    let of = ["voices", "pull", "test", "--from", pack.to_str().unwrap()];
    let arguments: Vec<&str> = of.into_iter().chain(ACCEPT).collect();
    let begun: Vec<_> =
        (0..4).map(|_| shruti(folder.path(), &arguments).stderr(Stdio::piped()).spawn().unwrap()).collect();
    let ended: Vec<_> = begun.into_iter().map(|command| command.wait_with_output().unwrap()).collect();
    assert_eq!(ended.iter().filter(|output| output.status.success()).count(), 1, "{ended:?}");
    assert_eq!(packs(folder.path()), ["test"]);
    printed(folder.path(), &["voices", "verify"]);
}

#[test]
fn a_data_folder_can_be_a_symlink_but_not_a_file() {
    let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    fs::create_dir(&real).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    let of = ["voices", "pull", "test", "--from", pack.to_str().unwrap()];
    let arguments: Vec<&str> = of.into_iter().chain(ACCEPT).collect();
    printed(&link, &arguments);
    assert_eq!(packs(&real), ["test"]);
    // if a pack is a symbolic link, only the link is removed
    let elsewhere = folder.path().join("elsewhere");
    fs::rename(real.join("packs/test"), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, real.join("packs/test")).unwrap();
    printed(&link, &["voices", "remove", "test"]);
    assert!(elsewhere.join("pack.toml").exists() && held(&real).is_empty());
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    let output = run(&file, &arguments);
    assert!(!output.status.success());
    assert_eq!(fs::read(&file).unwrap(), b"x");
}
