use std::os::unix::fs::symlink;

use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

use super::*;
use crate::manifest::*;

const FILES: [(&str, &[u8]); 4] =
    [("front.onnx", b"front"), ("decoder.onnx", b"decoder"), ("symbols.tsv", b"a\t1\n"), ("CARD", b"terms")];

fn manifest() -> Manifest {
    let file = |(path, bytes): (&str, &[u8])| PackFile {
        path: path.to_owned(),
        bytes: bytes.len() as u64,
        sha256: hex(&Sha256::digest(bytes)),
    };
    Manifest {
        format: FORMAT,
        id: "test".to_owned(),
        voices: vec![PackVoice {
            name: "Test".to_owned(),
            sex: None,
            languages: vec![shruti_lang::Language::Hindi],
            speaker: None,
            upstream: None,
        }],
        licence: Licence {
            spdx: "MIT".to_owned(),
            attribution: "nobody".to_owned(),
            commercial: Commercial::Yes,
            source: "a test".to_owned(),
            text: "CARD".to_owned(),
        },
        input: Input {
            kind: InputKind::Phones,
            dialect: None,
            symbols: "symbols.tsv".to_owned(),
            begin: Vec::new(),
            between: Vec::new(),
            end: Vec::new(),
            unknown: Unknown::Skip,
            max_symbols: 400,
        },
        graph: Graph::Vits(VitsGraph {
            files: VitsFiles { front: "front.onnx".to_owned(), decoder: "decoder.onnx".to_owned() },
            rate: 22_050,
            hop: 256,
            context: 13,
            scales: Scales { noise: 0.667, length: 1.0, duration_noise: 0.8 },
        }),
        sound: SoundSettings { gain_db: 0.0, pauses: Pauses::Ours },
        files: FILES.map(file).to_vec(),
    }
}

/// Returns a folder that contains a pack.
fn source() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, bytes) in FILES {
        fs::write(folder.path().join(path), bytes).unwrap();
    }
    fs::write(folder.path().join(MANIFEST), manifest().to_toml().unwrap()).unwrap();
    folder
}

/// Returns the entries of a folder of packs, without its lock.
fn listed(packs: &Path) -> Vec<String> {
    let names = fs::read_dir(packs).into_iter().flatten();
    let names = names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| name != ".lock").collect()
}

fn add(builder: &mut Builder<Vec<u8>>, name: &str, kind: EntryType, link: &str, bytes: &[u8]) {
    let mut header = Header::new_ustar();
    // the name is written as raw bytes, because `set_path` rejects the names that an installation must reject
    header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
    header.as_old_mut().linkname[..link.len()].copy_from_slice(link.as_bytes());
    header.set_entry_type(kind);
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    builder.append(&header, bytes).unwrap();
}

type Entry<'a> = (&'a str, EntryType, &'a str, &'a [u8]);

fn archive(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (name, kind, link, bytes) in entries {
        add(&mut builder, name, *kind, link, bytes);
    }
    builder.into_inner().unwrap()
}

#[test]
fn a_pack_is_installed_from_a_folder_and_from_an_archive() {
    let packs = tempfile::tempdir().unwrap();
    let packs = packs.path().join("packs");
    let source = source();
    let pack = install_folder(&packs, source.path()).unwrap();
    assert_eq!(pack.read("decoder.onnx").unwrap(), b"decoder");
    assert!(matches!(install_folder(&packs, source.path()), Err(PackError::AlreadyInstalled(_))));
    assert_eq!(listed(&packs), ["test"]);
    fs::remove_dir_all(packs.join("test")).unwrap();

    let text = manifest().to_toml().unwrap();
    let mut entries: Vec<Entry<'_>> = vec![("./pack.toml", EntryType::Regular, "", text.as_bytes())];
    entries.extend(FILES.map(|(path, bytes)| (path, EntryType::Regular, "", bytes)));
    install_tar(&packs, archive(&entries).as_slice()).unwrap().verify().unwrap();
    assert_eq!(listed(&packs), ["test"]);
}

#[test]
fn an_archive_that_is_not_a_pack_is_refused_and_leaves_nothing() {
    let text = manifest().to_toml().unwrap();
    let head: Entry<'_> = ("pack.toml", EntryType::Regular, "", text.as_bytes());
    let files = FILES.map(|(path, bytes)| (path, EntryType::Regular, "", bytes));
    let with = |entry: Entry<'static>| {
        let mut entries = vec![head, entry];
        entries.extend(files);
        entries
    };
    let cases: Vec<(Vec<Entry<'_>>, &str)> = vec![
        (Vec::new(), "pack.toml: named"),
        (vec![files[0], head], "front.onnx: the first entry"),
        (vec![head, files[0]], "decoder.onnx: named in pack.toml, but missing"),
        (with(("../escaped", EntryType::Regular, "", b"x")), "../escaped: not named"),
        (with(("/tmp/escaped", EntryType::Regular, "", b"x")), "/tmp/escaped: not named"),
        (with(("front.onnx", EntryType::Symlink, "/etc/passwd", b"")), "front.onnx: not a plain file"),
        (with(("front.onnx", EntryType::Link, "/etc/passwd", b"")), "front.onnx: not a plain file"),
        (with(("sub", EntryType::Directory, "", b"")), "sub: not a plain file"),
        (with(("long", EntryType::GNULongName, "", b"name")), "long: not a plain file"),
        (with(("pax", EntryType::XHeader, "", b"12 path=abc\n")), "pax: not a plain file"),
        (with(("other", EntryType::Regular, "", b"x")), "other: not named"),
        (with(files[1]), "decoder.onnx: twice"),
        (with(("front.onnx", EntryType::Regular, "", b"frond")), "front.onnx: SHA-256 is"),
        (with(("front.onnx", EntryType::Regular, "", b"fronts and more")), "front.onnx: 6 bytes"),
        (with(("front.onnx", EntryType::Regular, "", b"fro")), "front.onnx: 3 bytes"),
    ];
    for (entries, expected) in cases {
        let packs = tempfile::tempdir().unwrap();
        let error = install_tar(packs.path(), archive(&entries).as_slice()).expect_err(expected).to_string();
        assert!(error.starts_with(expected), "{expected}: {error}");
        assert!(listed(packs.path()).is_empty(), "{expected}: {:?}", listed(packs.path()));
    }
    let complete = archive(&with(files[0])[..1]);
    for cut in [100, 700] {
        let packs = tempfile::tempdir().unwrap();
        assert!(install_tar(packs.path(), &complete[..cut]).is_err(), "cut at {cut}");
        assert!(listed(packs.path()).is_empty());
    }
}

#[test]
fn a_folder_that_is_not_a_pack_is_refused_and_leaves_nothing() {
    type Change = fn(&Path);
    let cases: [(Change, &str); 5] = [
        (|at| fs::write(at.join("extra"), "x").unwrap(), "extra: not named"),
        (|at| fs::remove_file(at.join("front.onnx")).unwrap(), "front.onnx: named in pack.toml, but missing"),
        (|at| fs::write(at.join("front.onnx"), "frond").unwrap(), "front.onnx: SHA-256 is"),
        (|at| fs::write(at.join("front.onnx"), "more than").unwrap(), "front.onnx: 9 bytes"),
        (
            |at| {
                fs::remove_file(at.join("CARD")).unwrap();
                symlink("/etc/hostname", at.join("CARD")).unwrap();
            },
            "CARD: not a plain file",
        ),
    ];
    for (change, expected) in cases {
        let (packs, source) = (tempfile::tempdir().unwrap(), source());
        change(source.path());
        let error = install_folder(packs.path(), source.path()).expect_err(expected).to_string();
        assert!(error.starts_with(expected), "{expected}: {error}");
        assert!(listed(packs.path()).is_empty(), "{expected}");
    }
}

#[test]
fn interrupted_installations_are_removed_and_installations_are_exclusive() {
    let packs = tempfile::tempdir().unwrap();
    fs::create_dir(packs.path().join("test.part")).unwrap();
    fs::write(packs.path().join("test.part/old"), "x").unwrap();
    let staging = Staging::begin(packs.path(), "test").unwrap();
    assert!(!packs.path().join("test.part/old").exists());
    assert!(matches!(Staging::begin(packs.path(), "other"), Err(PackError::Busy)));
    drop(staging);
    assert!(listed(packs.path()).is_empty());
    assert!(Staging::begin(packs.path(), "../x").is_err());
}

#[test]
fn a_file_changed_after_opening_is_detected() {
    let (packs, source) = (tempfile::tempdir().unwrap(), source());
    let pack = install_folder(packs.path(), source.path()).unwrap();
    fs::write(pack.folder().join("front.onnx"), "frond").unwrap();
    assert!(matches!(pack.read("front.onnx"), Err(PackError::Checksum { .. })));
    assert!(pack.verify().is_err());
    fs::rename(pack.folder(), packs.path().join("renamed")).unwrap();
    assert!(matches!(Pack::open(&packs.path().join("renamed")), Err(PackError::Name { .. })));
}

#[test]
fn installed_and_broken_packs_are_listed() {
    let (folder, packs) = (source(), tempfile::tempdir().unwrap());
    assert!(installed(&packs.path().join("nowhere")).unwrap().is_empty());
    install_folder(packs.path(), folder.path()).unwrap();
    std::fs::create_dir(packs.path().join("broken")).unwrap();
    std::fs::create_dir(packs.path().join("other.part")).unwrap();
    let found = installed(packs.path()).unwrap();
    let ids: Vec<(&str, bool)> = found.iter().map(|found| (found.id.as_str(), found.pack.is_ok())).collect();
    assert_eq!(ids, [("broken", false), ("test", true)]);
}
