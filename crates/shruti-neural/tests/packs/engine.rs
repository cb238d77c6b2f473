//! A pack as a back end of the engine.

use std::path::Path;
use std::task::Waker;

use crate::graph::{self, Size};
use shruti_engine::{Backend, Engine, Job, Length, ParametricBackend, Rendered, Request, Style};
use shruti_neural::{BackendLoadError, InputKind, PackBackend, Synthesiser, WriterError, import_piper};
use shruti_protocol::Language;
use shruti_text::Class;
use shruti_text::utterance::{Break, Contour, Utterance, Weight, Word};

fn backend(folder: &Path, input: InputKind) -> Result<PackBackend, BackendLoadError> {
    let file = graph::write(folder, &graph::piper(Size::SMALL), 1);
    let mut options = graph::options(folder, 1);
    options.input = Some(input);
    let pack = import_piper(&folder.join("packs"), &file, &options).unwrap();
    PackBackend::new(Synthesiser::load(&pack, 2).unwrap(), 2)
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

/// An utterance of one word.
fn utterance(word: &str) -> Utterance {
    let word = Word {
        text: word.to_owned(),
        language: Language::Hindi,
        class: Class::Word,
        phones: Vec::new(),
        syllables: Vec::new(),
        source: 0..word.len() as u32,
        extra_chars: 0,
        weight: Weight::Content,
        break_after: Break::Sentence,
    };
    Utterance {
        index: 0,
        language: Language::Hindi,
        source: word.source.clone(),
        words: vec![word],
        contour: Contour::Statement,
        begins_sentence: true,
    }
}

#[test]
fn the_samples_do_not_depend_on_the_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let backend = backend(folder.path(), InputKind::Characters).unwrap();
    let style = Style { voice: "Test 0".into(), speed: 1.0, pitch: 0.0 };
    let rendered = |size: usize| {
        let mut prepared = backend.prepare(&utterance("namaste"), &style).unwrap();
        let (mut samples, mut written) = (Vec::new(), size);
        while written == size {
            let mut block = vec![0; size];
            let mut jobs = [Job {
                render_state: &mut prepared.render_state,
                block: &mut block,
                outcome: Ok(Rendered::Samples(0)),
                waker: Waker::noop().clone(),
            }];
            backend.render(&mut jobs);
            let Ok(Rendered::Samples(count)) = jobs[0].outcome else { panic!("{:?}", jobs[0].outcome) };
            written = count;
            samples.extend_from_slice(&block[..written]);
        }
        assert_eq!(prepared.length, Length::Exact(samples.len()), "blocks of {size}");
        samples
    };
    let whole = rendered(2_400);
    for size in [1, 7, 480] {
        assert_eq!(rendered(size), whole, "blocks of {size}");
    }
}

#[test]
fn what_a_pack_cannot_do_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = graph::write(folder.path(), &graph::piper(Size::SMALL), 1);
    let json = file.with_extension("onnx.json");
    let text = std::fs::read_to_string(&json).unwrap();
    std::fs::write(&json, text.replace(r#""voice": "hi""#, r#""voice": "sw""#)).unwrap();
    let mut options = graph::options(folder.path(), 1);
    options.input = None;
    let pack = import_piper(&folder.path().join("packs"), &file, &options).unwrap();
    let refused = PackBackend::new(Synthesiser::load(&pack, 1).unwrap(), 1).map(|_| ());
    let Err(BackendLoadError::Writer(error @ WriterError::Dialect { .. })) = &refused else {
        panic!("{refused:?}");
    };
    assert!(error.to_string().contains(r#"`input.dialect` is "sw""#), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let backend = backend(folder.path(), InputKind::Phones).unwrap();
    let without_phones = utterance("namaste");
    for (voice, pitch, expected) in
        [("Test 0", 1.0, "another pitch"), ("Test 0", 0.0, "no symbols"), ("Nobody", 0.0, "voice Nobody")]
    {
        let style = Style { voice: voice.into(), speed: 1.0, pitch };
        let error = backend.prepare(&without_phones, &style).expect_err(voice).to_string();
        assert!(error.contains(expected), "{voice}, pitch {pitch}: {error}");
    }
}
