//! Tests of `shruti voices pull` with a catalogue and an untrusted publisher.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::publisher::{Answer, Asked, Publisher, TAG, answer, catalogue, publish, rest, whole};
use super::{ACCEPT, audited, held, listed, packs, piper_files, printed, refused, run};
use crate::graph::{self, Size};

const GRAPH: &str = "/voice.onnx";

/// Returns the arguments that install the test pack from a catalogue.
fn pull(catalogue: &Path) -> Vec<String> {
    let of = ["voices", "pull", "test", "--catalogue", catalogue.to_str().unwrap()];
    of.into_iter().chain(ACCEPT).map(ToOwned::to_owned).collect()
}

fn as_str(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

/// Starts a publisher of a voice, with a custom response for its graph.
fn publisher(files: &Path, graph: impl Fn(&Asked, &[u8]) -> Answer + Send + 'static) -> Publisher {
    let files = files.to_owned();
    let bytes = fs::read(files.join("voice.onnx")).unwrap();
    Publisher::start(move |asked| match asked.path.as_str() {
        GRAPH => graph(asked, &bytes),
        _ => publish(&files, asked).into(),
    })
}

#[test]
fn a_pack_is_pulled_listed_verified_and_removed() {
    let (folder, files) = (tempfile::tempdir().unwrap(), piper_files(&graph::piper(Size::SMALL)));
    let data_dir = folder.path();
    let publisher = publisher(files.path(), |_, graph| whole(graph).into());
    let catalogue = publisher.catalogue(files.path());
    printed(data_dir, &as_str(&pull(&catalogue)));
    let listing = listed(data_dir);
    let voice = &listing["voices"][2];
    assert_eq!((voice["name"].as_str(), voice["pack"].as_str()), (Some("Test"), Some("test")));
    assert_eq!((voice["engine"].as_str(), voice["gender"].as_str()), (Some("neural"), Some("female")));
    let pack = &listing["packs"][0];
    assert_eq!((pack["licence"]["spdx"].as_str(), pack["error"].as_str()), (Some("MIT"), None));
    let measured = |field: &str| pack["measured"][field].as_f64().unwrap();
    let least = [
        ("resident_bytes", 5e5),
        ("run_bytes", 1e5),
        ("sound_seconds", 1.0),
        ("seconds_per_second", 1e-4),
        ("longest_step_seconds", 1e-4),
    ];
    for (field, least) in least {
        assert!(measured(field) > least, "{field}: {}", measured(field));
    }
    for (path, mode) in [("", 0o700), ("test", 0o700), ("test/front.onnx", 0o600), ("test/pack.toml", 0o600)]
    {
        let found = fs::metadata(data_dir.join("packs").join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode, "{path}: {found:o}");
    }

    let routes = ["voices", "--voices", "Ananya.hi=test/Test"];
    assert!(printed(data_dir, &routes).contains("Ananya.hi = test/Test"));
    let verified = printed(data_dir, &["voices", "verify", "test"]);
    assert!(verified.contains("checksums are correct") && verified.contains("Test hi: "), "{verified}");
    assert!(refused(data_dir, &as_str(&pull(&catalogue))).contains("is installed; remove it first"));
    printed(data_dir, &["voices", "remove", "test"]);
    assert!(held(data_dir).is_empty(), "{:?}", held(data_dir));
    assert!(refused(data_dir, &["voices", "remove", "test"]).contains("is not installed"));
    assert!(refused(data_dir, &["voices", "verify", "test"]).contains("is not installed"));
    let events = audited(data_dir);
    let expected = [("pack_licence_accepted", "test MIT"), ("pack_pulled", "test"), ("pack_removed", "test")];
    assert_eq!(events, expected.map(|(event, of)| (event.to_owned(), of.to_owned())));
}

#[test]
fn local_files_are_accepted() {
    let (folder, files) = (tempfile::tempdir().unwrap(), piper_files(&graph::piper(Size::SMALL)));
    let catalogue = catalogue(files.path(), &format!("file://{}", files.path().display()));
    printed(folder.path(), &as_str(&pull(&catalogue)));
    assert_eq!(packs(folder.path()), ["test"]);
}

#[test]
fn an_interrupted_download_is_resumed() {
    let (folder, files) = (tempfile::tempdir().unwrap(), piper_files(&graph::piper(Size::SMALL)));
    let data_dir = folder.path();
    // each response is cut off after a tenth of the file
    let cutting = publisher(files.path(), |request, graph| {
        let answer = request.from.map_or_else(|| whole(graph), |from| rest(graph, from));
        let body = answer.windows(4).position(|at| at == b"\r\n\r\n").unwrap() + 4;
        answer[..body + graph.len() / 10].to_vec().into()
    });
    let error = refused(data_dir, &as_str(&pull(&cutting.catalogue(files.path()))));
    let length = fs::metadata(files.path().join("voice.onnx")).unwrap().len() as usize;
    let stored = length / 10 * 5;
    assert!(error.contains(&format!("{stored} of {length} bytes are kept")), "{error}");
    let froms: Vec<usize> = cutting.asked(GRAPH).iter().map(|request| request.from.unwrap_or(0)).collect();
    assert_eq!(froms, [0, 1, 2, 3, 4].map(|tenths| length / 10 * tenths));
    assert!(packs(data_dir).is_empty());

    let good = publisher(files.path(), |request, graph| {
        request.from.map_or_else(|| whole(graph), |from| rest(graph, from)).into()
    });
    printed(data_dir, &as_str(&pull(&good.catalogue(files.path()))));
    let requests = good.asked(GRAPH);
    assert_eq!(
        (requests[0].from, requests[0].if_range.as_deref(), requests.len()),
        (Some(stored), Some(TAG), 1)
    );
    assert_eq!(held(data_dir), [".test.measured", "test"]);
}

/// Function that returns the response to each later request for a graph. The first response was cut off in the middle.
type Second = fn(&Asked, &[u8]) -> Vec<u8>;

#[test]
fn changed_files_and_servers_without_ranges_restart_the_download() {
    let answers: [(&str, Second); 4] = [
        ("200 to a range", |_, graph| whole(graph)),
        ("a part of another version", |asked, graph| match asked.from {
            Some(from) => String::from_utf8_lossy(&rest(&vec![b'x'; graph.len()], from))
                .replace(TAG, "\"other\"")
                .into_bytes(),
            None => whole(graph),
        }),
        ("another part", |asked, graph| {
            asked.from.map_or_else(|| whole(graph), |from| rest(graph, from - 1))
        }),
        ("416", |asked, graph| match asked.from {
            Some(_) => answer("416 Range Not Satisfiable", &[("content-length", "0")], b""),
            None => whole(graph),
        }),
    ];
    for (name, second) in answers {
        let (folder, files) = (tempfile::tempdir().unwrap(), piper_files(&graph::piper(Size::SMALL)));
        let publisher = publisher(files.path(), move |asked, graph| match asked.before {
            0 => whole(graph)[..graph.len() / 2].to_vec().into(),
            _ => second(asked, graph).into(),
        });
        let output = run(folder.path(), &as_str(&pull(&publisher.catalogue(files.path()))));
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(publisher.asked(GRAPH)[1].from.is_some(), "{name}");
    }
}

#[test]
fn a_download_with_a_weak_etag_is_not_resumed() {
    let (folder, files) = (tempfile::tempdir().unwrap(), piper_files(&graph::piper(Size::SMALL)));
    let publisher = publisher(files.path(), |asked, graph| {
        let length = graph.len().to_string();
        let answer = answer("200 OK", &[("content-length", &length), ("etag", "W/\"weak\"")], graph);
        if asked.before == 0 { answer[..graph.len() / 2].to_vec().into() } else { answer.into() }
    });
    printed(folder.path(), &as_str(&pull(&publisher.catalogue(files.path()))));
    assert_eq!(publisher.asked(GRAPH)[1].from, None);
}

#[test]
fn files_that_differ_from_the_catalogue_are_rejected_and_deleted() {
    type Lie = fn(&[u8]) -> Vec<u8>;
    let lies: [(Lie, &str); 9] = [
        (|graph| whole(&graph[1..]), "bytes, but the catalogue has"),
        (|graph| whole(&[graph, b"x"].concat()), "bytes, but the catalogue has"),
        (|graph| answer("200 OK", &[], &[graph, b"x"].concat()), "more than the"),
        (
            |graph| {
                let mut flipped = graph.to_vec();
                flipped[graph.len() / 2] ^= 1;
                whole(&flipped)
            },
            "SHA-256 is",
        ),
        (|_| answer("404 Not Found", &[("content-length", "0")], b""), "404 Not Found"),
        (|graph| rest(graph, 0), "a different part from the one requested"),
        (|_| answer("302 Found", &[("location", "http://example.org/voice.onnx")], b""), "only over https"),
        (|_| answer("302 Found", &[("location", "/voice.onnx")], b""), "more than 5 times"),
        (
            |_| answer("302 Found", &[("location", "file:///etc/passwd")], b""),
            "redirects are followed only to https://",
        ),
    ];
    for (lie, expected) in lies {
        let (folder, files) = (tempfile::tempdir().unwrap(), piper_files(&graph::piper(Size::SMALL)));
        let publisher = publisher(files.path(), move |_, graph| lie(graph).into());
        let error = refused(folder.path(), &as_str(&pull(&publisher.catalogue(files.path()))));
        assert!(error.contains(expected), "{expected}: {error}");
        assert!(held(folder.path()).is_empty(), "{expected}: {:?}", held(folder.path()));
    }
}

#[test]
fn a_flipped_bit_is_reported_with_both_checksums() {
    let (folder, files) = (tempfile::tempdir().unwrap(), piper_files(&graph::piper(Size::SMALL)));
    let mut bytes = fs::read(files.path().join("voice.onnx")).unwrap();
    let right = super::publisher::checksum(&bytes);
    bytes[1_000] ^= 1;
    let wrong = super::publisher::checksum(&bytes);
    let publisher = publisher(files.path(), move |_, _| whole(&bytes).into());
    let error = refused(folder.path(), &as_str(&pull(&publisher.catalogue(files.path()))));
    assert!(error.contains(&right) && error.contains(&wrong), "{error}");
}

#[test]
fn invalid_catalogues_and_urls_are_rejected_before_any_request() {
    let (folder, files) = (tempfile::tempdir().unwrap(), piper_files(&graph::piper(Size::SMALL)));
    let path = catalogue(files.path(), "http://example.org");
    assert!(refused(folder.path(), &as_str(&pull(&path))).contains("only over https"));
    fs::write(&path, "format = 2").unwrap();
    assert!(refused(folder.path(), &as_str(&pull(&path))).contains("`format` is 2"));
    assert!(refused(folder.path(), &as_str(&pull(Path::new("/dev/zero")))).contains("not a plain file"));
    let error = refused(folder.path(), &["voices", "pull", "no-such-pack"]);
    assert!(error.contains("the catalogue has no pack 'no-such-pack'"), "{error}");
    assert!(held(folder.path()).is_empty());
}
