//! A slow back end: behaves as a neural voice does, without a model.
//!
//! A call makes half a second of sound for up to four speeches and takes 150 ms, 0.3 of real time; it cannot be
//! stopped inside. The sound is a tone, a third of a second for each word.
//!
//! [`SlowBackend::new`] really takes its time. Tests take [`SlowBackend::gated`] instead, whose calls wait for
//! the test: what happens beside a call in progress is then a matter of order, not of luck.

use std::f64::consts::TAU;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use shruti_backend::{
    Backend, BackendError, Cost, Description, Job, Length, Prepared, Rendered, Style, VoiceDescription,
};
use shruti_lang::{Language, SAMPLE_RATE, VoiceId};

/// The name of its voice.
pub const VOICE: &str = "Slow";

/// Samples of a call, for each speech in it.
pub const BLOCK: usize = SAMPLE_RATE as usize / 2;

/// How long a call takes.
pub const CALL: Duration = Duration::from_millis(150);

/// How many speeches share a call.
pub const BATCH: usize = 4;

/// Samples of a word at speed 1.0.
const WORD: usize = SAMPLE_RATE as usize / 3;

/// How long a test waits for a call before it gives up; no test that passes waits so long.
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

/// Lets the calls of a gated back end through, and tells of them. Dropping it lets all through.
#[derive(Debug)]
pub struct Gate(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    calls: Mutex<Calls>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Calls {
    /// The batch sizes of the calls begun so far.
    begun: Vec<usize>,
    ended: usize,
    /// How many calls may end.
    allowed: usize,
}

impl SlowBackend {
    /// A back end whose calls take 150 ms.
    pub fn new() -> Self {
        Self::with_pace(Pace::Real(CALL))
    }

    /// A back end that takes longer than it says: `call`, instead of 150 ms, for half a second of sound.
    pub fn overtaxed(call: Duration) -> Self {
        Self::with_pace(Pace::Real(call))
    }

    /// A back end whose calls end when the gate lets them.
    pub fn gated() -> (Self, Gate) {
        let shared = Arc::<Shared>::default();
        (Self::with_pace(Pace::Gated(Arc::clone(&shared))), Gate(shared))
    }

    /// The same with its voice under another name.
    #[must_use]
    pub fn named(mut self, voice: impl Into<VoiceId>) -> Self {
        self.description.voices[0].name = voice.into();
        self
    }

    /// The same with room for so many speeches.
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

/// A tone on its way.
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
        // As a neural voice would: it knows the length only about.
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
    /// A call begins, and waits until it may end.
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
    /// Waits until `calls` calls have begun in all.
    ///
    /// # Panics
    ///
    /// When that takes longer than a minute: the engine makes no further call.
    pub fn wait_for_calls(&self, calls: usize) {
        let guard = self.0.calls();
        let (guard, waited) = self
            .0
            .changed
            .wait_timeout_while(guard, PATIENCE, |now| now.begun.len() < calls)
            .unwrap_or_else(PoisonError::into_inner);
        assert!(!waited.timed_out(), "{} calls have begun, not {calls}", guard.begun.len());
    }

    /// Lets `calls` calls end.
    pub fn let_through(&self, calls: usize) {
        let mut guard = self.0.calls();
        guard.allowed = guard.allowed.saturating_add(calls);
        self.0.changed.notify_all();
    }

    /// Lets all calls end from now on.
    pub fn open(&self) {
        self.let_through(usize::MAX);
    }

    /// How many speeches took part in each call begun so far.
    pub fn batches(&self) -> Vec<usize> {
        self.0.calls().begun.clone()
    }

    /// How many calls have ended.
    pub fn ended(&self) -> usize {
        self.0.calls().ended
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.open();
    }
}
