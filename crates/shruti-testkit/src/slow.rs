//! A slow back end that behaves like a neural voice, without a model.
//!
//! A call produces half a second of audio for up to four streams and takes 150 ms, 0.3 of real time. It cannot be
//! interrupted. The audio is a tone that lasts a third of a second per word.
//!
//! With [`SlowBackend::new`], calls take real time. With [`SlowBackend::gated`], calls wait until the test lets
//! them end, so that events during a call happen in a defined order.

use std::f64::consts::TAU;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use shruti_backend::{
    Backend, BackendError, Cost, Description, Job, Length, Prepared, Rendered, Style, VoiceDescription,
};
use shruti_lang::{Language, SAMPLE_RATE, VoiceId};

/// Name of the voice.
pub const VOICE: &str = "Slow";

/// Number of samples per call and stream.
pub const BLOCK: usize = SAMPLE_RATE as usize / 2;

/// Duration of a call.
pub const CALL: Duration = Duration::from_millis(150);

/// Maximum number of streams per call.
pub const BATCH: usize = 4;

/// Number of samples per word at speed 1.0.
const WORD: usize = SAMPLE_RATE as usize / 3;

/// Timeout for an expected call. A passing test never waits this long.
const PATIENCE: Duration = Duration::from_mins(1);

/// The slow back end.
#[derive(Debug)]
pub struct SlowBackend {
    description: Description,
    pace: Pace,
}

#[derive(Debug)]
enum Pace {
    Real(Duration),
    Gated(Arc<Shared>),
}

/// Gate that controls when the calls to a gated back end end, and counts them. Dropping the gate lets all calls end.
#[derive(Debug)]
pub struct Gate(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    calls: Mutex<Calls>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Calls {
    /// Batch sizes of the calls that have begun.
    begun: Vec<usize>,
    ended: usize,
    /// Total number of calls that may end.
    allowed: usize,
}

impl SlowBackend {
    /// Creates a back end whose calls take 150 ms.
    pub fn new() -> Self {
        Self::with_pace(Pace::Real(CALL))
    }

    /// Creates a back end that is slower than its description: a call takes `call` instead of 150 ms.
    pub fn overtaxed(call: Duration) -> Self {
        Self::with_pace(Pace::Real(call))
    }

    /// Creates a back end whose calls end when the gate allows it.
    pub fn gated() -> (Self, Gate) {
        let shared = Arc::<Shared>::default();
        (Self::with_pace(Pace::Gated(Arc::clone(&shared))), Gate(shared))
    }

    /// Renames the voice of the back end.
    #[must_use]
    pub fn named(mut self, voice: impl Into<VoiceId>) -> Self {
        self.description.voices[0].name = voice.into();
        self
    }

    /// Sets the maximum number of concurrent streams.
    #[must_use]
    pub fn with_room(mut self, speeches: usize) -> Self {
        self.description.max_speeches = speeches;
        self
    }

    fn with_pace(pace: Pace) -> Self {
        let voice = VoiceDescription {
            name: VOICE.into(),
            gender: None,
            languages: Language::ALL.to_vec(),
            pitch: true,
        };
        let mut description = Description {
            name: "slow".to_owned(),
            engine: "neural".to_owned(),
            sample_rate: SAMPLE_RATE,
            blocks: BLOCK..=BLOCK,
            cost: Cost {
                prepare_fixed: 0.0,
                prepare_per_symbol: 0.0,
                block_fixed: CALL.as_secs_f64(),
                block_per_sample: 0.0,
            },
            longest_step: CALL,
            batch: BATCH,
            step_threads: 1,
            threads: 1,
            max_speeches: 0,
            deterministic: true,
            timestamps: true,
            licence: None,
            voices: vec![voice],
        };
        description.max_speeches = description.sustainable_speeches(0.8);
        Self { description, pace }
    }
}

impl Default for SlowBackend {
    fn default() -> Self {
        Self::new()
    }
}

/// A tone that is being rendered.
#[derive(Debug)]
pub struct Tone {
    range: Range<usize>,
    hertz: f64,
}

impl Backend for SlowBackend {
    type RenderState = Tone;

    fn description(&self) -> &Description {
        &self.description
    }

    fn prepare(
        &self,
        utterance: &shruti_text::utterance::Utterance,
        style: &Style,
    ) -> Result<Prepared<Tone>, BackendError> {
        let word = (WORD as f32 / style.speed) as usize;
        let samples = word * utterance.words.len();
        let hertz = 220.0 * f64::from(style.pitch / 12.0).exp2();
        let word_times = (0..utterance.words.len()).map(|n| n * word..(n + 1) * word).collect();
        // like a neural voice, the back end knows the length only approximately
        let length = Length::Estimated(samples);
        Ok(Prepared { render_state: Tone { range: 0..samples, hertz }, length, word_times })
    }

    fn render(&self, batch: &mut [Job<'_, Tone>]) {
        match &self.pace {
            Pace::Real(call) => std::thread::sleep(*call),
            Pace::Gated(shared) => shared.pass(batch.len()),
        }
        for job in batch {
            let Tone { range, hertz } = job.render_state;
            let mut written = 0;
            for (sample, n) in job.block.iter_mut().zip(range) {
                let phase = *hertz * n as f64 / f64::from(SAMPLE_RATE);
                *sample = (8_000.0 * (TAU * phase).sin()) as i16;
                written += 1;
            }
            job.outcome = Ok(Rendered::Samples(written));
        }
    }
}

impl Shared {
    /// Begins a call and waits until it may end.
    fn pass(&self, batch: usize) {
        let mut calls = self.calls();
        calls.begun.push(batch);
        self.changed.notify_all();
        while calls.allowed == 0 {
            calls = self.changed.wait(calls).unwrap_or_else(PoisonError::into_inner);
        }
        calls.allowed -= 1;
        calls.ended += 1;
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Gate {
    /// Waits until `calls` calls have begun in total.
    ///
    /// # Panics
    ///
    /// Panics if the calls have not begun within a minute.
    pub fn wait_for_calls(&self, calls: usize) {
        let guard = self.0.calls();
        let (guard, waited) = self
            .0
            .changed
            .wait_timeout_while(guard, PATIENCE, |now| now.begun.len() < calls)
            .unwrap_or_else(PoisonError::into_inner);
        assert!(!waited.timed_out(), "{} calls have begun, not {calls}", guard.begun.len());
    }

    /// Allows `calls` calls to end.
    pub fn let_through(&self, calls: usize) {
        let mut guard = self.0.calls();
        guard.allowed = guard.allowed.saturating_add(calls);
        self.0.changed.notify_all();
    }

    /// Allows all calls to end from now on.
    pub fn open(&self) {
        self.let_through(usize::MAX);
    }

    /// Returns the number of streams in each call that has begun.
    pub fn batches(&self) -> Vec<usize> {
        self.0.calls().begun.clone()
    }

    /// Returns the number of calls that have ended.
    pub fn ended(&self) -> usize {
        self.0.calls().ended
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.open();
    }
}
