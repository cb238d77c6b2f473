//! Tests of the import of Piper files and folders as packs.

use std::fs;
use std::path::Path;

use super::{ACCEPT, audited, held, listed, pack_folder, packs, piper_files, printed, refused};
use crate::graph::{self, Size};

/// Returns the arguments that import a Piper voice.
fn import<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let of = ["voices", "import", "piper", file, "--licence", "MIT", "--reads", "phones"];
    of.into_iter().chain(ACCEPT).chain(more.iter().copied()).collect()
}

/// Adds a language and a data set to the configuration file of the voice. The data set is also the voice's default
/// name.
fn describe(folder: &Path) {
    let path = folder.join("voice.onnx.json");
    let text = fs::read_to_string(&path).unwrap();
    let more = "{\"language\": {\"code\": \"te_IN\", \"family\": \"te\"}, \"dataset\": \"padmavathi\",";
    fs::write(&path, text.replacen('{', more, 1)).unwrap();
}

#[test]
fn a_piper_voice_is_imported_under_the_names_in_its_file() {
    let (folder, files) = (tempfile::tempdir().unwrap(), piper_files(&graph::piper(Size::SMALL)));
    describe(files.path());
    let file = files.path().join("voice.onnx");
    printed(folder.path(), &import(file.to_str().unwrap(), &["--sex", "female"]));
    let listing = listed(folder.path());
    let voice = &listing["voices"][2];
    assert_eq!((voice["name"].as_str(), voice["pack"].as_str()), (Some("Padmavathi"), Some("te-padmavathi")));
    assert_eq!(voice["languages"], serde_json::json!(["te"]));
    assert_eq!(listing["packs"][0]["licence"]["attribution"], "padmavathi");
    let imported = ("pack_imported".to_owned(), "te-padmavathi".to_owned());
    assert_eq!(audited(folder.path())[1], imported);
}

#[test]
fn names_of_voices_are_unique_on_a_server() {
    let (folder, files) = (tempfile::tempdir().unwrap(), piper_files(&graph::piper(Size::SMALL)));
    describe(files.path());
    let file = files.path().join("voice.onnx");
    let file = file.to_str().unwrap();
    for (more, expected) in [
        (&["--name", "ANANYA"][..], "there is already a voice ANANYA (built in)"),
        (&["--name", "a/b"], "`voice[0].name` is \"a/b\""),
        (&["--name", "A", "--name", "B"], "--name is given 2 times, but the file has 1 speakers"),
        (&["--id", "Te"], "`id` is \"Te\""),
        (&["--licence-file", "/nowhere"], "set its file with --licence-file"),
        (&["--commercial", "unknown"], "--non-commercial"),
    ] {
        let error = refused(folder.path(), &import(file, more));
        assert!(error.contains(expected), "{more:?}: {error}");
        assert!(held(folder.path()).is_empty(), "{more:?}");
    }
    printed(folder.path(), &import(file, &[]));
    let error = refused(folder.path(), &import(file, &["--id", "other", "--name", "padmaVathi"]));
    assert!(error.contains("there is already a voice padmaVathi (in the pack te-padmavathi)"), "{error}");
    let error = refused(folder.path(), &import(file, &[]));
    assert!(error.contains("is installed; remove it first; use --id for another ID"), "{error}");
}

#[test]
fn settings_missing_in_a_file_are_required() {
    let (folder, files) = (tempfile::tempdir().unwrap(), piper_files(&graph::piper(Size::SMALL)));
    let file = files.path().join("voice.onnx");
    let file = file.to_str().unwrap();
    assert!(refused(folder.path(), &import(file, &[])).contains("--language"));
    assert!(refused(folder.path(), &import(file, &["-l", "hi"])).contains("--name"));
    assert!(refused(folder.path(), &import(file, &["-l", "hi", "--name", "अनिता"])).contains("--id"));
    printed(folder.path(), &import(file, &["-l", "hi", "--name", "अनिता", "--id", "hi-anita"]));
    assert_eq!(packs(folder.path()), ["hi-anita"]);
}

#[test]
fn a_folder_with_a_pack_is_installed() {
    let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
    let of = ["voices", "import", "folder", pack.to_str().unwrap()];
    let arguments: Vec<&str> = of.into_iter().chain(ACCEPT).collect();
    printed(folder.path(), &arguments);
    assert_eq!(packs(folder.path()), ["test"]);
    printed(folder.path(), &["voices", "remove", "test"]);

    // an exporter writes the manifest without the fields that the import determines
    let path = pack.join("pack.toml");
    let text = fs::read_to_string(&path).unwrap();
    let (head, _) = text.split_once("[[file]]").unwrap();
    let is_found =
        |line: &str| ["context =", "hop =", "gain_db ="].iter().any(|field| line.starts_with(field));
    let draft: String = head.lines().filter(|line| !is_found(line)).flat_map(|line| [line, "\n"]).collect();
    fs::write(&path, &draft).unwrap();
    printed(folder.path(), &arguments);
    let finished = fs::read_to_string(folder.path().join("packs/test/pack.toml")).unwrap();
    assert!(finished.contains("hop = 256") && finished.contains("gain_db = "), "{finished}");
    printed(folder.path(), &["voices", "remove", "test"]);
    for (from, to, expected) in [
        ("text = \"LICENCE\"", "text = \"../x\"", "`licence.text` is \"../x\""),
        ("id = \"test\"", "id = \"../x\"", "`id` is"),
        ("id = \"test\"", "", "`id` is missing"),
        ("rate = 22050", "rate = 22", "`graph.rate` is 22"),
    ] {
        fs::write(&path, draft.replacen(from, to, 1)).unwrap();
        let error = refused(folder.path(), &arguments);
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(held(folder.path()).is_empty(), "{expected}");
    }
}
