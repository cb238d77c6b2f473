//! Tests of a back end that waits for its audio, such as a back end that receives the audio from another machine.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

use shruti_backend::{Backend, BackendError, Description, Job, Length, Prepared, Rendered, Style};
use shruti_clock::TestClock;
use shruti_text::utterance::Utterance;

use super::{Counting, assert_same, poll};
use crate::engine::Engine;
use crate::speech::{Request, Speech};

/// Simulated connection to another machine.
#[derive(Default)]
struct Line {
    samples: VecDeque<i16>,
    is_over: bool,
    waker: Option<Waker>,
    /// Number of open requests.
    open: usize,
    /// Samples that arrive during the next step, after the step has read the buffer.
    late: Vec<i16>,
}

struct Remote {
    description: Description,
    line: Arc<Mutex<Line>>,
}

struct Open(Arc<Mutex<Line>>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.lock().unwrap().open -= 1;
    }
}

impl Backend for Remote {
    type RenderState = Open;

    fn description(&self) -> &Description {
        &self.description
    }

    fn prepare(&self, _: &Utterance, _: &Style) -> Result<Prepared<Open>, BackendError> {
        self.line.lock().unwrap().open += 1;
        let render_state = Open(Arc::clone(&self.line));
        Ok(Prepared { render_state, length: Length::Estimated(0), word_times: Vec::new() })
    }

    fn render(&self, batch: &mut [Job<'_, Open>]) {
        let [job] = batch else { panic!("expected a batch of one") };
        let mut line = self.line.lock().unwrap();
        let count = line.samples.len().min(job.block.len());
        for sample in &mut job.block[..count] {
            *sample = line.samples.pop_front().unwrap();
        }
        job.outcome = Ok(if count == job.block.len() || line.is_over {
            Rendered::Samples(count)
        } else {
            line.waker = Some(job.waker.clone());
            Rendered::Pending(count)
        });
        let late = std::mem::take(&mut line.late);
        drop(line);
        if !late.is_empty() {
            come(&self.line, &late);
        }
    }
}

/// Adds samples and wakes the stream.
fn come(line: &Mutex<Line>, samples: &[i16]) {
    let mut line = line.lock().unwrap();
    line.samples.extend(samples);
    let waker = line.waker.take();
    drop(line);
    if let Some(waker) = waker {
        waker.wake();
    }
}

fn set_up() -> (Engine, Arc<Mutex<Line>>, Speech) {
    let line = Arc::new(Mutex::new(Line::default()));
    let description = Description { timestamps: false, ..Counting::new(1, 1..=2_400).description };
    let remote = Remote { description, line: Arc::clone(&line) };
    let engine = Engine::builder().clock(Arc::new(TestClock::new())).backend(remote);
    let engine = engine.build_without_threads().unwrap();
    let speech = engine.speak_text(Request::new("a"), "एक दो तीन").unwrap();
    (engine, line, speech)
}

fn run_dry(engine: &Engine) -> usize {
    std::iter::from_fn(|| engine.step_of(0).then_some(())).count()
}

#[test]
fn waiting_speech_uses_no_thread_until_woken() {
    let (engine, line, mut speech) = set_up();
    assert_eq!(run_dry(&engine), 2, "one prepare step and one render step");
    assert!(poll(&mut speech).is_pending());
    assert!(!speech.wants_text());
    let sound: Vec<i16> = (1_000..2_700).collect();
    come(&line, &sound[..300]);
    assert_eq!(run_dry(&engine), 1);
    assert!(poll(&mut speech).is_pending(), "less than a chunk");
    come(&line, &sound[300..700]);
    run_dry(&engine);
    let mut received = super::chunk(&mut speech).samples;
    assert_same(&received, &sound[..480]);
    // the stream is woken while the step runs
    line.lock().unwrap().late = sound[800..].to_vec();
    come(&line, &sound[700..800]);
    run_dry(&engine);
    line.lock().unwrap().is_over = true;
    come(&line, &[]);
    while let Poll::Ready(Some(chunk)) = {
        run_dry(&engine);
        poll(&mut speech)
    } {
        received.extend(chunk.unwrap().samples);
    }
    assert_same(&received, &sound);
    assert_eq!(line.lock().unwrap().open, 0);
}

#[test]
fn cancel_drops_a_waiting_task() {
    let (engine, line, speech) = set_up();
    run_dry(&engine);
    assert_eq!(line.lock().unwrap().open, 1);
    drop(speech);
    assert_eq!(line.lock().unwrap().open, 0);
    come(&line, &[1_000]);
    assert_eq!(run_dry(&engine), 0, "the stream has been dropped");
}
