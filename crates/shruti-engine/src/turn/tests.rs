use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use shruti_text::Lexicon;

use super::script::{Script, sound};
use super::*;
use crate::error::SpeakError;

pub(super) const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

pub(super) fn settings() -> TurnSettings {
    TurnSettings {
        voice: "Script".into(),
        language: None,
        speed: 1.0,
        pitch: 0.0,
        clarity: shruti_lang::Clarity::Off,
        lexicon: Arc::new(Lexicon::default()),
        engine: None,
        words: true,
        max_lead: Some(ms(3_000)),
    }
}

pub(super) fn conversation() -> Conversation<Script> {
    Conversation::new(Script::default(), settings())
}

/// Returns all events that are ready.
pub(super) fn events(conversation: &mut Conversation<Script>, now: Duration) -> Vec<Event> {
    let mut context = Context::from_waker(Waker::noop());
    let mut events = Vec::new();
    while let Poll::Ready(event) = conversation.poll(&mut context, now) {
        events.push(event);
    }
    events
}

pub(super) fn text(turn: &str, text: &str) -> Command {
    Command::Text {
        turn: Some(turn.into()),
        text: text.to_owned(),
        last: false,
        preempt: false,
        settings: None,
    }
}

pub(super) fn last_text(turn: &str, text: &str) -> Command {
    Command::Text {
        turn: Some(turn.into()),
        text: text.to_owned(),
        last: true,
        preempt: false,
        settings: None,
    }
}

fn cancel(turn: &str) -> Command {
    Command::Cancel { target: Target::Turn(turn.into()), played: None, id: Some(format!("c-{turn}")) }
}

pub(super) fn kinds(events: &[Event]) -> Vec<&'static str> {
    events
        .iter()
        .map(|event| match event {
            Event::Started { .. } => "started",
            Event::Words { .. } => "words",
            Event::ChargeIncreased { .. } => "costs more",
            Event::Audio { .. } => "audio",
            Event::Flushed { .. } => "flushed",
            Event::Done { .. } => "done",
            Event::Cancelled { .. } => "cancelled",
            Event::Failed { .. } => "failed",
            Event::Warning { .. } => "warning",
            Event::Rejected { .. } => "rejected",
        })
        .collect()
}

fn samples(events: &[Event]) -> Vec<i16> {
    let audio = events.iter().filter_map(|event| match event {
        Event::Audio { samples, .. } => Some(samples.clone()),
        _ => None,
    });
    audio.flatten().collect()
}

/// Asserts that the audio of the events is that of a text. A failure prints only the number of samples.
#[track_caller]
fn assert_said(events: &[Event], text: &str) {
    let audio = samples(events);
    assert!(audio == sound(text), "{} samples, not '{text}'", audio.len());
}

#[test]
fn turn_starts_plays_and_ends() {
    let mut conversation = conversation();
    conversation.handle(last_text("t", "one two."), ms(0));
    let emitted = events(&mut conversation, ms(3));
    assert_eq!(kinds(&emitted), ["started", "words", "audio", "words", "audio", "done"]);
    assert_said(&emitted, "one two.");
    let Some(Event::Done { audio, chars, first_audio, reason, .. }) = emitted.last() else {
        panic!("{emitted:?}")
    };
    assert_eq!((*audio, *chars, *first_audio), (ms(80), 8, Some(ms(3))));
    assert_eq!(*reason, DoneReason::Complete);
    assert!(conversation.is_idle());
    assert_eq!(conversation.synthesizer.active.load(Ordering::SeqCst), 0, "a completed turn has no stream");
}

#[test]
fn turn_without_words_ends_with_nothing_to_say() {
    let mut conversation = conversation();
    conversation.handle(last_text("t", ""), ms(0));
    let emitted = events(&mut conversation, ms(0));
    assert!(
        matches!(emitted[..], [Event::Done { reason: DoneReason::NothingToSay, chars: 0, .. }]),
        "{emitted:?}"
    );
}

#[test]
fn unnamed_text_goes_to_the_open_or_a_new_turn() {
    let mut conversation = conversation();
    let unnamed = |text: &str, last| Command::Text {
        turn: None,
        text: text.to_owned(),
        last,
        preempt: false,
        settings: None,
    };
    conversation.handle(unnamed("one ", false), ms(0));
    conversation.handle(unnamed("two.", true), ms(0));
    conversation.handle(unnamed("three.", true), ms(0));
    let emitted = events(&mut conversation, ms(0));
    let done: Vec<_> = emitted
        .iter()
        .filter_map(|event| match event {
            Event::Done { turn, chars, .. } => Some((&**turn, *chars)),
            _ => None,
        })
        .collect();
    assert_eq!(done, [("turn_1", 8), ("turn_2", 6)]);
}

#[test]
fn cancelled_turn_is_silent_and_reports_heard_text() {
    let mut conversation = conversation();
    conversation.handle(text("t", "one two three. four"), ms(0));
    let emitted = events(&mut conversation, ms(0));
    assert_said(&emitted, "one two three.");
    conversation.handle(cancel("t"), ms(75));
    conversation.handle(text("t", "late."), ms(75));
    conversation.handle(text("t", "later."), ms(75));
    let emitted = events(&mut conversation, ms(80));
    assert_eq!(kinds(&emitted), ["cancelled", "warning"], "one warning for all late text");
    let Event::Cancelled { id, state, sent, heard, unheard_text, chars, .. } = &emitted[0] else { panic!() };
    assert_eq!((id.as_deref(), *state, *sent), (Some("c-t"), CancelState::Cancelled, ms(140)));
    assert_eq!((heard.time, heard.text.as_str(), heard.char_end), (ms(75), "one two", 7));
    assert_eq!((unheard_text.as_str(), *chars), (" three. four", 14));
    assert_eq!(conversation.synthesizer.active.load(Ordering::SeqCst), 0, "the stream is dropped");
    assert_eq!(conversation.lead(ms(80)), ms(0), "the listener has discarded the rest");
}

#[test]
fn cancel_is_idempotent() {
    let mut conversation = conversation();
    conversation.handle(text("t", "one two."), ms(0));
    events(&mut conversation, ms(0));
    conversation.handle(cancel("t"), ms(35));
    conversation.handle(cancel("t"), ms(70));
    let emitted = events(&mut conversation, ms(70));
    let [Event::Cancelled { heard: first, .. }, Event::Cancelled { heard: second, state, .. }] = &emitted[..]
    else {
        panic!("{emitted:?}")
    };
    assert_eq!((first, *state), (second, CancelState::AlreadyDone));
}

#[test]
fn cancels_a_finished_turn_that_is_still_playing() {
    let mut conversation = conversation();
    conversation.handle(last_text("t", "one two three four."), ms(0));
    assert_eq!(kinds(&events(&mut conversation, ms(0))).last(), Some(&"done"));
    let current = Command::Cancel { target: Target::Current, played: None, id: None };
    conversation.handle(current.clone(), ms(100));
    let emitted = events(&mut conversation, ms(100));
    let [Event::Cancelled { turn, state, heard, unheard_text, .. }] = &emitted[..] else {
        panic!("{emitted:?}")
    };
    assert_eq!((turn.as_deref(), *state), (Some("t"), CancelState::AlreadyDone));
    assert_eq!((heard.text.as_str(), unheard_text.as_str()), ("one two", " three four."));
    conversation.handle(current, ms(150));
    let emitted = events(&mut conversation, ms(150));
    assert!(
        matches!(&emitted[..], [Event::Cancelled { turn: None, state: CancelState::Unknown, .. }]),
        "nothing is being played: {emitted:?}"
    );
}

#[test]
fn reported_position_determines_the_heard_text() {
    let mut conversation = conversation();
    conversation.handle(last_text("t", "one two three."), ms(0));
    events(&mut conversation, ms(0));
    let cancel = Command::Cancel { target: Target::Turn("t".into()), played: Some(ms(35)), id: None };
    conversation.handle(cancel, ms(5_000));
    let emitted = events(&mut conversation, ms(5_000));
    let [Event::Cancelled { heard, .. }] = &emitted[..] else { panic!("{emitted:?}") };
    assert_eq!((heard.time, heard.text.as_str(), heard.basis), (ms(35), "one", PositionSource::Played));
    conversation
        .handle(Command::Cancel { target: Target::Turn("t".into()), played: None, id: None }, ms(5_000));
    let again = events(&mut conversation, ms(5_000));
    assert!(matches!(&again[..], [Event::Cancelled { heard: same, .. }] if same == heard), "{again:?}");
}

#[test]
fn completely_heard_turn_reports_all_text() {
    let mut conversation = conversation();
    conversation.handle(last_text("t", "one two. "), ms(0));
    events(&mut conversation, ms(0));
    conversation.handle(cancel("t"), ms(9_000));
    let emitted = events(&mut conversation, ms(9_000));
    let [Event::Cancelled { heard, unheard_text, .. }] = &emitted[..] else { panic!("{emitted:?}") };
    assert_eq!((heard.text.as_str(), unheard_text.as_str()), ("one two. ", ""));
}

#[test]
fn turn_continues_without_rejected_text() {
    let mut conversation = conversation();
    conversation.handle(Command::Configure(TurnSettings { max_lead: None, ..settings() }), ms(0));
    let sentence = "one two. ".repeat(1_000);
    let mut emitted = Vec::new();
    for _ in 0..=MAX_TURN_CHARS.div_ceil(sentence.len()) {
        conversation.handle(text("t", &sentence), ms(0));
        emitted.extend(events(&mut conversation, ms(0)));
    }
    conversation.handle(last_text("t", "end."), ms(0));
    emitted.extend(events(&mut conversation, ms(0)));
    let rejected = emitted.iter().filter(|event| matches!(event, Event::Rejected { .. })).count();
    assert_eq!(rejected, 2, "only the messages that do not fit");
    let Some(Event::Done { chars, .. }) = emitted.last() else { panic!("{:?}", emitted.last()) };
    let fitting = MAX_TURN_CHARS / sentence.len() * sentence.len() + "end.".len();
    assert_eq!(*chars as usize, fitting);
}

#[test]
fn at_most_eight_turns_are_queued() {
    let mut conversation = conversation();
    conversation.handle(text("live", "a."), ms(0));
    for number in 0..=MAX_QUEUED {
        conversation.handle(last_text(&format!("w{number}"), "b."), ms(0));
    }
    let emitted = events(&mut conversation, ms(0));
    let failed: Vec<_> = emitted
        .iter()
        .filter_map(|event| match event {
            Event::Failed { turn, cause, .. } => Some((&**turn, cause.clone())),
            _ => None,
        })
        .collect();
    assert_eq!(failed, [("w8", Failure::QueueFull)]);
    conversation.handle(Command::End { turn: Some("live".into()) }, ms(0));
    let done = events(&mut conversation, ms(0)).iter().filter(|e| matches!(e, Event::Done { .. })).count();
    assert_eq!(done, 1 + MAX_QUEUED);
}

#[test]
fn preempting_turn_cancels_the_live_turn() {
    let mut conversation = conversation();
    conversation.handle(text("a", "one two."), ms(0));
    conversation.handle(text("b", "waits."), ms(0));
    events(&mut conversation, ms(0));
    let preempting = Command::Text {
        turn: Some("c".into()),
        text: "now.".to_owned(),
        last: true,
        preempt: true,
        settings: None,
    };
    conversation.handle(preempting, ms(10));
    let emitted = events(&mut conversation, ms(10));
    assert_eq!(kinds(&emitted)[..5], ["cancelled", "started", "words", "audio", "done"]);
    assert!(matches!(&emitted[0], Event::Cancelled { turn: Some(turn), .. } if &**turn == "a"));
    assert!(matches!(&emitted[1], Event::Started { turn, .. } if &**turn == "c"));
}

#[test]
fn cancel_all_ends_every_turn_with_one_answer() {
    let mut conversation = conversation();
    conversation.handle(text("a", "one two."), ms(0));
    conversation.handle(text("b", "waits."), ms(0));
    conversation.handle(text("c", "waits."), ms(0));
    events(&mut conversation, ms(0));
    let all = Command::Cancel { target: Target::All, played: None, id: Some("stop".to_owned()) };
    conversation.handle(all, ms(10));
    let emitted = events(&mut conversation, ms(10));
    assert_eq!(kinds(&emitted), ["cancelled"; 3]);
    let answers =
        emitted.iter().filter(|e| matches!(e, Event::Cancelled { id: Some(id), .. } if id == "stop")).count();
    assert_eq!(answers, 1);
    assert!(conversation.is_idle());
}

#[test]
fn flushes_follow_their_audio_and_create_no_turn() {
    let mut conversation = conversation();
    let flush = |turn: Option<&str>| Command::Flush { turn: turn.map(Into::into), id: Some("f".to_owned()) };
    conversation.handle(flush(Some("nobody")), ms(0));
    let emitted = events(&mut conversation, ms(0));
    assert!(matches!(&emitted[..], [Event::Flushed { audio: Duration::ZERO, .. }]), "{emitted:?}");
    conversation.handle(text("t", "one two"), ms(0));
    assert_eq!(events(&mut conversation, ms(0)), [], "held back");
    conversation.handle(flush(None), ms(0));
    let emitted = events(&mut conversation, ms(0));
    assert_eq!(kinds(&emitted), ["started", "words", "audio", "words", "audio", "flushed"]);
    assert!(matches!(emitted.last(), Some(Event::Flushed { audio, .. }) if *audio == ms(70)));
    conversation.handle(flush(Some("t")), ms(0));
    conversation.handle(cancel("t"), ms(0));
    assert_eq!(
        kinds(&events(&mut conversation, ms(0))),
        ["flushed", "cancelled"],
        "every flush is acknowledged"
    );
}

#[test]
fn releases_text_after_250_ms() {
    let mut conversation = conversation();
    conversation.handle(text("t", "one two thr"), ms(0));
    assert_eq!(events(&mut conversation, ms(249)), []);
    assert_eq!(conversation.wake_at(ms(0)), Some(ms(250)));
    assert_said(&events(&mut conversation, ms(250)), "one two ");
    conversation.handle(text("t", "ee. four "), ms(260));
    assert_said(&events(&mut conversation, ms(260)), "three.");
}

#[test]
fn holds_text_while_the_lead_is_large() {
    let mut conversation = conversation();
    let long = "word ".repeat(20) + ".";
    conversation.handle(text("t", &long), ms(0));
    conversation.handle(text("t", " rest of "), ms(0));
    events(&mut conversation, ms(0));
    // 1,010 ms were sent at 0 ms, so half a second is left at 510 ms
    assert_eq!(conversation.wake_at(ms(100)), Some(ms(510)));
    assert_eq!(events(&mut conversation, ms(509)), []);
    assert_said(&events(&mut conversation, ms(510)), " rest of ");
}

#[test]
fn audio_does_not_exceed_the_lead() {
    let mut conversation = conversation();
    let words = "ninechars ".repeat(100);
    conversation.handle(last_text("t", &words), ms(0));
    let emitted = events(&mut conversation, ms(0));
    assert_eq!(samples(&emitted).len() / 24, 3_000);
    let wake = conversation.wake_at(ms(0));
    assert_eq!(wake, Some(ms(100)), "when there is room for another chunk");
    assert_eq!(samples(&events(&mut conversation, ms(100))).len() / 24, 100);
    // the cancel discards the audio that was sent ahead, so 3 s of the next turn can be sent
    conversation.handle(cancel("t"), ms(150));
    conversation.handle(last_text("u", &words), ms(150));
    assert_eq!(
        samples(&events(&mut conversation, ms(150))).len() / 24,
        3_000,
        "discarded audio does not count as lead"
    );
}

#[test]
fn idle_turn_times_out_earlier_if_another_is_queued() {
    for (waits, limit) in [(false, 60_000), (true, 10_000)] {
        let mut conversation = conversation();
        conversation.handle(text("t", "one."), ms(0));
        if waits {
            conversation.handle(last_text("w", "two."), ms(0));
        }
        events(&mut conversation, ms(0));
        assert_eq!(events(&mut conversation, ms(limit - 1)), []);
        let emitted = events(&mut conversation, ms(limit));
        assert_eq!(kinds(&emitted)[..2], ["warning", "done"], "{waits}");
    }
}

#[test]
fn fault_ends_only_its_turn() {
    let mut conversation = conversation();
    conversation.handle(last_text("a", "one \u{7}. more."), ms(0));
    conversation.handle(last_text("b", "two."), ms(0));
    let emitted = events(&mut conversation, ms(0));
    assert_eq!(kinds(&emitted), ["started", "words", "audio", "failed", "started", "words", "audio", "done"]);
}

#[test]
fn rejected_turns_fail_and_excess_text_is_rejected() {
    let synthesizer = Script { closed: true, ..Script::default() };
    let mut conversation = Conversation::new(synthesizer, settings());
    conversation.handle(text("t", "one."), ms(0));
    let emitted = events(&mut conversation, ms(0));
    assert!(
        matches!(&emitted[..], [Event::Failed { cause: Failure::Rejected(SpeakError::Draining), .. }]),
        "{emitted:?}"
    );
    let mut conversation = self::conversation();
    conversation.handle(text("t", &"a".repeat(15_000)), ms(0));
    conversation.handle(text("t", &"b".repeat(15_000)), ms(0));
    conversation.handle(last_text("t", "c."), ms(0));
    let emitted = events(&mut conversation, ms(0));
    assert_eq!(kinds(&emitted)[0], "rejected");
    let begun = samples(&emitted);
    assert!(
        !begun.is_empty() && sound(&("a".repeat(15_000) + "c.")).starts_with(&begun),
        "accepted text is spoken"
    );
}

#[test]
fn keeps_the_last_256_turns() {
    let mut conversation = conversation();
    for number in 0..300 {
        conversation.handle(last_text(&format!("t{number}"), "a."), ms(number * 100));
        events(&mut conversation, ms(number * 100));
    }
    conversation.handle(cancel("t0"), ms(60_000));
    conversation.handle(cancel("t299"), ms(60_000));
    let states: Vec<_> = events(&mut conversation, ms(60_000))
        .into_iter()
        .filter_map(|event| match event {
            Event::Cancelled { state, .. } => Some(state),
            _ => None,
        })
        .collect();
    assert_eq!(states, [CancelState::Unknown, CancelState::AlreadyDone]);
}

/// Returns the number of underruns of a turn whose second sentence arrives at `second` and is spoken at `pushed` (both
/// in milliseconds).
fn underruns(second: u64, pushed: u64) -> u64 {
    let mut conversation = conversation();
    conversation.handle(text("t", "0123456789 0123456789."), ms(0));
    assert_eq!(kinds(&events(&mut conversation, ms(0))), ["started", "words", "audio", "words", "audio"]);
    conversation.synthesizer.busy.store(true, Ordering::SeqCst);
    conversation.handle(text("t", "more."), ms(second));
    assert!(events(&mut conversation, ms(second)).is_empty());
    conversation.synthesizer.busy.store(false, Ordering::SeqCst);
    assert_eq!(kinds(&events(&mut conversation, ms(pushed))), ["words", "audio"]);
    conversation.underruns()
}

#[test]
fn counts_underruns_only_with_pending_text() {
    // the first sentence lasts 220 ms
    assert_eq!(underruns(100, 200), 0, "in time");
    assert_eq!(underruns(100, 300), 1, "the voice was late");
    assert_eq!(underruns(400, 400), 0, "the text was late");
    assert_eq!(underruns(400, 900), 0, "the listener ran out of audio before the text arrived");
}

#[test]
fn slow_voice_does_not_time_out_the_turn() {
    let mut conversation = conversation();
    conversation.synthesizer.busy.store(true, Ordering::SeqCst);
    conversation.handle(text("t", "one."), ms(0));
    for at in [0, 60_001, 90_000] {
        let emitted = events(&mut conversation, ms(at));
        assert!(emitted.is_empty(), "at {at} ms: {emitted:?}");
    }
    conversation.synthesizer.busy.store(false, Ordering::SeqCst);
    assert_eq!(kinds(&events(&mut conversation, ms(100_000))), ["started", "words", "audio"]);
    assert!(
        events(&mut conversation, ms(159_999)).is_empty(),
        "the timeout starts when the text has been spoken"
    );
    assert_eq!(kinds(&events(&mut conversation, ms(160_000))), ["warning", "done"]);
}

#[test]
fn first_audio_time_starts_at_the_first_speakable_text() {
    let mut conversation = conversation();
    conversation.handle(text("t", "not yet "), ms(0));
    assert!(events(&mut conversation, ms(0)).is_empty());
    conversation.synthesizer.busy.store(true, Ordering::SeqCst);
    conversation.handle(text("t", "but now. "), ms(100));
    assert!(events(&mut conversation, ms(100)).is_empty());
    conversation.handle(text("t", "And more."), ms(140));
    conversation.handle(Command::End { turn: None }, ms(150));
    conversation.synthesizer.busy.store(false, Ordering::SeqCst);
    let emitted = events(&mut conversation, ms(160));
    let Some(Event::Done { first_audio, .. }) = emitted.last() else { panic!("{emitted:?}") };
    assert_eq!(*first_audio, Some(ms(60)));
}

#[test]
fn synthesizer_gets_the_whole_text_if_it_is_complete() {
    let mut conversation = conversation();
    conversation.handle(last_text("1", "one."), ms(0));
    events(&mut conversation, ms(0));
    conversation.handle(text("2", "two "), ms(0));
    conversation.handle(last_text("2", "three."), ms(0));
    events(&mut conversation, ms(0));
    // the following turns receive their text while they are queued
    conversation.set_held(true);
    for command in [
        text("3", "four "),
        last_text("3", "five."),
        text("4", "six "),
        Command::Flush { turn: Some("4".into()), id: None },
        last_text("4", "seven."),
        text("5", "eight."),
        Command::End { turn: Some("5".into()) },
        text("6", "nine."),
    ] {
        conversation.handle(command, ms(0));
    }
    conversation.set_held(false);
    assert_eq!(kinds(&events(&mut conversation, ms(0))).iter().filter(|kind| **kind == "done").count(), 3);
    let whole_texts = conversation.synthesizer().whole_texts.lock().unwrap().clone();
    let expected = [Some("one."), None, Some("four five."), None, Some("eight."), None];
    assert_eq!(whole_texts, expected.map(|text| text.map(str::to_owned)));
}
