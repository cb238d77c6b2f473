//! Tests of invalid packs and packs with harmful graphs. Each pack is refused with a reason, and leaves no files.

use std::fs::{self, File};
use std::path::Path;

use tar::{EntryType, Header};

use super::{
    ACCEPT, add_work, change_decoder, held, node, pack_folder, packs, piper_files, printed, refused, rewrite,
};
use crate::graph::{self, Size};

/// Returns the arguments that install the test pack from a path.
fn pull<'a>(from: &'a Path, more: &[&'a str]) -> Vec<&'a str> {
    let of = ["voices", "pull", "test", "--from", from.to_str().unwrap()];
    of.into_iter().chain(ACCEPT).chain(more.iter().copied()).collect()
}

fn edit_manifest(pack: &Path, from: &str, to: &str) {
    let path = pack.join("pack.toml");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from}: {text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn packs_that_differ_from_their_manifest_are_rejected() {
    type Change = fn(&Path);
    let cases: [(Change, &str); 11] = [
        (
            |pack| {
                let mut bytes = fs::read(pack.join("decoder.onnx")).unwrap();
                bytes[1_000] ^= 1;
                fs::write(pack.join("decoder.onnx"), bytes).unwrap();
            },
            "decoder.onnx: SHA-256 is",
        ),
        (|pack| rewrite(pack, "front.onnx", b"no graph at all"), "front: the graph cannot be loaded"),
        (
            |pack| {
                // the file is sparse, so it uses no disk space
                File::create(pack.join("front.onnx")).unwrap().set_len(5 << 30).unwrap();
            },
            "front.onnx: 5368709120 bytes; the manifest says",
        ),
        (|pack| edit_manifest(pack, "bytes = ", "bytes = 7777777"), "at most 600 MiB"),
        (
            |pack| change_decoder(pack, |model| node(model, "Tanh").op_type = Some("Sqrt".to_owned())),
            "NaN at",
        ),
        (
            |pack| {
                change_decoder(pack, |model| node(model, "Tanh").op_type = Some("NoSuchOperator".to_owned()));
            },
            "NoSuchOperator",
        ),
        (|pack| edit_manifest(pack, "rate = 22050", "rate = 22"), "`graph.rate` is 22"),
        (|pack| edit_manifest(pack, "hop = 256", "hop = 200"), "it must be 6200 for 31 frames"),
        (|pack| edit_manifest(pack, "path = \"front.onnx\"", "path = \"../front.onnx\""), "`file[0].path`"),
        (|pack| std::os::unix::fs::symlink("/etc/passwd", pack.join("more")).unwrap(), "more: not named"),
        (
            |pack| {
                fs::remove_file(pack.join("LICENCE")).unwrap();
                std::os::unix::fs::symlink("/etc/passwd", pack.join("LICENCE")).unwrap();
            },
            "LICENCE: not a plain file",
        ),
    ];
    for (change, expected) in cases {
        let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
        change(&pack);
        let error = refused(folder.path(), &pull(&pack, &[]));
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(held(folder.path()).is_empty(), "{expected}: {:?}", held(folder.path()));
    }
}

#[test]
fn graphs_that_exceed_time_or_memory_are_stopped() {
    for (size, times, limits, expected) in [
        (2_048, 5_000, ["--time-limit", "1"], "the time limit of 1s"),
        (60_000, 1, ["--memory-limit", "1024"], "1073741824 bytes of memory"),
    ] {
        let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
        change_decoder(&pack, |model| add_work(model, size, times));
        let error = refused(folder.path(), &pull(&pack, &limits));
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(held(folder.path()).is_empty(), "{expected}: {:?}", held(folder.path()));
        // the import of the same graph is refused too
        let mut model = graph::piper(Size::SMALL);
        add_work(&mut model, size, times);
        let files = piper_files(&model);
        let file = files.path().join("voice.onnx");
        let file = file.to_str().unwrap();
        let of = ["voices", "import", "piper", file, "--licence", "MIT", "-l", "hi", "--name", "Test"];
        let error = refused(folder.path(), &of.into_iter().chain(ACCEPT).chain(limits).collect::<Vec<_>>());
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(held(folder.path()).is_empty(), "{expected}: {:?}", held(folder.path()));
    }
}

/// Creates an archive of a pack, optionally with one more entry after its manifest.
fn archive(pack: &Path, more: Option<(&str, EntryType)>) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    builder.append_path_with_name(pack.join("pack.toml"), "pack.toml").unwrap();
    if let Some((name, kind)) = more {
        let mut header = Header::new_ustar();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.as_old_mut().linkname[..11].copy_from_slice(b"/etc/passwd");
        header.set_entry_type(kind);
        header.set_size(0);
        header.set_cksum();
        builder.append(&header, &b""[..]).unwrap();
    }
    for file in ["front.onnx", "decoder.onnx", "symbols.tsv", "LICENCE"] {
        builder.append_path_with_name(pack.join(file), file).unwrap();
    }
    builder.into_inner().unwrap()
}

#[test]
fn an_archive_with_links_or_outside_paths_is_rejected() {
    let ((made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
    let file = made.path().join("pack.tar");
    for (more, expected) in [
        (("front.onnx", EntryType::Symlink), "front.onnx: not a plain file"),
        (("front.onnx", EntryType::Link), "front.onnx: not a plain file"),
        (("../escaped", EntryType::Regular), "../escaped: not named"),
        (("/tmp/escaped", EntryType::Regular), "/tmp/escaped: not named"),
    ] {
        fs::write(&file, archive(&pack, Some(more))).unwrap();
        let error = refused(folder.path(), &pull(&file, &[]));
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(held(folder.path()).is_empty(), "{expected}: {:?}", held(folder.path()));
    }
    let complete = archive(&pack, None);
    fs::write(&file, &complete[..complete.len() / 2]).unwrap();
    refused(folder.path(), &pull(&file, &[]));
    assert!(held(folder.path()).is_empty());
    for other in ["/dev/zero", "/nowhere.tar"] {
        refused(folder.path(), &pull(Path::new(other), &[]));
    }
    fs::write(&file, &complete).unwrap();
    let other = ["voices", "pull", "other", "--from", file.to_str().unwrap(), "--accept", "MIT"];
    assert!(refused(folder.path(), &other).contains("it contains the pack test, not other"));
    assert!(held(folder.path()).is_empty());
    printed(folder.path(), &pull(&file, &[]));
    assert_eq!(packs(folder.path()), ["test"]);
}

#[test]
fn a_pack_changed_on_disk_is_reported() {
    let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
    printed(folder.path(), &pull(&pack, &[]));
    let installed = folder.path().join("packs/test");
    let bytes = fs::read(installed.join("front.onnx")).unwrap();
    let mut flipped = bytes.clone();
    flipped[99] ^= 1;
    fs::write(installed.join("front.onnx"), flipped).unwrap();
    assert!(refused(folder.path(), &["voices", "verify"]).contains("test failed"));
    rewrite(&installed, "LICENCE", b"other terms");
    assert!(super::listed(folder.path())["packs"][0]["measured"].is_null(), "the pack has changed");
    fs::write(installed.join("front.onnx"), &bytes[1..]).unwrap();
    let text = printed(folder.path(), &["voices"]);
    assert!(text.contains("test: cannot be used: front.onnx"), "{text}");
    printed(folder.path(), &["voices", "remove", "test"]);
    assert!(held(folder.path()).is_empty());
}

#[test]
fn a_pack_without_the_symbols_of_its_language_fails_verification() {
    let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
    // remove the symbol of one vowel from the pack
    let table = fs::read_to_string(pack.join("symbols.tsv")).unwrap();
    let rest = table.lines().filter(|line| !line.starts_with("aː\t")).collect::<Vec<_>>().join("\n");
    assert_ne!(rest, table);
    rewrite(&pack, "symbols.tsv", rest.as_bytes());
    printed(folder.path(), &pull(&pack, &[]));
    assert!(super::listed(folder.path())["packs"][0]["measured"].is_object());
    let output = super::run(folder.path(), &["voices", "verify"]);
    let output_text = String::from_utf8(output.stdout).unwrap();
    assert!(
        !output.status.success() && output_text.contains("symbols of hi are unknown to the pack"),
        "{output_text}"
    );
    let lines = folder.path().join("lines.txt");
    fs::write(&lines, "नमन\nहम तुम\n").unwrap();
    let output_text = printed(folder.path(), &["voices", "verify", "--lines", lines.to_str().unwrap()]);
    assert!(output_text.contains(" 0 of "), "{output_text}");
}

#[test]
fn text_of_a_pack_is_sanitized_for_the_terminal() {
    const ESCAPES: &str = "\u{1b}]0;x\u{7}\u{9b}2J\u{202e}";
    let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
    let is_plain = |text: &str| !text.chars().any(|c| shruti_packs::is_hidden(c) && c != '\n');
    let tar = folder.path().join("pack.tar");
    fs::write(&tar, archive(&pack, Some((&format!("a{ESCAPES}b"), EntryType::Regular)))).unwrap();
    let error = refused(folder.path(), &pull(&tar, &[]));
    assert!(is_plain(&error) && error.contains("a\\u{1b}]0;x"), "{error}");
    // the fields of a manifest are escaped too, both in a draft and in a complete pack
    for (field, expected) in [("spdx", "an SPDX expression"), ("attribution", "without control")] {
        for is_finished in [true, false] {
            let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
            let path = pack.join("pack.toml");
            let text = fs::read_to_string(&path).unwrap();
            let value = text.lines().find(|line| line.starts_with(&format!("{field} ="))).unwrap();
            let mut text = text.replace(value, &format!("{field} = \"x\\u001b[2J\\u202e\""));
            if !is_finished {
                text.truncate(text.find("[[file]]").unwrap());
            }
            fs::write(&path, text).unwrap();
            let of = ["voices", "import", "folder", pack.to_str().unwrap()];
            let error = refused(folder.path(), &of.into_iter().chain(ACCEPT).collect::<Vec<_>>());
            assert!(is_plain(&error) && error.contains(expected), "{field} {is_finished}: {error:?}");
        }
    }
}

#[test]
fn a_folder_is_imported_without_following_links() {
    let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
    let outside = folder.path().join("outside");
    for name in ["pack.toml", "LICENCE", "front.onnx"] {
        let path = pack.join("pack.toml");
        let text = fs::read_to_string(&path).unwrap();
        if let Some(end) = text.find("[[file]]") {
            let unfinished = text[..end].lines().filter(|line| !line.starts_with("context"));
            fs::write(&path, unfinished.collect::<Vec<_>>().join("\n")).unwrap();
        }
        let file = pack.join(name);
        fs::rename(&file, &outside).unwrap();
        std::os::unix::fs::symlink(&outside, &file).unwrap();
        let of = ["voices", "import", "folder", pack.to_str().unwrap()];
        let error = refused(folder.path(), &of.into_iter().chain(ACCEPT).collect::<Vec<_>>());
        assert!(error.contains(&format!("{name}: not a plain file")), "{name}: {error}");
        assert!(held(folder.path()).is_empty(), "{name}: {:?}", held(folder.path()));
        fs::remove_file(&file).unwrap();
        fs::rename(&outside, &file).unwrap();
    }
}

#[test]
fn a_voice_cannot_have_the_name_of_a_remote_voice() {
    let ((_made, pack), folder) = (pack_folder(), tempfile::tempdir().unwrap());
    let away = folder.path().join("packs/away");
    fs::create_dir_all(&away).unwrap();
    fs::write(
        away.join("pack.toml"),
        "format = 1\nid = 'away'\n[[voice]]\nname = 'TEST 0'\nlanguages = ['te']\nupstream = 'x'\n[licence]\n\
         spdx = 'MIT'\nattribution = 'a'\ncommercial = 'yes'\nsource = 'b'\n[remote]\nprotocol = 'openai'\n\
         url = 'https://a/v1'\nmodel = 'm'\nrate = 24000\n",
    )
    .unwrap();
    let error = refused(folder.path(), &pull(&pack, &[]));
    assert!(error.contains("there is already a voice Test 0 (in the pack away)"), "{error}");
    assert_eq!(held(folder.path()), ["away"]);
}
