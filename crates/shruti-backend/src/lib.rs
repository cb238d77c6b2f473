//! The trait that speech synthesisers implement: text in, audio out. Word marks are in [`marks`].

pub mod marks;

use std::ops::{Range, RangeInclusive};
use std::task::Waker;
use std::time::Duration;

use shruti_lang::{Gender, Language, VoiceId};
use shruti_text::utterance::Utterance;

/// A speech synthesiser for one or more voices.
///
/// It works in two steps. [`prepare`](Self::prepare) accepts an utterance, may be slow, and returns a *render state*: a
/// self-contained value with all data needed to produce the audio block by block. [`render`](Self::render) computes the
/// next block of one render state, or of several at the same time if the back end benefits from batches.
///
/// Both steps run on the back end's threads. If its description requests several threads, several steps may run in
/// parallel. A step is never interrupted; its result is discarded if the stream has been cancelled in the meantime.
///
/// The same utterance in the same style must produce the same samples, regardless of the block sizes and of other jobs,
/// unless [`Description::deterministic`] is false.
///
/// A panic ends only the streams that took part in the step; their render states are dropped. `self` must stay usable
/// after a panic.
pub trait Backend: Send + Sync + 'static {
    /// State of an utterance while it is rendered.
    type RenderState: Send + 'static;

    /// Returns the properties and capabilities of the back end. The result is the same on every call.
    fn description(&self) -> &Description;

    /// Splits an utterance into at least one part. Each part is prepared and rendered as a separate utterance after the
    /// preceding part has been rendered. A back end should implement this method if it produces no audio until the
    /// whole utterance is computed, or if it limits the length of its input.
    fn parts(&self, utterance: Utterance) -> Vec<Utterance> {
        vec![utterance]
    }

    /// Prepares an utterance, or one of its [parts](Self::parts): computes everything that must be known before its
    /// first sample. The engine guarantees that the voice speaks the language of the utterance on this back end; single
    /// words may be in other languages.
    fn prepare(
        &self,
        utterance: &Utterance,
        style: &Style,
    ) -> Result<Prepared<Self::RenderState>, BackendError>;

    /// Variant of [`prepare`](Self::prepare) for back ends that read the text themselves: `written` returns the
    /// original text of the utterance or, if the text is SSML, its words without tags.
    fn prepare_written(
        &self,
        utterance: &Utterance,
        written: &dyn Fn() -> String,
        style: &Style,
    ) -> Result<Prepared<Self::RenderState>, BackendError> {
        let _ = written;
        self.prepare(utterance, style)
    }

    /// Returns whether the back end is likely to work now, without testing it: `false` while a service that the back
    /// end depends on does not respond.
    fn is_usable(&self) -> bool {
        true
    }

    /// Renders the next block of each job. The batch contains 1 to [`Description::batch`] jobs.
    fn render(&self, batch: &mut [Job<'_, Self::RenderState>]);
}

/// Properties, capabilities and costs of a back end.
#[derive(Clone, Debug)]
pub struct Description {
    /// Name of the back end in logs and metrics, and of its threads.
    pub name: String,
    /// Kind of synthesis, as listed for clients, such as `parametric` or `neural`.
    pub engine: String,
    /// Sample rate of the output, in samples per second.
    pub sample_rate: u32,
    /// Minimum and maximum block size of one call, in samples; equal if only one size is supported.
    pub blocks: RangeInclusive<usize>,
    /// Approximate duration of the back end's steps.
    pub cost: Cost,
    /// Maximum duration of a step. Because a step cannot be cancelled, the engine does not request blocks whose
    /// rendering takes longer, unless the smallest block size already does.
    pub longest_step: Duration,
    /// Maximum number of utterances that one call renders; at least 1.
    pub batch: usize,
    /// Number of threads that the back end needs; at least 1. Ignored for the back ends of
    /// `shruti_engine::SharedBackends`.
    pub threads: usize,
    /// Number of cores that a step occupies. More than 1 if the back end distributes a step over its own threads. 0 if
    /// another process or machine does the work: the streams of the back end then do not count towards the budget of
    /// `shruti_engine::SharedBackends`.
    pub step_threads: usize,
    /// Maximum number of concurrent speech streams. [`Description::sustainable_speeches`] is the number that can be
    /// served in real time.
    pub max_speeches: usize,
    /// Whether the same request always produces the same samples.
    pub deterministic: bool,
    /// Whether the back end reports when each word is spoken. If not, listeners get no word marks, and the heard text
    /// of an interrupted turn is accurate only up to the last utterance that was heard in full.
    pub timestamps: bool,
    /// Licence of the voices; `None` for the project's own voices.
    pub licence: Option<Licence>,
    /// Voices of the back end; their names are matched ignoring case. The first voice of an engine's first back end is
    /// the default voice.
    pub voices: Vec<VoiceDescription>,
}

/// Approximate duration of the steps of a back end, in seconds on one of its threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Fixed cost of a call to [`Backend::prepare`].
    pub prepare_fixed: f64,
    /// Additional cost of [`Backend::prepare`] per symbol (phone) of the utterance.
    pub prepare_per_symbol: f64,
    /// Fixed cost of a call to [`Backend::render`] with a full batch.
    pub block_fixed: f64,
    /// Additional cost of [`Backend::render`] per sample of the block size.
    pub block_per_sample: f64,
}

impl Cost {
    /// Returns the cost of a call to [`Backend::render`] with a full batch of blocks of `samples` samples, in seconds.
    pub fn block(&self, samples: usize) -> f64 {
        self.block_fixed + self.block_per_sample * samples as f64
    }
}

/// Licence of the voices of a back end, as stated by their publisher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Licence {
    /// SPDX identifier, or a substitute if there is none.
    pub spdx: String,
    /// Attribution that the licence requires.
    pub attribution: String,
    /// Whether commercial use is allowed; `None` if unknown.
    pub commercial: Option<bool>,
}

/// A voice of a back end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoiceDescription {
    /// Name in the canonical spelling.
    pub name: VoiceId,
    /// Gender of the speaker, if known.
    pub gender: Option<Gender>,
    /// Languages that the voice speaks.
    pub languages: Vec<Language>,
    /// Whether the pitch of the voice can be shifted.
    pub pitch: bool,
}

impl Description {
    /// Returns the number of listeners that can be served in real time if every call renders blocks of the largest size
    /// and the threads spend a `share` (0.0 to 1.0) of their time on rendering.
    pub fn sustainable_speeches(&self, share: f64) -> usize {
        let block = *self.blocks.end() as f64 / f64::from(self.sample_rate);
        let cost = self.cost.block(*self.blocks.end()).max(f64::MIN_POSITIVE);
        (block / cost * (self.batch * self.threads) as f64 * share) as usize
    }

    /// Returns the block sizes that the engine requests: those whose rendering takes at most
    /// [`longest_step`](Self::longest_step). The smallest size is always included.
    pub fn usable_block_sizes(&self) -> RangeInclusive<usize> {
        let (smallest, largest) = (*self.blocks.start(), *self.blocks.end());
        let room = self.longest_step.as_secs_f64() - self.cost.block_fixed;
        // if samples cost nothing, the quotient is huge or infinite and the cast saturates, so that there is no limit
        let most = (room.max(0.0) / self.cost.block_per_sample.max(f64::MIN_POSITIVE)) as usize;
        smallest..=largest.min(most).max(smallest)
    }
}

/// Voice, rate and pitch of a speech stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// Voice, in the spelling of the back end's description.
    pub voice: VoiceId,
    /// Speaking rate, 0.5 to 2.0; 1.0 is the normal rate of the voice.
    pub speed: f32,
    /// Pitch shift in semitones, -6.0 to 6.0.
    pub pitch: f32,
}

impl Style {
    /// Returns the speaking rate of an utterance, 0.5 to 2.0. It includes the rate that markup requests if this rate is
    /// the same for all words. Back ends use this method for voices that cannot change the rate within an utterance.
    pub fn speed_of(&self, utterance: &Utterance) -> f32 {
        (self.speed * utterance.common_rate()).clamp(0.5, 2.0)
    }
}

/// Result of [`Backend::prepare`].
#[derive(Debug)]
pub struct Prepared<P> {
    /// Render state, at its first sample.
    pub render_state: P,
    /// Length of the audio. The engine clamps the [`word_times`](Self::word_times) to this length.
    pub length: Length,
    /// Time range of each word of the utterance, in samples of its audio, in the order of the words. Empty if the back
    /// end does not know the times.
    pub word_times: Vec<Range<usize>>,
}

/// Length of the audio of an utterance, in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Exact number of samples.
    Exact(usize),
    /// Estimated number of samples; the exact end is only known after rendering.
    Estimated(usize),
}

impl Length {
    /// Returns the number of samples, exact or estimated.
    pub fn samples(self) -> usize {
        match self {
            Self::Exact(samples) | Self::Estimated(samples) => samples,
        }
    }
}

/// One render state in a call to [`Backend::render`].
#[derive(Debug)]
pub struct Job<'a, P> {
    /// Render state to continue.
    pub render_state: &'a mut P,
    /// Buffer for the next samples, filled with zeros; its length is within [`Description::blocks`].
    pub block: &'a mut [i16],
    /// Result of the job; the back end sets it.
    pub outcome: Result<Rendered, BackendError>,
    /// Wakes the stream after [`Rendered::Pending`].
    pub waker: Waker,
}

/// Outcome of rendering a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rendered {
    /// Number of samples that were written. Fewer samples than the block size mean that the audio has ended.
    Samples(usize),
    /// Number of samples that were written: fewer than the block size, although the audio has not ended. The back end
    /// calls the job's [waker](Job::waker) when more samples are available, possibly immediately. The stream occupies
    /// no thread until then.
    Pending(usize),
}

/// Error of a back end.
///
/// The message is logged and must not contain any of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// The back end cannot speak a part of the utterance.
    #[error("not supported by this voice: {0}")]
    Unsupported(String),
    /// Internal error.
    #[error("{0}")]
    Failed(String),
    /// A service that the back end depends on does not respond at the moment.
    #[error("{reason}")]
    Unavailable {
        /// Name of the service and the symptom.
        reason: String,
        /// Time after which the service may respond again.
        retry_after: Duration,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn description(blocks: RangeInclusive<usize>, cost: Cost, longest_step: Duration) -> Description {
        Description {
            name: "test".to_owned(),
            engine: "test".to_owned(),
            sample_rate: 24_000,
            blocks,
            cost,
            longest_step,
            batch: 2,
            threads: 3,
            step_threads: 1,
            max_speeches: 1,
            deterministic: true,
            timestamps: true,
            licence: None,
            voices: Vec::new(),
        }
    }

    #[test]
    fn blocks_do_not_exceed_the_longest_step() {
        let cost =
            Cost { prepare_fixed: 0.0, prepare_per_symbol: 0.0, block_fixed: 0.02, block_per_sample: 1e-5 };
        for (blocks, longest_ms, expected) in [
            (1..=12_000, 80, 1..=6_000),
            (1..=12_000, 1_000, 1..=12_000),
            (4_000..=12_000, 30, 4_000..=4_000),
            (1..=12_000, 5, 1..=1),
        ] {
            let description = description(blocks, cost, Duration::from_millis(longest_ms));
            let (actual, expected) = (description.usable_block_sizes(), expected);
            assert_eq!(actual.start(), expected.start(), "{longest_ms} ms");
            assert!(actual.end().abs_diff(*expected.end()) <= 1, "{longest_ms} ms: {actual:?}");
        }
        let free = Cost { block_fixed: 0.0, block_per_sample: 0.0, ..cost };
        assert_eq!(description(1..=9, free, Duration::from_millis(1)).usable_block_sizes(), 1..=9);
    }

    #[test]
    fn sustainable_streams_follow_from_the_cost_of_the_largest_block() {
        let cost = Cost {
            prepare_fixed: 9.0,
            prepare_per_symbol: 9.0,
            block_fixed: 0.1,
            block_per_sample: 0.1 / 12_000.0,
        };
        // A call takes 0.2 s and renders 0.5 s of audio for each of two streams. Three threads spend half of their time
        // on rendering, so that 0.5 / 0.2 × 2 × 3 × 0.5 = 7.5 streams can be served.
        let description = description(1..=12_000, cost, Duration::from_secs(1));
        assert_eq!(description.sustainable_speeches(0.5), 7);
    }
}
