//! A pack as a back end of the engine.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod graph;

use std::path::Path;

use graph::Size;
use shruti_engine::{Backend, Engine, ParametricBackend, Request, Style};
use shruti_neural::{BackendLoadError, InputKind, PackBackend, Synthesiser, import_piper};

fn backend(folder: &Path, input: InputKind) -> Result<PackBackend, BackendLoadError> {
    let file = graph::write(folder, &graph::piper(Size::SMALL), 1);
    let mut options = graph::options(folder, 1);
    options.input = Some(input);
    let pack = import_piper(&folder.join("packs"), &file, &options).unwrap();
    PackBackend::new(Synthesiser::load(&pack, 2).unwrap())
}

#[test]
fn a_pack_speaks_beside_the_built_in_voices_with_word_marks() {
    let folder = tempfile::tempdir().unwrap();
    let backend = backend(folder.path(), InputKind::Phones).unwrap();
    let description = backend.description().clone();
    assert_eq!((description.name.as_str(), description.engine.as_str()), ("test", "neural"));
    assert!(description.max_speeches >= 1 && description.cost.block_per_sample > 0.0);
    let engine = Engine::builder()
        .backend(ParametricBackend::with_threads(1))
        .backend(backend)
        .max_speeches(10)
        .build()
        .unwrap();
    let speak = || {
        let mut speech = engine.speak_text(Request::new("Test 0"), "नमस्ते। आप कैसे हैं?").unwrap();
        let (mut samples, mut marks) = (Vec::new(), 0);
        while let Some(chunk) = speech.blocking_next() {
            let chunk = chunk.unwrap();
            marks += chunk.marks.len();
            samples.extend_from_slice(&chunk.samples);
        }
        (samples, marks)
    };
    let (samples, marks) = speak();
    assert_eq!(marks, 4);
    assert!(samples.len() > 12_000 && samples.iter().any(|sample| sample.unsigned_abs() > 1_000));
    assert_eq!(speak().0, samples);
}

#[test]
fn what_a_pack_cannot_do_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = backend(folder.path(), InputKind::Espeak).map(|_| ());
    assert_eq!(refused, Err(BackendLoadError::Input(InputKind::Espeak)));
    let folder = tempfile::tempdir().unwrap();
    let backend = backend(folder.path(), InputKind::Phones).unwrap();
    let utterance = shruti_text::utterance::Utterance {
        index: 0,
        language: shruti_protocol::Language::Hindi,
        words: Vec::new(),
        contour: shruti_text::utterance::Contour::Statement,
        begins_sentence: true,
        source: 0..0,
    };
    for (voice, pitch) in [("Test 0", 1.0), ("Test 0", 0.0), ("Nobody", 0.0)] {
        let style = Style { voice: voice.into(), speed: 1.0, pitch };
        assert!(backend.prepare(&utterance, &style).is_err(), "{voice}, pitch {pitch}");
    }
}
