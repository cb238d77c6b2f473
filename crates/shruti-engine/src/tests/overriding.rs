//! Back ends that speak for voices of others.

use std::sync::Arc;

use shruti_protocol::Language::{Hindi, Telugu};

use super::{Counting, counted, prepared, samples};
use crate::engine::{BuildError, Engine};
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
fn it_speaks_its_languages_of_the_voice() {
    let (own, mut overriding) = (Counting::new(1, 1..=2_400), overriding("A"));
    let log = Arc::clone(&own.log);
    overriding.log = Arc::clone(&log);
    let engine = Engine::builder().backend(own).overriding_backend(overriding).build().unwrap();
    let heard = |language, text| {
        let request = Request { language: Some(language), ..Request::new("a") };
        let mut speech = engine.speak_text(request, text).unwrap();
        samples(&std::iter::from_fn(|| speech.blocking_next()).map(Result::unwrap).collect::<Vec<_>>())
    };
    let negative: Vec<i16> = counted(&[2]).iter().map(|sample| -sample).collect();
    assert!(heard(Telugu, "నేను రండి") == negative, "the overriding back end speaks");
    assert!(heard(Hindi, "एक") == counted(&[1]), "the voice's own back end speaks");
    let log = log.lock().unwrap();
    assert!(log.contains(&prepared("A")), "it knows the voice by its own spelling: {log:?}");
    let languages = engine.voices().find("a").unwrap().languages().count();
    assert_eq!(languages, Counting::new(1, 1..=1).description.voices[0].languages.len());
}

#[test]
fn a_voice_that_nobody_has_cannot_be_overridden() {
    let built =
        Engine::builder().backend(Counting::new(1, 1..=2_400)).overriding_backend(overriding("z")).build();
    assert!(matches!(built, Err(BuildError::Route { voice, .. }) if voice == "z"));
}
