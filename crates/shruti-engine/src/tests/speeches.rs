//! Tests of one stream, from its text to its chunks.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use shruti_lang::Language;

use super::{Counting, ManualEngine, WORD, assert_same, chunk, counted, poll, samples};
use crate::engine::Engine;
use crate::error::PushError;
use crate::queue::Step;
use crate::speech::Request;
use crate::step_times::StepTimes;

fn manual() -> ManualEngine {
    ManualEngine::new(Counting::new(1, 1..=2_400))
}

#[test]
fn chunks_span_utterances_and_carry_word_marks() {
    let manual = manual();
    let chunks = manual.listen(&mut manual.speak_text("a", "एक दो. तीन.")).unwrap();
    let lengths: Vec<usize> = chunks.iter().map(|chunk| chunk.samples.len()).collect();
    assert_eq!(lengths, [480, 960, 1440, 1920, 2400, 2400, 2400, 2400, 600]);
    assert_same(&samples(&chunks), &counted(&[2, 1]));
    let marks: Vec<(usize, &str, u32, u32, u32, u32)> = chunks
        .iter()
        .enumerate()
        .flat_map(|(number, chunk)| chunk.marks.iter().map(move |mark| (number, mark)))
        .map(|(number, mark)| {
            (number, mark.text.as_str(), mark.start_ms, mark.end_ms, mark.char_start, mark.char_end)
        })
        .collect();
    // 5000 samples per word: the second word begins in the fifth chunk, the third in the seventh
    let expected = [(0, "एक", 0, 208, 0, 2), (4, "दो.", 208, 417, 3, 6), (6, "तीन.", 417, 625, 7, 11)];
    assert_eq!(marks, expected);
}

#[test]
fn speaks_complete_parts_of_chunked_text() {
    let manual = manual();
    let mut speech = manual.speak("a").unwrap();
    assert_eq!((manual.run_dry(), poll(&mut speech)), (0, Poll::Pending));
    speech.push("एक द").unwrap();
    manual.run_dry();
    assert_eq!(poll(&mut speech), Poll::Pending, "an unfinished sentence");
    speech.push("ो. ती").unwrap();
    let mut received = Vec::new();
    loop {
        manual.run_dry();
        match poll(&mut speech) {
            Poll::Ready(Some(Ok(chunk))) => received.push(chunk),
            Poll::Pending => break,
            other @ Poll::Ready(_) => panic!("{other:?}"),
        }
    }
    assert_same(&samples(&received), &counted(&[2]));
    speech.push("न. चार").unwrap();
    speech.finish();
    received.extend(manual.listen(&mut speech).unwrap());
    assert_same(&samples(&received), &counted(&[2, 1, 1]));
    assert_eq!(poll(&mut speech), Poll::Ready(None));
}

#[test]
fn flush_speaks_held_back_text_separately() {
    let manual = manual();
    let mut speech = manual.speak("a").unwrap();
    speech.push("एक दो").unwrap();
    speech.flush();
    speech.flush();
    speech.push(" तीन").unwrap();
    speech.finish();
    assert_same(&samples(&manual.listen(&mut speech).unwrap()), &counted(&[2, 1]));
}

#[test]
fn text_without_words_yields_no_chunk() {
    let manual = manual();
    for text in ["", " \n", "…"] {
        assert_eq!(manual.listen(&mut manual.speak_text("a", text)).unwrap(), [], "{text:?}");
    }
}

#[test]
fn unspoken_text_is_bounded() {
    let manual = manual();
    let mut speech = manual.speak("a").unwrap();
    speech.push(&"क".repeat(1_000)).unwrap();
    assert_eq!(speech.push("क"), Err(PushError::TooMuch { limit: 1_000 }));
    drop(speech);

    let mut speech = manual.speak("a").unwrap();
    for _ in 0..20 {
        // the total is far more than the limit, but the text is spoken as it arrives
        speech.push(&"एक. ".repeat(20)).unwrap();
        manual.run_dry();
        while poll(&mut speech).is_ready() {
            manual.run_dry();
        }
    }
    speech.finish();
    assert_eq!(speech.push("एक"), Err(PushError::Finished));
}

#[test]
fn dropped_speech_leaves_the_queue() {
    let manual = manual();
    let waiting = manual.speak_text("a", "एक दो तीन.");
    let mut parked = manual.speak_text("b", "एक दो तीन.");
    manual.run_dry();
    let _ = chunk(&mut parked);
    let _ = chunk(&mut parked);
    let before = manual.stats();
    assert_eq!((before.active, before.waiting), (2, 1));
    drop(waiting);
    drop(parked);
    let after = manual.stats();
    assert_eq!((after.active, after.waiting, after.cancelled), (0, 0, 2));
    assert_eq!(manual.run_dry(), 0);
}

#[test]
fn fully_read_speech_counts_as_completed() {
    let manual = manual();
    let mut speech = manual.speak_text("a", "एक.");
    manual.listen(&mut speech).unwrap();
    drop(speech);
    let stats = manual.stats();
    assert_eq!((stats.completed, stats.cancelled, stats.active), (1, 0, 0));
    assert_eq!(stats.samples as usize, WORD);
}

#[test]
fn speeches_outlive_their_engine() {
    let engine = Engine::builder().backend(Counting::new(1, 1..=2_400)).build().unwrap();
    let mut speech = engine.speak(Request::new("a")).unwrap();
    drop(engine);
    speech.push("एक दो. तीन").unwrap();
    speech.finish();
    let mut received = Vec::new();
    while let Some(chunk) = speech.blocking_next() {
        received.push(chunk.unwrap());
    }
    assert_same(&samples(&received), &counted(&[2, 1]));
}

#[test]
fn records_step_times() {
    let (ms, manual) = (Duration::from_millis, manual());
    manual.clock.advance(ms(100));
    let times = Arc::<StepTimes>::default();
    let request =
        Request { language: Some(Language::Hindi), times: Some(Arc::clone(&times)), ..Request::new("a") };
    let mut speech = manual.engine.speak(request).unwrap();
    let clock = Arc::clone(&manual.clock);
    *manual.inside.lock().unwrap() = Box::new(move || clock.advance(ms(2)));
    manual.clock.advance(ms(3));
    speech.push("एक. दो.").unwrap();
    speech.finish();
    let mut other = manual.speak_text("b", "तीन.");
    manual.listen(&mut speech).unwrap();
    let summary = times.summary();
    let steps: Vec<Step> = summary.step_spans.iter().map(|stretch| stretch.step).collect();
    assert_eq!(
        steps,
        [Step::Prepare, Step::Render, Step::Prepare, Step::Render],
        "the end is not a prepare step"
    );
    assert_eq!(summary.step_spans[0].begins, ms(3), "relative to the start of the stream");
    assert!(summary.step_spans.is_sorted_by_key(|stretch| (stretch.begins, stretch.ends)), "{summary:?}");
    let rendered: Duration = summary.step_spans.iter().map(|stretch| stretch.busy).sum();
    assert_eq!((summary.preparing, summary.rendering), (Duration::ZERO, rendered));
    let calls = manual.stats().render_steps;
    let of_the_other = other_calls(&manual);
    assert_eq!(rendered, ms(2) * (calls - of_the_other) as u32, "calls for another stream do not count");
    manual.listen(&mut other).unwrap();
    assert_eq!(times.summary(), summary);
}

/// Returns the number of render calls for the voice `b`.
fn other_calls(manual: &ManualEngine) -> u64 {
    manual.calls().iter().filter(|&call| *call == super::rendered(&["b"])).count() as u64
}
