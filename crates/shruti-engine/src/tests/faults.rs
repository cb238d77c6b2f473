//! Tests that a failure of one stream does not affect other streams.

use std::sync::{Arc, Mutex};
use std::task::Poll;

use shruti_backend::BackendError;
use shruti_lang::Language;

use super::{Counting, ManualEngine, assert_same, counted, poll, samples};
use crate::engine::{BuildError, Engine};
use crate::error::{Fault, SpeakError};
use crate::speech::Request;

#[test]
fn fault_ends_only_its_speech() {
    let cases = [
        ("एक. गिरना. दो.", Fault::Internal),
        ("एक टूटना दो.", Fault::Internal),
        ("एक. अबोल. दो.", Fault::Backend(BackendError::Unsupported("intentional panic".to_owned()))),
        ("एक रुकना दो.", Fault::Backend(BackendError::Failed("intentional panic".to_owned()))),
    ];
    for (text, fault) in cases {
        let manual = ManualEngine::new(Counting::new(1, 1..=2_400));
        let mut sound = manual.speak_text("a", "एक दो. तीन.");
        let mut broken = manual.speak_text("b", text);
        let mut received = 0;
        let ended = loop {
            manual.run_dry();
            match poll(&mut broken) {
                Poll::Ready(Some(Ok(chunk))) => received += chunk.samples.len(),
                Poll::Ready(Some(Err(fault))) => break fault,
                other => panic!("{text}: {other:?}"),
            }
        };
        assert_eq!(ended, fault, "{text}");
        assert!(received > 0, "{text}: no audio before the fault");
        assert_eq!(poll(&mut broken), Poll::Ready(None), "{text}: more after the fault");
        assert_same(&samples(&manual.listen(&mut sound).unwrap()), &counted(&[2, 1]));
        let stats = manual.stats();
        assert_eq!((stats.faults, stats.completed, stats.active), (1, 1, 0), "{text}");
    }
}

#[test]
fn worker_survives_a_panic() {
    let mut backend = Counting::new(1, 1..=2_400);
    backend.description.threads = 1;
    let engine = Engine::builder().backend(backend).build().unwrap();
    let mut broken = engine.speak_text(Request::new("a"), "गिरना").unwrap();
    assert_eq!(broken.blocking_next(), Some(Err(Fault::Internal)));
    let mut sound = engine.speak_text(Request::new("a"), "एक दो.").unwrap();
    let mut chunks = Vec::new();
    while let Some(chunk) = sound.blocking_next() {
        chunks.push(chunk.unwrap());
    }
    assert_same(&samples(&chunks), &counted(&[2]));
}

#[test]
fn speech_dropped_during_its_step_ends_with_it() {
    let manual = ManualEngine::new(Counting::new(1, 1..=2_400));
    let speech = Arc::new(Mutex::new(Some(manual.speak_text("a", "एक दो तीन."))));
    let mut other = manual.speak_text("b", "एक.");
    let victim = Arc::clone(&speech);
    *manual.inside.lock().unwrap() = Box::new(move || drop(victim.lock().unwrap().take()));
    assert_same(&samples(&manual.listen(&mut other).unwrap()), &counted(&[1]));
    let renders = manual.calls().into_iter().filter(|call| *call == super::rendered(&["a"])).count();
    assert_eq!(renders, 1);
    let stats = manual.stats();
    assert_eq!((stats.cancelled, stats.active, stats.waiting), (1, 0, 0));
}

#[test]
fn rejects_invalid_requests_immediately() {
    let engine = Engine::builder().backend(Counting::new(1, 1..=2_400)).max_speeches(2).build().unwrap();
    let refusal = |request: Request| engine.speak(request).unwrap_err();
    assert_eq!(refusal(Request::new("nobody")), SpeakError::UnknownVoice("nobody".into()));
    assert_eq!(refusal(Request { speed: f32::NAN, ..Request::new("a") }), SpeakError::OutOfRange("speed"));
    assert_eq!(refusal(Request { pitch: 6.5, ..Request::new("a") }), SpeakError::OutOfRange("pitch"));
    let first = engine.speak(Request::new("A")).unwrap();
    assert_eq!(first.voice(), "a");
    let second = engine.speak(Request::new("b")).unwrap();
    assert!(matches!(refusal(Request::new("a")), SpeakError::Overloaded { .. }));
    drop(first);
    let third = engine.speak(Request::new("a")).unwrap();
    engine.drain();
    assert_eq!(refusal(Request::new("a")), SpeakError::Draining);
    assert_eq!(engine.stats().refused, 2, "only refusals for lack of capacity count");
    let mut idle = Box::pin(engine.idle());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    drop(second);
    assert!(idle.as_mut().poll(&mut context).is_pending());
    drop(third);
    assert!(idle.as_mut().poll(&mut context).is_ready());
}

#[test]
fn rejects_unsupported_language() {
    let mut backend = Counting::new(1, 1..=2_400);
    backend.description.voices[0].languages = vec![Language::Tamil];
    let engine = Engine::builder().backend(backend).build().unwrap();
    let ask = |language| engine.speak(Request { language: Some(language), ..Request::new("a") });
    assert_eq!(ask(Language::Hindi).unwrap_err(), SpeakError::UnsupportedLanguage(Language::Hindi));
    assert!(ask(Language::Tamil).is_ok());
}

#[test]
fn each_back_end_has_its_own_budget() {
    let manual = ManualEngine::new(Counting::new(1, 1..=2_400));
    let mut speeches: Vec<_> = (0..8).map(|_| manual.speak("a").unwrap()).collect();
    assert!(matches!(manual.speak("a"), Err(SpeakError::Overloaded { .. })));
    speeches.pop();
    assert!(manual.speak("a").is_ok());
}

#[test]
fn rejects_invalid_back_ends() {
    let build = |backend: Counting| Engine::builder().backend(backend).build().unwrap_err();
    let sane = || Counting::new(1, 1..=2_400);
    let doubled = Engine::builder().backend(sane()).backend(sane()).build();
    assert!(matches!(doubled, Err(BuildError::DuplicateVoice { voice, .. }) if voice == "a"));
    assert!(matches!(Engine::builder().build(), Err(BuildError::NoBackend)));
    assert!(matches!(build(Counting::new(0, 1..=1)), BuildError::Description { .. }));
    assert!(matches!(build(Counting::new(1, 0..=1)), BuildError::Description { .. }));
    let mut other_rate = sane();
    other_rate.description.sample_rate = 22_050;
    assert!(build(other_rate).to_string().contains("24000"));
}
