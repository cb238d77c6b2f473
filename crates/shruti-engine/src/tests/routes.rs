//! Tests of voices that several back ends provide, each in different languages.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use shruti_backend::marks::WordMark;
use shruti_lang::{Clarity, Language};

use super::{Call, Counting, ManualEngine, WORD, assert_same, counted, poll, samples};
use crate::chunk::length;
use crate::engine::Engine;
use crate::error::{Fault, SpeakError};
use crate::speech::{Request, Speech};
use crate::turn::{CancelState, Command, Conversation, Event, Failure, Target, TurnSettings};

/// Creates an engine whose second back end has negative samples. Voice `a` speaks Telugu with the second back end and
/// everything else with the first. Only the second back end has voice `b`.
fn manual(room: usize) -> ManualEngine {
    use Language::{Tamil, Telugu};
    let others = Counting::new(1, 1..=2_400).with_only(|voice, language| voice == "a" && language != Telugu);
    let mut telugu = Counting::new(4, 12_000..=12_000).negative().with_only(|voice, language| match voice {
        "a" => language == Telugu,
        "b" => matches!(language, Telugu | Tamil),
        _ => false,
    });
    telugu.description.max_speeches = room;
    ManualEngine::with([others, telugu])
}

fn negative(words: &[usize]) -> Vec<i16> {
    counted(words).iter().map(|sample| -sample).collect()
}

fn speak_text(manual: &ManualEngine, voice: &str, text: &str) -> Speech {
    manual.engine.speak_text(Request::new(voice), text).unwrap()
}

#[test]
fn first_segment_selects_the_back_end() {
    let manual = manual(8);
    let mut speech = speak_text(&manual, "a", "నేను బాగున్నాను.");
    assert_same(&samples(&manual.listen(&mut speech).unwrap()), &negative(&[2]));
    assert_eq!((speech.voice().as_str(), speech.language()), ("a", Some(Language::Telugu)));
    drop(speech);
    let (reader, other) = (manual.stats_of(0), manual.stats_of(1));
    assert_eq!((reader.blocks, reader.samples + other.samples), (0, 2 * WORD as u64));
    assert_eq!((reader.completed, other.completed), (1, 0), "whole streams count for the reading back end");
    assert_eq!((reader.active, other.active), (0, 0));
}

#[test]
fn mixed_text_is_routed_by_utterance_language() {
    const TEXT: &str = "एक दो. నేను, బాగున్నాను రండి. तीन hello. okay. చాలా.";
    for language in [None, Some(Language::Hindi), Some(Language::Telugu)] {
        let manual = manual(8);
        let mut speech = manual.engine.speak_text(Request { language, ..Request::new("a") }, TEXT).unwrap();
        let chunks = manual.listen(&mut speech).unwrap();
        // English utterances are spoken by the back end for the language of the text
        let okay = if language == Some(Language::Telugu) { negative(&[1]) } else { counted(&[1]) };
        let expected =
            [counted(&[2]), negative(&[1]), negative(&[2]), counted(&[2]), okay, negative(&[1])].concat();
        assert_same(&samples(&chunks), &expected);
        assert_eq!(speech.language(), Some(language.unwrap_or(Language::Hindi)));
        let marks: Vec<&WordMark> = chunks.iter().flat_map(|chunk| &chunk.marks).collect();
        let words: Vec<&str> = marks.iter().map(|mark| mark.text.as_str()).collect();
        assert_eq!(words, TEXT.split(' ').collect::<Vec<_>>());
        for (number, pair) in marks.windows(2).enumerate() {
            assert_eq!(pair[0].end_ms, pair[1].start_ms, "a gap after word {number}");
            assert_eq!(pair[0].char_end + 1, pair[1].char_start);
        }
    }
}

#[test]
fn switches_back_ends_and_returns() {
    let manual = manual(8);
    let mut speech = manual.engine.speak(Request::new("a")).unwrap();
    let mut received = Vec::new();
    for text in ["एक. ", "రండి. ", "చాలా. ", "दो. "] {
        speech.push(text).unwrap();
        loop {
            manual.run_dry();
            let Poll::Ready(chunk) = poll(&mut speech) else { break };
            received.extend(chunk.unwrap().unwrap().samples);
        }
        assert!(speech.wants_text());
    }
    assert_same(&received, &[counted(&[1]), negative(&[1, 1]), counted(&[1])].concat());
}

#[test]
fn utterances_ending_in_one_call_all_continue() {
    let manual = manual(8);
    // two words are shorter than a block of the second back end, but exceed the listener's buffer
    let mut speeches = [(); 3].map(|()| speak_text(&manual, "a", "చాలా బాగు. एक."));
    manual.run_dry();
    assert_eq!(
        manual.stats_of(1).blocks,
        3 * manual.stats_of(1).render_steps,
        "three streams share each call"
    );
    for speech in &mut speeches {
        assert_same(&samples(&manual.listen(speech).unwrap()), &[negative(&[2]), counted(&[1])].concat());
    }
}

#[test]
fn full_back_end_rejects_at_start_or_on_switch() {
    let manual = manual(1);
    let telugu = Request { language: Some(Language::Telugu), ..Request::new("a") };
    let held = manual.engine.speak(telugu.clone()).unwrap();
    assert!(
        matches!(manual.engine.speak(telugu), Err(SpeakError::Overloaded { .. })),
        "the language is given"
    );
    let refused = |fault| matches!(fault, Fault::Rejected(SpeakError::Overloaded { .. }));
    let mut found = speak_text(&manual, "a", "రండి.");
    assert!(refused(manual.listen(&mut found).unwrap_err()), "the language is detected in the text");
    assert_eq!(poll(&mut found), Poll::Ready(None));
    let mut mixed = speak_text(&manual, "a", "एक दो. రండి. तीन.");
    let mut received = Vec::new();
    let fault = loop {
        manual.run_dry();
        match poll(&mut mixed) {
            Poll::Ready(Some(Ok(chunk))) => received.extend(chunk.samples),
            Poll::Ready(Some(Err(fault))) => break fault,
            other => panic!("{other:?}"),
        }
    };
    assert!(
        refused(fault) && counted(&[2]).starts_with(&received) && received.len() > WORD,
        "{}",
        received.len()
    );
    let stats = manual.engine.stats();
    assert_eq!((stats.refused, stats.faults, stats.active), (3, 0, 1));
    assert_eq!(manual.stats_of(1).active, 1);
    drop(held);
    let mut after = speak_text(&manual, "a", "రండి.");
    assert_same(&samples(&manual.listen(&mut after).unwrap()), &negative(&[1]));
}

#[test]
fn rejects_detected_languages_the_voice_lacks() {
    let manual = manual(8);
    let fault = manual.listen(&mut speak_text(&manual, "b", "hello रंग.")).unwrap_err();
    assert_eq!(fault, Fault::Rejected(SpeakError::UnsupportedLanguage(Language::Hindi)));
    assert_eq!((manual.engine.stats().refused, manual.engine.stats().faults), (0, 0));
    let one = Counting::new(1, 1..=2_400).with_only(|_, language| language == Language::Telugu);
    let manual = ManualEngine::new(one);
    let mut speech = speak_text(&manual, "a", "hello.");
    assert_eq!(speech.language(), Some(Language::Telugu));
    assert_same(&samples(&manual.listen(&mut speech).unwrap()), &counted(&[1]));
}

#[test]
fn parts_sound_the_same_as_the_whole() {
    const TEXT: &str = "एक दो तीन चार पाँच, छह सात. आठ";
    let received = |most: usize| {
        let manual = ManualEngine::new(Counting::new(1, 1..=2_400).in_parts(most));
        let chunks = manual.listen(&mut speak_text(&manual, "a", TEXT)).unwrap();
        let prepared = manual.calls().into_iter().filter(|call| matches!(call, Call::Prepared(_))).count();
        let marks: Vec<WordMark> = chunks.iter().flat_map(|chunk| chunk.marks.clone()).collect();
        (samples(&chunks), marks, prepared)
    };
    let (sound, marks, prepared) = received(usize::MAX);
    assert_same(&sound, &counted(&[5, 2, 1]));
    assert_eq!(prepared, 3);
    let (sound_of_parts, marks_of_parts, prepared) = received(2);
    assert_same(&sound_of_parts, &counted(&[2, 2, 1, 2, 1]));
    assert_eq!((marks_of_parts, prepared), (marks, 5));
}

#[test]
fn cancel_between_parts_ends_the_speech() {
    for steps in 0..12 {
        let manual = ManualEngine::new(Counting::new(1, 1..=2_400).in_parts(1));
        let speech = speak_text(&manual, "a", "एक दो तीन.");
        for _ in 0..steps {
            manual.step();
        }
        drop(speech);
        assert_eq!((manual.run_dry(), manual.engine.stats().active), (0, 0), "after {steps} steps");
    }
}

#[test]
fn rejects_unsupported_pitch() {
    let with_pitch = |pitches: [bool; 2]| {
        let others = Counting::new(1, 1..=2_400)
            .with_only(|voice, language| voice == "a" && language != Language::Telugu);
        let telugu = Counting::new(1, 1..=2_400)
            .negative()
            .with_only(|voice, language| voice == "a" && language == Language::Telugu);
        let mut backends = [others, telugu];
        for (backend, pitch) in backends.iter_mut().zip(pitches) {
            backend.description.voices[0].pitch = pitch;
        }
        ManualEngine::with(backends)
    };
    let ask = |manual: &ManualEngine, language, pitch| {
        manual.engine.speak_text(Request { language, pitch, ..Request::new("a") }, "రండి.")
    };
    let manual = with_pitch([true, false]);
    assert_eq!(ask(&manual, Some(Language::Telugu), 2.0).unwrap_err(), SpeakError::UnsupportedPitch);
    assert!(ask(&manual, Some(Language::Telugu), 0.0).is_ok());
    // the words belong to another back end, but the back end for the text can shift the pitch
    let mut hindi = ask(&manual, Some(Language::Hindi), 2.0).unwrap();
    assert_same(&samples(&manual.listen(&mut hindi).unwrap()), &counted(&[1]));
    // the language is detected in the text
    let fault = manual.listen(&mut ask(&manual, None, 2.0).unwrap()).unwrap_err();
    assert_eq!(fault, Fault::Rejected(SpeakError::UnsupportedPitch));
    assert_eq!(ask(&with_pitch([false, false]), None, -1.0).unwrap_err(), SpeakError::UnsupportedPitch);
    assert!(ask(&with_pitch([false, false]), None, 0.0).is_ok());
}

pub(super) fn settings() -> TurnSettings {
    TurnSettings {
        voice: "a".into(),
        language: None,
        speed: 1.0,
        pitch: 0.0,
        clarity: Clarity::Off,
        lexicon: Arc::default(),
        engine: None,
        words: true,
        max_lead: None,
    }
}

pub(super) fn text(text: &str) -> Command {
    Command::Text {
        turn: Some("t".into()),
        text: text.to_owned(),
        last: false,
        preempt: false,
        settings: None,
    }
}

pub(super) fn events(conversation: &mut Conversation<Arc<Engine>>) -> Vec<Event> {
    let mut context = Context::from_waker(Waker::noop());
    let mut emitted = Vec::new();
    while let Poll::Ready(event) = conversation.poll(&mut context, Duration::ZERO) {
        emitted.push(event);
    }
    emitted
}

#[test]
fn cancel_between_back_ends_reports_heard_text() {
    // texts that have been heard, each with the time at which it ends in milliseconds
    let words = [
        (0, ""),
        (208, "एक"),
        (417, "एक दो."),
        (625, "एक दो. రండి"),
        (833, "एक दो. రండి చాలా."),
        (1_042, "एक दो. రండి చాలా. तीन."),
    ];
    let mut lengths = Vec::new();
    // the turn is cancelled after `steps` steps
    for steps in 0..40 {
        let manual = manual(8);
        let mut conversation = Conversation::new(Arc::clone(&manual.engine), settings());
        conversation.handle(text("एक दो. రండి చాలా. तीन. "), Duration::ZERO);
        let mut emitted = Vec::new();
        for _ in 0..steps {
            if !manual.step() {
                manual.engine.step_of(1);
            }
            emitted.extend(events(&mut conversation));
        }
        let sent: usize = emitted
            .iter()
            .map(|event| match event {
                Event::Audio { samples, .. } => samples.len(),
                _ => 0,
            })
            .sum();
        let played = Duration::from_secs(10);
        conversation.handle(
            Command::Cancel { target: Target::Turn("t".into()), played: Some(played), id: None },
            Duration::ZERO,
        );
        let answer = events(&mut conversation);
        let [Event::Cancelled { state, heard, unheard_text, .. }] = &answer[..] else { panic!("{answer:?}") };
        let expected = words.iter().rfind(|(end, _)| Duration::from_millis(*end) <= length(sent)).unwrap().1;
        assert_eq!((*state, heard.text.as_str()), (CancelState::Cancelled, expected), "{steps} steps");
        assert_eq!(heard.text.clone() + unheard_text, "एक दो. రండి చాలా. तीन. ");
        let (stats, waiting) = (manual.engine.stats(), manual.run_dry());
        assert_eq!((stats.active, stats.waiting, stats.cancelled, waiting), (0, 0, 1, 0));
        lengths.push(sent);
    }
    lengths.dedup();
    assert!(lengths.first() == Some(&0) && lengths.last() == Some(&(5 * WORD)), "{lengths:?}");
    let within = |from, to| lengths.iter().any(|sent| (from * WORD..to * WORD).contains(sent));
    assert!(within(1, 2) && within(2, 4) && within(4, 5), "cancelled within each back end: {lengths:?}");
}

#[test]
fn turn_on_a_full_back_end_fails_as_overloaded() {
    let manual = manual(1);
    let _held =
        manual.engine.speak(Request { language: Some(Language::Telugu), ..Request::new("a") }).unwrap();
    let mut conversation = Conversation::new(Arc::clone(&manual.engine), settings());
    conversation.handle(text("రండి. "), Duration::ZERO);
    assert_eq!(events(&mut conversation), [], "the language is unknown until the text is read");
    manual.run_dry();
    let emitted = events(&mut conversation);
    let [Event::Failed { cause, sent, chars, .. }] = &emitted[..] else { panic!("{emitted:?}") };
    assert!(matches!(cause, Failure::Rejected(SpeakError::Overloaded { .. })), "{cause:?}");
    assert_eq!((*sent, *chars), (Duration::ZERO, 0));
    assert_eq!((conversation.is_idle(), manual.run_dry(), manual.engine.stats().active), (true, 0, 1));
}

#[test]
fn threads_end_with_engine_and_last_speech() {
    let backend = |is_telugu: bool| {
        let gives = move |_: &str, language| (language == Language::Telugu) == is_telugu;
        Counting::new(1, 1..=2_400).with_only(gives)
    };
    let mut backends = [backend(false), backend(true)];
    let ended: Vec<_> = backends
        .iter_mut()
        .map(|backend| {
            // the sender is dropped together with the back end
            let (sender, receiver) = channel::<()>();
            backend.inside = Arc::new(Mutex::new(Box::new(move || drop(sender.clone()))));
            receiver
        })
        .collect();
    let builder = backends.into_iter().fold(Engine::builder(), crate::EngineBuilder::backend);
    let engine = builder.build().unwrap();
    let mut speech = engine.speak(Request::new("a")).unwrap();
    drop(engine);
    speech.push("एक. రండి. ").unwrap();
    speech.finish();
    let mut received = 0;
    while let Some(chunk) = speech.blocking_next() {
        received += chunk.unwrap().samples.len();
    }
    assert_eq!(received, 2 * WORD);
    drop(speech);
    for backend in ended {
        let end = backend.recv_timeout(Duration::from_mins(1));
        assert_eq!(end, Err(RecvTimeoutError::Disconnected), "its threads are still running");
    }
}
