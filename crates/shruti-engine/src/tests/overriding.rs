//! Tests of back ends that override voices of other back ends.

use std::sync::Arc;
use std::time::Duration;

use shruti_clock::TestClock;
use shruti_lang::Language::{self, Hindi, Telugu};
use shruti_lang::VoiceEngine::{self, Auto, Learned, Rules};

use super::{Counting, counted, prepared, samples};
use crate::binding::Binding;
use crate::engine::{BuildError, Engine, EngineBuilder};
use crate::error::SpeakError;
use crate::seats::Seats;
use crate::speech::Request;

fn overriding(voice: &str) -> Counting {
    let mut backend = Counting::new(1, 1..=2_400).negative();
    backend.description.name = "overriding".to_owned();
    backend.description.voices.retain(|given| given.name == "a");
    backend.description.voices[0].name = voice.into();
    backend.description.voices[0].languages = vec![Telugu];
    backend
}

#[test]
fn overriding_back_end_speaks_its_languages() {
    let (own, mut overriding) = (Counting::new(1, 1..=2_400), overriding("A"));
    let log = Arc::clone(&own.log);
    overriding.log = Arc::clone(&log);
    let engine = Engine::builder().backend(own).overriding_backend(overriding).build().unwrap();
    let audio_of = |language, text| {
        let request = Request { language: Some(language), ..Request::new("a") };
        let mut speech = engine.speak_text(request, text).unwrap();
        samples(&std::iter::from_fn(|| speech.blocking_next()).map(Result::unwrap).collect::<Vec<_>>())
    };
    let negative: Vec<i16> = counted(&[2]).iter().map(|sample| -sample).collect();
    assert!(audio_of(Telugu, "నేను రండి") == negative, "the overriding back end speaks");
    assert!(audio_of(Hindi, "एक") == counted(&[1]), "the voice's own back end speaks");
    let log = log.lock().unwrap();
    assert!(log.contains(&prepared("A")), "the back end gets its own spelling of the voice: {log:?}");
    let languages = engine.voices().find("a").unwrap().languages().count();
    assert_eq!(languages, Counting::new(1, 1..=1).description.voices[0].languages.len());
}

#[test]
fn rejects_overriding_an_unknown_voice() {
    let built =
        Engine::builder().backend(Counting::new(1, 1..=2_400)).overriding_backend(overriding("z")).build();
    assert!(matches!(built, Err(BuildError::Route { voice, .. }) if voice == "z"));
}

/// Creates an engine whose overriding back end has capacity for `room` conversations.
fn engine(room: usize) -> Engine {
    builder(room).build().unwrap()
}

fn builder(room: usize) -> EngineBuilder {
    let mut overriding = overriding("a");
    overriding.description.max_speeches = room;
    overriding.description.engine = "overriding".to_owned();
    Engine::builder().backend(Counting::new(1, 1..=2_400)).overriding_backend(overriding)
}

fn bind(engine: &Engine, wanted: impl Into<Option<VoiceEngine>>) -> Result<Option<Arc<Binding>>, SpeakError> {
    Ok(engine.bind(&"a".into(), wanted.into())?.map(Arc::new))
}

/// Speaks a word and returns the kind of synthesis that spoke it.
fn spoken_by(engine: &Engine, language: Language, binding: Option<&Arc<Binding>>) -> String {
    let request = Request { language: Some(language), binding: binding.map(Arc::clone), ..Request::new("a") };
    let text = if language == Telugu { "రండి" } else { "एक" };
    let mut speech = engine.speak_text(request, text).unwrap();
    while let Some(chunk) = speech.blocking_next() {
        chunk.unwrap();
    }
    speech.engine().unwrap()
}

#[test]
fn binds_conversations_while_seats_are_free() {
    let engine = engine(2);
    let wanted = [Some(Auto), None, Some(Auto)];
    let mut bindings: Vec<_> = wanted.map(|wanted| bind(&engine, wanted).unwrap().unwrap()).into();
    let engines: Vec<_> = bindings.iter().map(|binding| binding.engine()).collect();
    assert_eq!(engines, [Learned, Learned, Rules]);
    assert_eq!(engine.seats(), Some(Seats { taken: 2, limit: 2 }));
    assert!(
        matches!(bind(&engine, Learned), Err(SpeakError::Overloaded { .. })),
        "no rule-based fallback unless requested"
    );
    assert_eq!(engine.stats().refused, 1);
    bindings.remove(0);
    assert_eq!(bind(&engine, Learned).unwrap().unwrap().engine(), Learned, "the seat is released");
}

#[test]
fn speech_uses_the_binding_of_its_conversation() {
    let engine = engine(2);
    for (wanted, expected) in [(Learned, "overriding"), (Rules, "test")] {
        let binding = bind(&engine, wanted).unwrap();
        assert_eq!(spoken_by(&engine, Telugu, binding.as_ref()), expected, "{wanted}");
        assert_eq!(
            spoken_by(&engine, Hindi, binding.as_ref()),
            "test",
            "only the rule-based back end speaks this language"
        );
    }
    assert_eq!(spoken_by(&engine, Telugu, None), "overriding", "not bound");
}

#[test]
fn seat_lasts_until_the_last_speech_ends() {
    let engine = engine(1);
    let binding = bind(&engine, Learned).unwrap();
    let speech = engine.speak_text(Request { binding, ..Request::new("a") }, "एक").unwrap();
    assert_eq!(engine.seats(), Some(Seats { taken: 1, limit: 1 }));
    drop(speech);
    assert_eq!(engine.seats(), Some(Seats { taken: 0, limit: 1 }));
}

#[test]
fn silent_conversation_loses_its_seat_on_demand() {
    let clock = Arc::new(TestClock::new());
    let engine = builder(1).clock(Arc::clone(&clock) as Arc<_>).build().unwrap();
    let first = bind(&engine, Learned).unwrap();
    let speech = engine.speak_text(Request { binding: first.clone(), ..Request::new("a") }, "एक").unwrap();
    clock.advance(Duration::from_mins(10));
    assert!(bind(&engine, Learned).is_err(), "it speaks");
    drop(speech);
    clock.advance(Duration::from_secs(59));
    assert!(bind(&engine, Learned).is_err(), "it was silent for less than a minute");
    clock.advance(Duration::from_secs(1));
    let second = bind(&engine, Learned).unwrap();
    assert_eq!(engine.seats(), Some(Seats { taken: 1, limit: 1 }));
    assert_eq!(spoken_by(&engine, Telugu, first.as_ref()), "overriding", "the voice does not change");
    drop(second);
    assert_eq!(engine.seats(), Some(Seats { taken: 0, limit: 1 }));
    assert_eq!(spoken_by(&engine, Telugu, first.as_ref()), "overriding");
    assert_eq!(engine.seats(), Some(Seats { taken: 1, limit: 1 }), "the conversation has a seat again");
    assert!(bind(&engine, Learned).is_err());
    drop(first);
    assert!(bind(&engine, Learned).is_ok());
}

#[test]
fn only_voices_with_two_methods_need_a_seat() {
    let engine = engine(1);
    assert!(engine.bind(&"b".into(), None).unwrap().is_none());
    let choices = |voice| engine.choices(engine.voices().find(voice).unwrap());
    assert_eq!((choices("a"), choices("b")), (&VoiceEngine::ALL[..], &[][..]));
    assert!(engine.bind(&"nobody".into(), Some(Learned)).unwrap().is_none());
    let rules = Engine::builder().backend(Counting::new(1, 1..=2_400)).build().unwrap();
    assert_eq!((rules.seats(), rules.voice_engine()), (None, Rules));
    assert!(bind(&rules, None).unwrap().is_none());
    assert!(matches!(bind(&rules, Learned), Err(SpeakError::NoLearnedVoices)));
    assert_eq!(rules.stats().refused, 0, "no refusals");
}
