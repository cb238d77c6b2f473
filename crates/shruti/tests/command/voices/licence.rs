//! Tests of the acceptance of a licence before a pack is installed.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{audited, held, pack_folder, packs, printed, refused};
use crate::process::SHRUTI;

/// Returns the arguments that install the test pack from its folder.
fn pull<'a>(from: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    ["voices", "pull", "test", "--from", from.to_str().unwrap()]
        .into_iter()
        .chain(more.iter().copied())
        .collect()
}

fn set_commercial(pack: &Path, answer: &str) {
    let path = pack.join("pack.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("commercial = \"yes\"", &format!("commercial = \"{answer}\"")))
        .unwrap();
}

#[test]
fn a_licence_is_accepted_by_name() {
    let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
    let error = refused(folder.path(), &pull(&pack, &[]));
    assert!(error.contains("must be accepted") && error.contains("--accept MIT"), "{error}");
    let error = refused(folder.path(), &pull(&pack, &["--accept", "CC-BY-4.0"]));
    assert!(error.contains("is MIT, not CC-BY-4.0 as in --accept"), "{error}");
    assert!(held(folder.path()).is_empty());
    printed(folder.path(), &pull(&pack, &["--accept", "MIT"]));
    assert_eq!(packs(folder.path()), ["test"]);
}

#[test]
fn non_commercial_licences_need_confirmation() {
    for answer in ["no", "unknown"] {
        let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
        set_commercial(&pack, answer);
        let error = refused(folder.path(), &pull(&pack, &["--accept", "MIT"]));
        assert!(error.contains("--non-commercial"), "{answer}: {error}");
        printed(folder.path(), &pull(&pack, &["--accept", "MIT", "--non-commercial"]));
        let accepted = ("pack_licence_accepted".to_owned(), "test MIT non-commercial".to_owned());
        assert_eq!(audited(folder.path())[0], accepted, "{answer}");
    }
}

/// Runs a command on a terminal with this typed input. Returns the terminal output and whether the command succeeded.
fn at_a_terminal(data_dir: &Path, arguments: &[&str], typed: &str) -> (String, bool) {
    let quoted: Vec<String> = [SHRUTI]
        .iter()
        .chain(arguments)
        .chain(&["--data-dir", data_dir.to_str().unwrap()])
        .map(|argument| format!("'{argument}'"))
        .collect();
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &quoted.join(" "), "/dev/null"]);
    let mut running = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    running.stdin.as_mut().unwrap().write_all(typed.as_bytes()).unwrap();
    let output = running.wait_with_output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

#[test]
fn a_licence_is_shown_and_confirmed_on_a_terminal() {
    let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
    let (shown, succeeded) = at_a_terminal(folder.path(), &pull(&pack, &[]), "yes\n");
    assert!(shown.contains("random weights") && shown.contains("was not accepted") && !succeeded, "{shown}");
    assert!(held(folder.path()).is_empty());
    let (shown, succeeded) = at_a_terminal(folder.path(), &pull(&pack, &[]), "MIT\n");
    assert!(shown.contains("Type MIT to accept the licence") && succeeded, "{shown}");
    assert_eq!(packs(folder.path()), ["test"]);
}
