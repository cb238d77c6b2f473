//! Tests of back ends that share threads and are replaced at run time.

use shruti_lang::Language::{self, Hindi, Tamil, Telugu};

use super::{Counting, ManualEngine, assert_same, counted, prepared, rendered, samples};
use crate::engine::BuildError;
use crate::error::{Fault, SpeakError};
use crate::shared::{Route, SharedBackends};
use crate::speech::Request;

/// Creates an engine whose own back end, with positive samples, speaks voice `a`.
fn manual() -> ManualEngine {
    ManualEngine::new(Counting::new(1, 1..=2_400).with_only(|voice, _| voice == "a"))
}

/// Creates a back end with one voice and negative samples.
fn pack(manual: &ManualEngine, name: &str, voice: &str, room: usize) -> Counting {
    let mut pack = Counting::new(1, 12_000..=12_000).negative();
    pack.description.name = name.to_owned();
    pack.description.max_speeches = room;
    pack.description.voices.retain(|given| given.name == voice);
    pack.description.voices[0].languages = vec![Telugu, Tamil];
    pack.log = std::sync::Arc::clone(&manual.log);
    pack
}

fn route(language: Language, backend: &str, speaker: &str) -> Route {
    Route { voice: "A".into(), language, backend: backend.to_owned(), speaker: speaker.into() }
}

fn share(manual: &ManualEngine, shared: SharedBackends) {
    manual.engine.share_without_threads(shared).unwrap();
}

fn negative(words: &[usize]) -> Vec<i16> {
    counted(words).iter().map(|sample| -sample).collect()
}

fn heard(manual: &ManualEngine, voice: &str, text: &str) -> Result<Vec<i16>, Fault> {
    let mut speech = manual.engine.speak_text(Request::new(voice), text).unwrap();
    manual.listen(&mut speech).map(|chunks| samples(&chunks))
}

#[test]
fn route_uses_a_speaker_with_another_name() {
    let manual = manual();
    share(
        &manual,
        SharedBackends::new().backend(pack(&manual, "te", "c", 4)).route(route(Telugu, "te", "C")),
    );
    assert_same(&heard(&manual, "a", "నేను రండి. एक.").unwrap(), &[negative(&[2]), counted(&[1])].concat());
    assert_eq!(manual.calls()[0], prepared("c"), "the back end gets its own name of the voice");
    // voice c speaks only the languages of the shared back end
    assert_same(&heard(&manual, "c", "నేను.").unwrap(), &negative(&[1]));
    let hindi = Request { language: Some(Hindi), ..Request::new("c") };
    assert!(matches!(manual.engine.speak(hindi), Err(SpeakError::UnsupportedLanguage(Hindi))));
    let voices = manual.engine.voices();
    let spoken_by = |voice: &str, language| {
        let mut languages = voices.languages_of(voices.find(voice).unwrap());
        languages.find(|spoken| spoken.language == language).map(|spoken| spoken.backend.name.clone())
    };
    assert_eq!(spoken_by("a", Telugu).as_deref(), Some("te"));
    assert_eq!(spoken_by("a", Tamil).as_deref(), Some("counting"));
    assert_eq!(spoken_by("c", Hindi), None);
}

#[test]
fn most_urgent_step_runs_first_across_back_ends() {
    let manual = manual();
    share(
        &manual,
        SharedBackends::new().backend(pack(&manual, "x", "c", 4)).backend(pack(&manual, "y", "d", 4)),
    );
    let telugu = |voice: &str| Request { language: Some(Telugu), ..Request::new(voice) };
    let mut first = manual.engine.speak_text(telugu("c"), "ఒకటి రెండు మూడు నాలుగు ఐదు").unwrap();
    manual.run_dry();
    assert_eq!(manual.calls(), [prepared("c"), rendered(&["c"])]);
    // the listener reads enough for the stream to resume, with 200 ms left in the buffer
    for _ in 0..5 {
        super::chunk(&mut first);
    }
    let _second = manual.engine.speak_text(telugu("d"), "ఒకటి").unwrap();
    while manual.engine.step_of(0) {}
    while manual.engine.shared_workers().step() {}
    assert_eq!(manual.calls(), [prepared("d"), rendered(&["d"]), rendered(&["c"])]);
}

#[test]
fn step_waits_for_enough_free_cores() {
    let manual = manual();
    let mut wide = pack(&manual, "wide", "c", 4);
    wide.description.step_threads = 99;
    share(&manual, SharedBackends::new().backend(wide).backend(pack(&manual, "narrow", "d", 4)));
    let telugu = |voice: &str| Request { language: Some(Telugu), ..Request::new(voice) };
    let _wide = manual.engine.speak_text(telugu("c"), "ఒకటి").unwrap();
    while manual.engine.step_of(0) {}
    manual.clock.advance(std::time::Duration::from_millis(1));
    let _narrow = manual.engine.speak_text(telugu("d"), "ఒకటి").unwrap();
    while manual.engine.step_of(0) {}
    let workers = manual.engine.shared_workers();
    workers.take_cores(1);
    assert!(!workers.step(), "the wide step is next, but not enough cores are free");
    assert_eq!(manual.calls(), []);
}

#[test]
fn cores_are_counted_once_across_back_ends() {
    let manual = manual();
    // alone, the first back end could serve four streams, and the second one could serve two
    share(
        &manual,
        SharedBackends::new().backend(pack(&manual, "x", "c", 4)).backend(pack(&manual, "y", "d", 2)),
    );
    let speak = |voice: &str| manual.engine.speak(Request { language: Some(Telugu), ..Request::new(voice) });
    let mut held = vec![speak("c").unwrap(), speak("c").unwrap(), speak("d").unwrap()];
    assert!(matches!(speak("c"), Err(SpeakError::Overloaded { .. })));
    assert!(matches!(speak("d"), Err(SpeakError::Overloaded { .. })));
    assert!(speak("a").is_ok(), "the engine's own back end has separate threads");
    held.remove(0);
    assert!(matches!(speak("d"), Err(SpeakError::Overloaded { .. })), "half of the budget is not free");
    held.push(speak("c").unwrap());
    held.clear();
    let both = [speak("d").unwrap(), speak("d").unwrap()];
    assert!(speak("c").is_err());
    drop(both);
}

#[test]
fn falls_back_to_the_voices_own_back_end() {
    for falls_back in [false, true] {
        let manual = manual();
        let shared =
            SharedBackends::new().backend(pack(&manual, "te", "c", 1)).route(route(Telugu, "te", "c"));
        share(&manual, shared.falls_back(falls_back));
        let telugu = Request { language: Some(Telugu), ..Request::new("a") };
        let _held = manual.engine.speak(telugu.clone()).unwrap();
        // the language is given in one request and detected in the text of the other
        let known = manual.engine.speak_text(telugu, "ఒకటి. రెండు.");
        let found = heard(&manual, "a", "एक. ఒకటి రెండు.");
        if falls_back {
            let mut known = known.unwrap();
            assert_same(&samples(&manual.listen(&mut known).unwrap()), &counted(&[1, 1]));
            assert_same(&found.unwrap(), &counted(&[1, 2]));
            assert_eq!(manual.stats_of(1).refused, 1, "the language is detected in the text");
        } else {
            assert!(matches!(known, Err(SpeakError::Overloaded { .. })));
            assert!(matches!(found, Err(Fault::Rejected(SpeakError::Overloaded { .. }))));
        }
    }
}

#[test]
fn active_speech_continues_on_a_removed_back_end() {
    let manual = manual();
    share(
        &manual,
        SharedBackends::new().backend(pack(&manual, "te", "c", 4)).route(route(Telugu, "te", "c")),
    );
    let mut old = manual.engine.speak(Request { language: Some(Telugu), ..Request::new("a") }).unwrap();
    old.push("ఒకటి. ").unwrap();
    let before = manual.engine.voices();
    share(&manual, SharedBackends::new());
    assert!(matches!(manual.engine.speak(Request::new("c")), Err(SpeakError::UnknownVoice(_))));
    assert_same(&heard(&manual, "a", "ఒకటి.").unwrap(), &counted(&[1]));
    old.push("రెండు మూడు.").unwrap();
    old.finish();
    let mut sound = Vec::new();
    while let std::task::Poll::Ready(chunk) = {
        manual.engine.step_of(0);
        while before.executors().of(1).step() {}
        super::poll(&mut old)
    } {
        let Some(chunk) = chunk else { break };
        sound.extend(chunk.unwrap().samples);
    }
    assert_same(&sound, &negative(&[1, 2]));
    let stats = manual.engine.stats();
    assert_eq!(stats.samples as usize, 4 * super::WORD, "removed back ends are included in the statistics");
    drop(old);
    assert_eq!(std::sync::Arc::strong_count(before.executors()), 1, "nothing else references it");
}

#[test]
fn kept_back_end_keeps_counters_and_budget() {
    let manual = manual();
    share(&manual, SharedBackends::new().backend(pack(&manual, "te", "c", 2)));
    let telugu = Request { language: Some(Telugu), ..Request::new("c") };
    let _held = manual.engine.speak(telugu.clone()).unwrap();
    share(&manual, SharedBackends::new().keep("te").route(route(Telugu, "te", "c")));
    assert_eq!(manual.stats_of(1).active, 1);
    let _second = manual.engine.speak(telugu.clone()).unwrap();
    assert!(matches!(manual.engine.speak(telugu), Err(SpeakError::Overloaded { .. })));
}

#[test]
fn invalid_configuration_changes_nothing() {
    let manual = manual();
    let te = || pack(&manual, "te", "c", 2);
    share(&manual, SharedBackends::new().backend(te()));
    let wrong = [
        (SharedBackends::new().backend(te()).backend(te()), "back end 'te': another back end has this name"),
        (SharedBackends::new().backend(pack(&manual, "counting", "c", 2)), "another back end has this name"),
        (
            SharedBackends::new().backend(pack(&manual, "x", "a", 2)),
            "voice 'a' has more than one back end for te",
        ),
        (SharedBackends::new().keep("x"), "no shared back end has this name"),
        (SharedBackends::new().route(route(Telugu, "x", "c")), "'A' in te: back end 'x' does not exist"),
        (SharedBackends::new().keep("te").route(route(Telugu, "te", "d")), "back end 'te' has no voice 'd'"),
        (
            SharedBackends::new().keep("te").route(route(Hindi, "te", "c")),
            "voice 'c' of back end 'te' does not speak this language",
        ),
        (
            SharedBackends::new().keep("te").route(Route { voice: "z".into(), ..route(Telugu, "te", "c") }),
            "the voice does not exist",
        ),
    ];
    for (shared, what) in wrong {
        let error: BuildError = manual.engine.share_without_threads(shared).unwrap_err();
        assert!(error.to_string().contains(what), "{error}");
    }
    assert_same(&heard(&manual, "c", "ఒకటి.").unwrap(), &negative(&[1]));
}
