//! Tests of the charge for a turn: only words whose audio was delivered are charged.

use std::task::{Context, Poll, Waker};
use std::time::Duration;

use super::tests::{conversation, events, kinds, last_text, ms, settings, text};
use super::*;

fn charged(events: &[Event]) -> Vec<u32> {
    let charged = events.iter().filter_map(|event| match event {
        Event::Audio { chars, .. }
        | Event::Done { chars, .. }
        | Event::Cancelled { chars, .. }
        | Event::Failed { chars, .. } => Some(*chars),
        _ => None,
    });
    charged.collect()
}

#[test]
fn audio_events_report_the_charge() {
    let mut conversation = conversation();
    conversation.handle(last_text("t", " \n one two. "), ms(0));
    assert_eq!(
        charged(&events(&mut conversation, ms(0))),
        [0, 3, 8, 8, 8],
        "surrounding whitespace is not charged"
    );
    conversation.handle(last_text("u", "one \u{7}. more."), ms(0));
    assert_eq!(charged(&events(&mut conversation, ms(0))), [3, 3], "the failed word is not charged");
}

#[test]
fn unsent_words_are_free() {
    let mut conversation = conversation();
    conversation.handle(text("t", "one two."), ms(0));
    let mut context = Context::from_waker(Waker::noop());
    let mut emitted = Vec::new();
    for _ in 0..4 {
        let Poll::Ready(event) = conversation.poll(&mut context, ms(0)) else { panic!("{emitted:?}") };
        emitted.push(event);
    }
    assert_eq!(kinds(&emitted), ["started", "words", "audio", "words"], "the second word has been announced");
    let cancel = Command::Cancel { target: Target::Current, played: None, id: None };
    conversation.handle(cancel, ms(0));
    assert_eq!(charged(&events(&mut conversation, ms(0))), [3]);
}

#[test]
fn pending_charge_is_for_the_live_or_next_turn() {
    let mut conversation = conversation();
    let due = |conversation: &Conversation<script::Script>| {
        conversation.pending_charge().map(|(turn, chars)| (turn.to_string(), chars))
    };
    assert_eq!(due(&conversation), None);
    conversation.handle(text("a", " one "), ms(0));
    conversation.handle(text("b", " two "), ms(0));
    assert_eq!(due(&conversation), Some(("a".to_owned(), 3)), "trailing whitespace is not counted");
    conversation.handle(text("a", "more."), ms(0));
    assert_eq!(due(&conversation), Some(("a".to_owned(), 9)));
    conversation.handle(Command::End { turn: Some("a".into()) }, ms(0));
    let mut context = Context::from_waker(Waker::noop());
    while let Poll::Ready(event) = conversation.poll(&mut context, ms(0)) {
        if matches!(event, Event::Done { .. }) {
            break;
        }
    }
    assert_eq!(due(&conversation), Some(("b".to_owned(), 3)), "before its audio begins");
}

#[test]
fn stopped_turn_ends_and_answers_its_flushes() {
    let mut conversation = conversation();
    let flush = |turn: &str| Command::Flush { turn: Some(turn.into()), id: None };
    conversation.handle(text("a", "one two. three"), ms(0));
    conversation.handle(last_text("b", "waits."), ms(0));
    events(&mut conversation, ms(0));
    conversation.handle(flush("a"), ms(0));
    conversation.handle(flush("b"), ms(0));
    let stopped = |turn: &str, sent, chars| Some(Stopped { turn: turn.into(), sent, chars });
    assert_eq!(conversation.stop_next_turn(), stopped("a", ms(80), 8));
    assert!(
        matches!(conversation.next_pending_event(), Some(Event::Flushed { audio, .. }) if audio == ms(80))
    );
    assert_eq!(
        conversation.stop_next_turn(),
        stopped("b", Duration::ZERO, 0),
        "it was queued and had no audio"
    );
    assert!(matches!(conversation.next_pending_event(), Some(Event::Flushed { audio: Duration::ZERO, .. })));
    assert_eq!(conversation.stop_next_turn(), None);
    conversation.handle(text("a", "late."), ms(0));
    assert_eq!(kinds(&events(&mut conversation, ms(0))), ["warning"], "it is remembered");
    assert!(conversation.is_idle());
}

#[test]
fn long_reading_is_pending_before_and_charged_with_its_audio() {
    let mut conversation = conversation();
    // `+` in the script stands for a lexicon replacement with ten extra characters
    conversation.handle(last_text("t", "one two+ three."), ms(0));
    let mut context = Context::from_waker(Waker::noop());
    let (mut emitted, mut dues) = (Vec::new(), Vec::new());
    while let Poll::Ready(event) = conversation.poll(&mut context, ms(0)) {
        dues.push(conversation.pending_charge().map(|(_, chars)| chars));
        emitted.push(event);
    }
    let wanted = ["started", "words", "audio", "costs more", "words", "audio", "words", "audio", "done"];
    assert_eq!(kinds(&emitted), wanted);
    assert_eq!(dues[..4], [Some(15), Some(15), Some(15), Some(25)], "before the audio that costs more");
    assert_eq!(charged(&emitted), [3, 18, 25, 25]);
}

#[test]
fn unheard_readings_are_free() {
    let mut conversation = conversation();
    conversation.handle(text("t", "one two+ three."), ms(0));
    let mut context = Context::from_waker(Waker::noop());
    let mut emitted = Vec::new();
    while emitted.last() != Some(&Event::ChargeIncreased { turn: "t".into() }) {
        let Poll::Ready(event) = conversation.poll(&mut context, ms(0)) else { panic!("{emitted:?}") };
        emitted.push(event);
    }
    let cancel = Command::Cancel { target: Target::Current, played: None, id: None };
    conversation.handle(cancel, ms(0));
    assert_eq!(charged(&events(&mut conversation, ms(0))), [3]);
}

#[test]
fn turn_fails_before_exceeding_its_audio_limit() {
    let emitted = |words: &str| {
        let mut conversation = conversation();
        conversation.handle(last_text("t", words), ms(0));
        conversation.handle(Command::Configure(TurnSettings { max_lead: None, ..settings() }), ms(0));
        events(&mut conversation, ms(60_000))
    };
    // the voice produces 11 s of audio; the limit for four characters is 10 s, for five characters 12.5 s
    let failed = emitted("o \u{8}x");
    assert_eq!(kinds(&failed), ["started", "words", "audio", "failed"]);
    assert_eq!(charged(&failed), [1, 1], "unsent audio is not charged");
    let Some(Event::Failed { cause, .. }) = failed.last() else { panic!("{failed:?}") };
    assert_eq!(*cause, Failure::TooMuchSound { chars: 4, limit: ms(10_000) });
    assert_eq!(kinds(&emitted("oo \u{8}x")), ["started", "words", "audio", "words", "audio", "done"]);
    assert_eq!(
        kinds(&emitted("oo \u{8}x \u{8}x")).last(),
        Some(&"failed"),
        "the limit applies to the whole turn"
    );
    // a charged replacement raises the limit
    assert_eq!(kinds(&emitted("o \u{8}+")).last(), Some(&"done"));
}
