//! Tests that the interface between text processing and synthesis suits neural voices. Neural voices are slow, cannot
//! be interrupted during a call, and benefit from batches. The parametric voice must not become slower to support them.

use shruti_engine::{Chunk, Engine, Request, SpeakError, Speech, WordMark};
use shruti_testkit::slow::{BATCH, BLOCK, CALL, Gate, SlowBackend, VOICE};
use shruti_voice::ParametricBackend;

/// Text of six words. The slow voice renders it as two seconds of audio, in four calls.
const TEXT: &str = "एक दो तीन चार पाँच छह।";

fn engine() -> (Engine, Gate) {
    let (slow, gate) = SlowBackend::gated();
    let engine = Engine::builder().backend(ParametricBackend::with_threads(1)).backend(slow).build();
    (engine.expect("both back ends are valid"), gate)
}

fn slow(engine: &Engine) -> Speech {
    engine.speak_text(Request::new(VOICE), TEXT).expect("the slow voice has capacity")
}

fn listen(mut speech: Speech) -> Vec<Chunk> {
    std::iter::from_fn(|| speech.blocking_next()).map(|chunk| chunk.expect("no speech fails")).collect()
}

fn samples(chunks: &[Chunk]) -> Vec<i16> {
    chunks.iter().flat_map(|chunk| chunk.samples.iter().copied()).collect()
}

#[test]
fn the_parametric_voice_is_unaffected_by_a_slow_call() {
    let (engine, gate) = engine();
    let busy: Vec<Speech> = (0..8).map(|_| slow(&engine)).collect();
    gate.wait_for_calls(1);
    let chunks = listen(engine.speak_text(Request::new("Ananya"), TEXT).expect("it has its own budget"));
    assert!(samples(&chunks).len() > 12_000);
    assert_eq!(gate.ended(), 0, "the slow call had not ended");
    drop(busy);
}

#[test]
fn a_cancel_does_not_wait_for_the_current_call_and_no_other_call_follows() {
    let (engine, gate) = engine();
    let speech = slow(&engine);
    gate.wait_for_calls(1);
    drop(speech);
    assert_eq!((engine.stats().active, engine.stats().cancelled), (0, 1));
    assert_eq!(gate.ended(), 0, "the call had not ended");
    let other = slow(&engine);
    gate.open();
    assert_eq!(samples(&listen(other)).len(), 4 * BLOCK);
    let stats = engine.stats();
    assert_eq!(stats.samples as usize, 4 * BLOCK, "the samples of the first call are discarded");
    // the first call, four calls that produce audio, and one that only detects the end if the audio ends at a block
    // boundary
    assert!((5..=6).contains(&gate.batches().len()), "{:?}", gate.batches());
}

#[test]
fn excess_requests_for_the_slow_voice_are_rejected_while_others_are_admitted() {
    let (engine, gate) = engine();
    let mut admitted = Vec::new();
    let refused = loop {
        match engine.speak_text(Request::new(VOICE), TEXT) {
            Ok(speech) => admitted.push(speech),
            Err(refused) => break refused,
        }
    };
    assert!(matches!(refused, SpeakError::Overloaded { retry_after } if !retry_after.is_zero()), "{refused}");
    assert_eq!(admitted.len(), 10, "four fifths of four speeches a call at 0.3 of real time");
    assert!(engine.speak(Request::new("Arjun")).is_ok());
    gate.wait_for_calls(1);
    admitted.pop();
    assert!(engine.speak(Request::new(VOICE)).is_ok(), "a place is free immediately");
}

#[test]
fn waiting_speeches_share_a_call() {
    let (engine, gate) = engine();
    let first = slow(&engine);
    gate.wait_for_calls(1);
    let others: Vec<Speech> = (0..5).map(|_| slow(&engine)).collect();
    gate.let_through(1);
    // none of the six listeners reads: each gets one block and then pauses
    gate.wait_for_calls(2);
    gate.let_through(1);
    gate.wait_for_calls(3);
    assert_eq!(gate.batches(), [1, BATCH, 1]);
    drop((first, others));
}

#[test]
fn a_batched_speech_has_the_same_samples_and_chunk_sizes_as_a_single_one() {
    let (engine, gate) = engine();
    gate.open();
    let alone = listen(slow(&engine));
    let lengths: Vec<usize> = alone.iter().map(|chunk| chunk.samples.len()).take(6).collect();
    assert_eq!(lengths, [480, 960, 1440, 1920, 2400, 2400]);
    let marks: Vec<&WordMark> = alone.iter().flat_map(|chunk| &chunk.marks).collect();
    let words: Vec<&str> = marks.iter().map(|mark| mark.text.as_str()).collect();
    assert_eq!(words, TEXT.split(' ').collect::<Vec<_>>());
    assert_eq!(marks[5].end_ms, 2_000);
    let together: Vec<Speech> = (0..10).map(|_| slow(&engine)).collect();
    let listeners: Vec<_> =
        together.into_iter().map(|speech| std::thread::spawn(move || listen(speech))).collect();
    for listener in listeners {
        let chunks = listener.join().expect("no listener fails");
        assert!(chunks == alone, "differs from the samples without other speeches");
    }
}

#[test]
fn the_slow_voice_declares_the_values_of_the_design() {
    let (engine, _gate) = engine();
    let voices = engine.voices();
    let voice = voices.find(VOICE).expect("it is listed");
    let description = voices.languages_of(voice).next().unwrap().backend;
    let block = *description.blocks.end() as f64 / f64::from(description.sample_rate);
    assert_eq!(CALL.as_secs_f64() / block, 0.3);
    assert_eq!((description.longest_step, description.batch), (CALL, BATCH));
}
