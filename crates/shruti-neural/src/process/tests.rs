use std::io;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use shruti_packs::Pack;

use super::{PackProcess, ProcessError, ProcessLimits};
use crate::symbols::SymbolSequence;
use crate::synthesis::{Synthesis, SynthesisError};
use crate::synthesiser::Settings;

/// Returns a pack whose graphs are never loaded: the processes of these tests are scripts.
fn pack(folder: &Path) -> Pack {
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).unwrap();
        let digest = <sha2::Sha256 as sha2::Digest>::digest(text);
        let sha256 = digest.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
        format!("[[file]]\npath = '{name}'\nbytes = {}\nsha256 = '{sha256}'\n", text.len())
    };
    let files = write("whole.onnx", "x") + &write("symbols.tsv", "a\t1\n") + &write("LICENCE", "free");
    let manifest = format!(
        "format = 1\nid = 'script'\n[[voice]]\nname = 'Script'\nlanguages = ['hi']\n[licence]\nspdx = 'MIT'\n\
         attribution = 'nobody'\ncommercial = 'yes'\nsource = 'a test'\ntext = 'LICENCE'\n[input]\n\
         kind = 'characters'\nsymbols = 'symbols.tsv'\nbegin = []\nbetween = []\nend = []\n\
         unknown = 'skip'\nmax_symbols = 9\n[graph]\nkind = 'whole'\n\
         files = {{ whole = 'whole.onnx', styles = [] }}\nrate = 24000\n[sound]\ngain_db = 0.0\npauses = 'ours'\n{files}"
    );
    std::fs::write(folder.join("pack.toml"), manifest).unwrap();
    Pack::open_source(folder).unwrap()
}

const SECOND: Duration = Duration::from_secs(1);
/// Time limit that no test reaches.
const LONG: Duration = Duration::from_hours(1);
/// Shell command that reports that the pack is loaded.
const HELLO: &str = r#"printf '\051\000\000\000\000\000\000\000{"has_pitch":false,"has_word_times":true}';"#;

fn start(load: Duration, step: Duration, script: String) -> Result<PackProcess, ProcessError> {
    let folder = tempfile::tempdir().unwrap();
    let command = move || -> io::Result<Command> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &script]);
        Ok(command)
    };
    PackProcess::start(&pack(folder.path()), ProcessLimits { load, step }, command)
}

fn prepare(process: &PackProcess) -> SynthesisError {
    let sequence = SymbolSequence { ids: vec![1], words: Vec::new(), symbols: 1, skipped: 0 };
    process.prepare(&sequence, &Settings::default()).map(|_| ()).unwrap_err()
}

#[test]
fn a_process_that_fails_to_load_its_pack_is_reported_and_not_restarted() {
    for (load, script, expected) in [
        (LONG, "echo 'shruti: no such graph' >&2; exit 1", "no such graph"),
        (LONG, "echo overflow >&2; kill -ABRT $$", "(signal: 6 (SIGABRT)"),
        (LONG, "printf '\\377\\377\\377\\377\\000\\000\\000\\000'", "its process ended"),
        (SECOND, "exec sleep 1000", "the pack was not loaded within 1s"),
    ] {
        let error = start(load, LONG, script.to_owned()).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(expected), "{script}: {error}");
    }
}

#[test]
fn an_endless_step_is_killed_and_the_process_is_restarted() {
    let marks = tempfile::tempdir().unwrap();
    let path = marks.path().join("starts").display().to_string();
    let script = format!("echo start >> {path}; {HELLO} exec sleep 1000");
    let process = start(LONG, SECOND, script).unwrap();
    assert!(process.is_usable() && process.has_word_times() && !process.has_pitch());
    let SynthesisError::Unavailable { reason, retry_after } = prepare(&process) else {
        panic!("a graph failed")
    };
    assert!(reason.contains("a step took longer than 1.0s"), "{reason}");
    assert!(retry_after >= SECOND);
    let until = |is_usable: bool| {
        let began = Instant::now();
        while process.is_usable() != is_usable {
            assert!(began.elapsed() < Duration::from_mins(1), "usable: {}", !is_usable);
            std::thread::yield_now();
        }
    };
    until(false);
    assert!(matches!(prepare(&process), SynthesisError::Unavailable { .. }), "between two processes");
    until(true);
    assert_eq!(std::fs::read_to_string(path).unwrap().lines().count(), 2);
}

#[test]
fn calls_fail_if_the_process_ends_or_sends_an_unexpected_answer() {
    // the process reads one byte of the request first
    let wait = "head -c 1 > /dev/null;";
    let end = r#"printf '\047\000\000\000\000\000\000\000{"call":1,"result":{"Ok":"Chunk"     }}'; exec sleep 1000"#;
    for (then, expected) in
        [("kill -SEGV $$", "(signal: 11 (SIGSEGV)"), (end, "its response did not match the request")]
    {
        let process = start(LONG, LONG, format!("{HELLO} {wait} {then}")).unwrap();
        let error = prepare(&process).to_string();
        assert!(error.contains(expected), "{then}: {error}");
    }
}

#[test]
fn the_process_gets_no_server_secrets_and_ends_with_its_pack() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("environment");
    let ended = folder.path().join("ended");
    let script = format!("env > {}; {HELLO} cat > /dev/null; echo > {}", seen.display(), ended.display());
    assert!(std::env::var("CARGO_MANIFEST_DIR").is_ok());
    let process = start(LONG, LONG, script).unwrap();
    let environment = std::fs::read_to_string(seen).unwrap();
    assert!(!environment.contains("CARGO_MANIFEST_DIR"), "{environment}");
    let supervisor = std::sync::Arc::downgrade(process.supervisor());
    drop(process);
    let began = Instant::now();
    while supervisor.upgrade().is_some() {
        assert!(began.elapsed() < Duration::from_mins(1), "its thread did not end");
        std::thread::yield_now();
    }
    assert!(!ended.exists(), "the process was not killed");
}
