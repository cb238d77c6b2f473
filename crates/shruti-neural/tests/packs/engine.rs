//! Tests of packs as back ends of the engine.

use std::path::Path;
use std::task::Waker;

use shruti_backend::{Backend, Job, Length, Rendered, Style};
use shruti_engine::{Engine, Request, SpeakError};
use shruti_lang::Language;
use shruti_neural::{
    BackendLoadError, PackBackend, Synthesiser, UnknownSymbols, WriterError, import_folder, import_piper,
};
use shruti_packs::InputKind;
use shruti_text::Class;
use shruti_text::utterance::{Break, Contour, Delivery, Utterance, Weight, Word};
use shruti_voice::{ParametricBackend, pause_samples};

use crate::folder::{self, Acoustic, WholeSize};
use crate::graph::{self, Size};

fn backend(folder: &Path, input: InputKind) -> Result<PackBackend, BackendLoadError> {
    let file = graph::write(folder, &graph::piper(Size::SMALL), 1);
    let mut options = graph::options(folder, 1);
    options.input = Some(input);
    let pack = import_piper(&folder.join("packs"), &file, &options).unwrap();
    PackBackend::new(Synthesiser::load(&pack, 2).unwrap(), 2, pause_samples)
}

#[test]
fn a_pack_speaks_alongside_the_built_in_voices_with_word_marks() {
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

/// Returns an utterance of one word.
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
        aside: false,
        delivery: Delivery::default(),
    };
    Utterance {
        index: 0,
        language: Language::Hindi,
        source: word.source.clone(),
        words: vec![word],
        contour: Contour::Statement,
        begins_sentence: true,
        sentence: 0,
    }
}

#[test]
fn samples_are_independent_of_block_size() {
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
    let expected = rendered(2_400);
    for size in [1, 7, 480] {
        assert_eq!(rendered(size), expected, "blocks of {size}");
    }
}

#[test]
fn unsupported_requests_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let file = graph::write(folder.path(), &graph::piper(Size::SMALL), 1);
    let json = file.with_extension("onnx.json");
    let text = std::fs::read_to_string(&json).unwrap();
    std::fs::write(&json, text.replace(r#""voice": "hi""#, r#""voice": "sw""#)).unwrap();
    let mut options = graph::options(folder.path(), 1);
    options.input = None;
    let pack = import_piper(&folder.path().join("packs"), &file, &options).unwrap();
    let refused = PackBackend::new(Synthesiser::load(&pack, 1).unwrap(), 1, pause_samples).map(|_| ());
    let Err(BackendLoadError::Writer(error @ WriterError::Dialect { .. })) = &refused else {
        panic!("{refused:?}");
    };
    assert!(error.to_string().contains(r#"`input.dialect` is "sw""#), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let backend = backend(folder.path(), InputKind::Phones).unwrap();
    let without_phones = utterance("namaste");
    for (voice, pitch, expected) in
        [("Test 0", 1.0, "a pitch shift"), ("Test 0", 0.0, "no symbols"), ("Nobody", 0.0, "voice Nobody")]
    {
        let style = Style { voice: voice.into(), speed: 1.0, pitch };
        let error = backend.prepare(&without_phones, &style).expect_err(voice).to_string();
        assert!(error.contains(expected), "{voice}, pitch {pitch}: {error}");
    }
}

/// Returns the samples of a text, and the start and end of each word in milliseconds.
fn spoken_whole(engine: &Engine, request: Request, text: &str) -> (Vec<i16>, Vec<(u32, u32)>) {
    let mut speech = engine.speak_text(request, text).unwrap();
    let (mut samples, mut marks) = (Vec::new(), Vec::new());
    while let Some(chunk) = speech.blocking_next() {
        let chunk = chunk.unwrap();
        marks.extend(chunk.marks.iter().map(|mark| (mark.start_ms, mark.end_ms)));
        samples.extend_from_slice(&chunk.samples);
    }
    (samples, marks)
}

/// Writes a symbol table with the letters of a word into a folder that will be imported.
fn know_letters_of(folder: &Path, word: &str) {
    let letters = word.chars().enumerate();
    let table = letters.fold(String::new(), |table, (at, c)| table + &format!("{c}\t{}\n", at + 4));
    std::fs::write(folder.join("symbols.tsv"), format!("^\t1\n$\t2\n \t3\n{table}")).unwrap();
}

#[test]
fn long_sentences_are_spoken_in_parts_and_unsupported_pitch_is_rejected() {
    const WORDS: usize = 40;
    let text = vec!["नमस्ते"; WORDS].join(" ");
    for is_whole in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        if is_whole {
            folder::write_whole(folder.path(), &folder::whole(WholeSize::SMALL), 1);
        } else {
            Acoustic::small().write(folder.path(), 1);
        }
        // each word has 6 characters and a space, so the text has 280 symbols; the pack accepts 60 per utterance
        know_letters_of(folder.path(), "नमस्ते");
        let pack = import_folder(&folder.path().join("packs"), folder.path()).unwrap();
        let backend = PackBackend::new(Synthesiser::load(&pack, 1).unwrap(), 1, pause_samples).unwrap();
        assert!(backend.description().timestamps && !backend.description().voices[0].pitch);
        let engine = Engine::builder().backend(backend).max_speeches(4).build().unwrap();
        let (samples, marks) = spoken_whole(&engine, Request::new("Test 0"), &text);
        assert_eq!(marks.len(), WORDS);
        assert!(marks.windows(2).all(|pair| pair[0].1 <= pair[1].0 && pair[0].0 < pair[0].1), "{marks:?}");
        let end = samples.len() as u32 * 1_000 / 24_000;
        assert!(
            marks[WORDS - 1].1 <= end && marks[WORDS - 1].1 > end * 9 / 10,
            "{:?} of {end} ms",
            marks.last()
        );
        assert_eq!(spoken_whole(&engine, Request::new("Test 0"), &text).0, samples);
        let refused = engine.speak(Request { pitch: 1.0, ..Request::new("Test 0") }).unwrap_err();
        assert_eq!(refused, SpeakError::UnsupportedPitch);
    }
}

#[test]
fn the_first_parts_are_short_if_a_graph_runs_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    folder::write_whole(folder.path(), &folder::whole(WholeSize::SMALL), 1);
    let pack = import_folder(&folder.path().join("packs"), folder.path()).unwrap();
    let backend = PackBackend::new(Synthesiser::load(&pack, 1).unwrap(), 1, pause_samples).unwrap();
    let mut long = utterance("namaste");
    long.words = vec![long.words[0].clone(); 30];
    let words = |utterance: &Utterance| -> Vec<usize> {
        backend.parts(utterance.clone()).iter().map(|part| part.words.len()).collect()
    };
    // each word has 8 symbols; the first part has at most 40 symbols, and the following ones have at most 60
    assert_eq!(words(&long), [5, 7, 7, 7, 4]);
    long.index = 1;
    assert_eq!(words(&long), [7, 7, 7, 7, 2]);
}

#[test]
fn missing_symbols_are_counted_without_the_graph() {
    let folder = tempfile::tempdir().unwrap();
    let file = graph::write(folder.path(), &graph::piper(Size::SMALL), 1);
    let mut options = graph::options(folder.path(), 1);
    options.input = Some(InputKind::Characters);
    let pack = import_piper(&folder.path().join("packs"), &file, &options).unwrap();
    let count = |text, language| UnknownSymbols::of_pack(&pack, [text], language).unwrap();
    assert_eq!(count("hello", Language::English), UnknownSymbols { unknown: 0, all: 5 });
    assert_eq!(count("नमन", Language::Hindi), UnknownSymbols { unknown: 3, all: 3 });
}

/// Returns the duration of the longest silence between two audible samples, in seconds.
fn longest_silence(samples: &[i16]) -> f64 {
    let is_sound = |sample: &i16| sample.unsigned_abs() > 100;
    let places: Vec<usize> = (0..samples.len()).filter(|&at| is_sound(&samples[at])).collect();
    let longest = places.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
    longest as f64 / 24_000.0
}

#[test]
fn silence_between_the_parts_of_a_sentence_is_removed() {
    let text = ["नमस्ते"; 12].join(" ");
    for pauses in ["ours", "graph"] {
        let folder = tempfile::tempdir().unwrap();
        let mut model = folder::whole(WholeSize::SMALL);
        folder::pad_with_silence(&mut model, 9_600);
        folder::write_whole(folder.path(), &model, 1);
        know_letters_of(folder.path(), "नमस्ते");
        let manifest = folder.path().join("pack.toml");
        let written = std::fs::read_to_string(&manifest).unwrap();
        std::fs::write(&manifest, written.replace("pauses = \"ours\"", &format!("pauses = {pauses:?}")))
            .unwrap();
        let pack = import_folder(&folder.path().join("packs"), folder.path()).unwrap();
        let backend = PackBackend::new(Synthesiser::load(&pack, 1).unwrap(), 1, pause_samples).unwrap();
        let engine = Engine::builder().backend(backend).max_speeches(1).build().unwrap();
        let (samples, _) = spoken_whole(&engine, Request::new("Test 0"), &text);
        // the silence would be 0.8 s plus the pause of a phrase if both parts kept the silence at their ends
        let silence = longest_silence(&samples);
        assert!(
            samples.len() > 24_000 && silence < 0.6,
            "{pauses}: {silence} s in {} samples",
            samples.len()
        );
        let leading = samples.iter().position(|sample| sample.unsigned_abs() > 100).unwrap();
        assert!(leading < 4_800, "{pauses}: the silence of the graph at the start, {leading}");
    }
}
