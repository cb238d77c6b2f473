//! Tests of the order of steps.

use std::time::Duration;

use super::{Call, Counting, ManualEngine, chunk, poll, prepared, rendered};

const MS: fn(u64) -> Duration = Duration::from_millis;

fn manual() -> ManualEngine {
    ManualEngine::new(Counting::new(1, 1..=2_400))
}

/// Runs a number of steps and returns their calls.
fn steps(manual: &ManualEngine, count: usize) -> Vec<Call> {
    for _ in 0..count {
        assert!(manual.step(), "no step is queued");
    }
    manual.calls()
}

#[test]
fn most_urgent_listener_is_served_first() {
    let manual = manual();
    let _a = manual.speak_text("a", "एक दो तीन");
    // stream `a` receives chunks of 20 and 40 ms, so its listener would run out of audio at time 60 ms
    assert_eq!(steps(&manual, 3), [prepared("a"), rendered(&["a"]), rendered(&["a"])]);
    manual.clock.advance(MS(10));
    // stream `b` has no audio and is due immediately; with its first chunk, its listener would run out of audio at time
    // 30 ms, with its second chunk at time 70 ms
    let _b = manual.speak_text("b", "एक दो तीन");
    let order = steps(&manual, 4);
    assert_eq!(order, [prepared("b"), rendered(&["b"]), rendered(&["b"]), rendered(&["a"])]);
}

#[test]
fn speech_without_audio_is_served_first() {
    let manual = manual();
    let _old: Vec<_> = ["a", "b", "c"].map(|voice| manual.speak_text(voice, "एक दो तीन")).into();
    for _ in 0..6 {
        steps(&manual, 1);
    }
    let _new = manual.speak_text("d", "एक दो तीन");
    assert_eq!(steps(&manual, 2), [prepared("d"), rendered(&["d"])]);
}

#[test]
fn equal_priorities_rotate() {
    let manual = manual();
    let _speeches: Vec<_> = ["a", "b", "c"].map(|voice| manual.speak_text(voice, "एक दो तीन")).into();
    let preparing = steps(&manual, 3);
    assert_eq!(preparing, ["a", "b", "c"].map(prepared));
    for _ in 0..3 {
        assert_eq!(steps(&manual, 3), ["a", "b", "c"].map(|voice| rendered(&[voice])));
    }
}

#[test]
fn buffered_speech_pauses_until_half_is_read() {
    let manual = manual();
    let mut speech = manual.speak_text("a", "एक दो तीन चार पाँच छह सात");
    assert_eq!(manual.run_dry(), 1 + 4);
    assert_eq!(manual.stats().chunks, 4);
    for _ in 0..3 {
        let _ = chunk(&mut speech);
        assert_eq!(manual.run_dry(), 0, "each wake renders two chunks");
        let _ = chunk(&mut speech);
        assert_eq!(manual.run_dry(), 2);
    }
}

#[test]
fn more_text_does_not_wake_a_buffered_speech() {
    let manual = manual();
    let mut speech = manual.speak("a").unwrap();
    speech.push("एक दो तीन चार. ").unwrap();
    manual.run_dry();
    speech.push("पाँच. ").unwrap();
    speech.flush();
    speech.finish();
    assert_eq!(manual.run_dry(), 0);
    let _ = chunk(&mut speech);
    let _ = chunk(&mut speech);
    assert_eq!(manual.run_dry(), 2);
}

#[test]
fn waiting_for_text_gives_no_priority() {
    let manual = manual();
    let mut slow = manual.speak("a").unwrap();
    slow.push("एक. ").unwrap();
    manual.run_dry();
    while poll(&mut slow).is_ready() {
        manual.run_dry();
    }
    manual.clock.advance(MS(60_000));
    let _new = manual.speak_text("b", "एक दो तीन");
    slow.push("दो. तीन. ").unwrap();
    manual.calls();
    // both streams are due now, and `b` was queued first
    assert_eq!(steps(&manual, 2), [prepared("b"), prepared("a")]);
}

#[test]
fn slow_listener_keeps_buffered_chunks() {
    let manual = manual();
    let mut late = manual.speak_text("a", "एक दो तीन चार पाँच छह सात");
    manual.run_dry();
    manual.clock.advance(MS(60_000));
    let _new = manual.speak_text("b", "एक दो तीन");
    let _ = chunk(&mut late);
    let _ = chunk(&mut late);
    manual.calls();
    // the listener of `a` has 140 ms of audio left (chunks of 60 and 80 ms); the listener of `b` has no audio at first,
    // 20 ms after the first chunk, and then 60, 120 and 200 ms
    let order = steps(&manual, 6);
    let b = rendered(&["b"]);
    assert_eq!(order, [prepared("b"), b.clone(), b.clone(), b.clone(), b, rendered(&["a"])]);
}

#[test]
fn batches_share_calls_and_are_bounded() {
    let manual = ManualEngine::new(Counting::new(4, 12_000..=12_000));
    let speeches: Vec<_> =
        ["a", "b", "c", "d", "e"].map(|voice| manual.speak_text(voice, "एक दो तीन चार पाँच छह")).into();
    assert_eq!(steps(&manual, 5), ["a", "b", "c", "d", "e"].map(prepared));
    assert_eq!(steps(&manual, 2), [rendered(&["a", "b", "c", "d"]), rendered(&["e"])]);
    drop(speeches);
}

#[test]
fn long_text_starts_as_fast_as_short_text() {
    let manual = manual();
    let mut speech = manual.speak_text("a", &"एक दो तीन. ".repeat(60));
    assert_eq!(steps(&manual, 2), [prepared("a"), rendered(&["a"])]);
    assert_eq!(chunk(&mut speech).samples.len(), 480);
}
