//! What a voice must be able to do: the trait between text and sound.

use std::ops::{Range, RangeInclusive};
use std::task::Waker;
use std::time::Duration;

use shruti_lang::{Gender, Language, VoiceId};
use shruti_text::utterance::Utterance;

/// An engine that gives one or more voices their sound.
///
/// It works in two steps. [`prepare`](Self::prepare) takes an utterance, may be long, and gives a *render state*: a
/// value that renders itself block by block and depends on nothing else. [`render`](Self::render) makes the next
/// block of one render state, or of several at once where the back end gains from it.
///
/// Both steps are called from the back end's own threads, several at a time when it asks for several. A step is
/// never stopped inside; what it made for a speech that has been cancelled meanwhile is thrown away.
///
/// The same utterance in the same style must give the same samples, however large the blocks asked for and
/// whatever else is being rendered, unless the description says that the back end is not deterministic.
///
/// A panic ends the speeches that took part in the step, and nothing else; their render states are dropped. `self`
/// must stay usable after it.
pub trait Backend: Send + Sync + 'static {
    /// An utterance on its way to sound.
    type RenderState: Send + 'static;

    /// What the back end is and can do; the same at every call.
    fn description(&self) -> &Description;

    /// The parts that an utterance is spoken in, at least one: each is prepared and rendered as an utterance of its own,
    /// when the one before it has been rendered. For back ends that cannot begin to sound before a whole utterance is
    /// made, or that take only so much at once.
    fn parts(&self, utterance: Utterance) -> Vec<Utterance> {
        vec![utterance]
    }

    /// Prepares an utterance, or one of its [parts](Self::parts): everything that must be known before its first sample. Its language is one that the voice
    /// speaks by this back end; its words may be in others.
    fn prepare(
        &self,
        utterance: &Utterance,
        style: &Style,
    ) -> Result<Prepared<Self::RenderState>, BackendError>;

    /// As [`prepare`](Self::prepare), for back ends that read the text themselves: `written` gives the utterance as it was
    /// written.
    fn prepare_written(
        &self,
        utterance: &Utterance,
        written: &dyn Fn() -> String,
        style: &Style,
    ) -> Result<Prepared<Self::RenderState>, BackendError> {
        let _ = written;
        self.prepare(utterance, style)
    }

    /// Whether it can speak now, as far as it knows without trying: not while what it needs does not answer.
    fn is_usable(&self) -> bool {
        true
    }

    /// Renders the next block of each job: from 1 to [`Description::batch`] of them.
    fn render(&self, batch: &mut [Job<'_, Self::RenderState>]);
}

/// What a back end is, what it can do and what it costs.
#[derive(Clone, Debug)]
pub struct Description {
    /// Its name, for logs and metrics; also names its threads.
    pub name: String,
    /// The kind of synthesis, as listed for clients: `parametric`, `neural`.
    pub engine: String,
    /// Samples a second of what it renders.
    pub sample_rate: u32,
    /// The smallest and the largest block it renders in one call, in samples; equal where it has only one size.
    pub blocks: RangeInclusive<usize>,
    /// How long its steps take, about.
    pub cost: Cost,
    /// How long a step may take at most: larger blocks than fit are not asked for, since nothing is cancelled inside a
    /// step.
    pub longest_step: Duration,
    /// How many utterances one call renders at most; at least 1.
    pub batch: usize,
    /// How many threads it wants; at least 1. Of no account for a back end of `shruti_engine::SharedBackends`.
    pub threads: usize,
    /// How many threads' cores a step takes. More than 1 where the back end divides a step among threads that it has
    /// itself; 0 where its work is done elsewhere: its speeches then take no part of the budget of `shruti_engine::SharedBackends`.
    pub step_threads: usize,
    /// How many speeches it takes on at once. [`Description::sustainable_speeches`] is what it can keep up with.
    pub max_speeches: usize,
    /// Whether the same request gives the same samples.
    pub deterministic: bool,
    /// Whether it knows when each word is spoken. If not, listeners get no word marks, and what was heard of a turn that
    /// is cut off is told to the last utterance that was heard whole.
    pub timestamps: bool,
    /// Under what licence its voices speak; none where they are the project's own.
    pub licence: Option<Licence>,
    /// The voices it gives; their names are matched without regard to case. The first voice of an engine's first back
    /// end speaks where no voice is named.
    pub voices: Vec<VoiceDescription>,
}

/// How long the steps of a back end take, about, in seconds on one of its threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// A call of [`Backend::prepare`], whatever the utterance.
    pub prepare_fixed: f64,
    /// What each symbol (phone) of the utterance adds to it.
    pub prepare_per_symbol: f64,
    /// A call of [`Backend::render`] with a full batch, whatever the blocks.
    pub block_fixed: f64,
    /// What each sample of its blocks' size adds to it.
    pub block_per_sample: f64,
}

impl Cost {
    /// What a call of [`Backend::render`] costs with a full batch of blocks of so many samples, in seconds.
    pub fn block(&self, samples: usize) -> f64 {
        self.block_fixed + self.block_per_sample * samples as f64
    }
}

/// Under what licence the voices of a back end speak, as their publisher states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Licence {
    /// Its SPDX identifier, or what stands for one.
    pub spdx: String,
    /// Whom to name.
    pub attribution: String,
    /// Whether commercial use is allowed; `None` where it is not known.
    pub commercial: Option<bool>,
}

/// A voice of a back end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoiceDescription {
    /// Its name in the canonical spelling.
    pub name: VoiceId,
    /// The speaker's gender, where it is known.
    pub gender: Option<Gender>,
    /// The languages it speaks.
    pub languages: Vec<Language>,
    /// Whether its pitch can be shifted.
    pub pitch: bool,
}

impl Description {
    /// How many listeners can be served in real time when every call renders blocks of the largest size and a `share`
    /// (0.0 to 1.0) of the threads' time is spent on rendering.
    pub fn sustainable_speeches(&self, share: f64) -> usize {
        let block = *self.blocks.end() as f64 / f64::from(self.sample_rate);
        let cost = self.cost.block(*self.blocks.end()).max(f64::MIN_POSITIVE);
        (block / cost * (self.batch * self.threads) as f64 * share) as usize
    }

    /// The blocks that are asked for: those that [`longest_step`](Self::longest_step) has room for, at least the
    /// smallest.
    pub fn blocks_within_a_step(&self) -> RangeInclusive<usize> {
        let (smallest, largest) = (*self.blocks.start(), *self.blocks.end());
        let room = self.longest_step.as_secs_f64() - self.cost.block_fixed;
        // no cost, no bound: a cast of infinity saturates
        let most = (room.max(0.0) / self.cost.block_per_sample.max(f64::MIN_POSITIVE)) as usize;
        smallest..=largest.min(most).max(smallest)
    }
}

/// How a text is to be spoken.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// The voice, as the back end's description spells it.
    pub voice: VoiceId,
    /// Rate of speaking, 0.5 to 2.0; 1.0 is the voice's own.
    pub speed: f32,
    /// Shift of the pitch in semitones, -6.0 to 6.0.
    pub pitch: f32,
}

impl Style {
    /// The rate of an utterance, 0.5 to 2.0, with what markup asks for where that is the same for all of its words: for
    /// voices that speak an utterance at one rate.
    pub fn speed_of(&self, utterance: &Utterance) -> f32 {
        (self.speed * utterance.common_rate()).clamp(0.5, 2.0)
    }
}

/// What [`Backend::prepare`] gives.
#[derive(Debug)]
pub struct Prepared<P> {
    /// The render state, at its first sample.
    pub render_state: P,
    /// How long it will be; with the description's cost this says what rendering it will cost.
    pub length: Length,
    /// When each word of the utterance is spoken, in samples of its sound, in the order of the words. Empty
    /// where the back end does not know.
    pub word_times: Vec<Range<usize>>,
}

/// The length of an utterance's sound in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// It has exactly so many.
    Exact(usize),
    /// It has about so many; its end shows when it is rendered.
    Estimated(usize),
}

impl Length {
    /// The number, exact or not.
    pub fn samples(self) -> usize {
        match self {
            Self::Exact(samples) | Self::Estimated(samples) => samples,
        }
    }
}

/// One render state's part in a call of [`Backend::render`].
#[derive(Debug)]
pub struct Job<'a, P> {
    /// The render state to go on with.
    pub render_state: &'a mut P,
    /// Where its next samples go; its length lies within [`Description::blocks`]. Filled with zeros.
    pub block: &'a mut [i16],
    /// For the back end to set: what became of it.
    pub outcome: Result<Rendered, BackendError>,
    /// Wakes the speech after [`Rendered::NotYet`].
    pub waker: Waker,
}

/// What became of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rendered {
    /// So many samples were written. Fewer than the block holds means that the sound has ended.
    Samples(usize),
    /// So many samples were written, fewer than the block holds, and the sound goes on: there is nothing more before the
    /// job's [waker](Job::waker) is woken, which may be at once. The speech takes no thread until then.
    NotYet(usize),
}

/// A back end could not do what it was asked.
///
/// Its message is logged: it never holds any of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// The utterance holds what this back end does not speak.
    #[error("not supported by this voice: {0}")]
    Unsupported(String),
    /// Something failed inside.
    #[error("{0}")]
    Failed(String),
    /// What the back end needs does not answer at the moment.
    #[error("{reason}")]
    Unavailable {
        /// What, and how that shows.
        reason: String,
        /// When it may answer again.
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
    fn blocks_are_no_larger_than_a_step_has_room_for() {
        let cost =
            Cost { prepare_fixed: 0.0, prepare_per_symbol: 0.0, block_fixed: 0.02, block_per_sample: 1e-5 };
        for (blocks, longest_ms, expected) in [
            (1..=12_000, 80, 1..=6_000),
            (1..=12_000, 1_000, 1..=12_000),
            (4_000..=12_000, 30, 4_000..=4_000),
            (1..=12_000, 5, 1..=1),
        ] {
            let description = description(blocks, cost, Duration::from_millis(longest_ms));
            let (given, expected) = (description.blocks_within_a_step(), expected);
            assert_eq!(given.start(), expected.start(), "{longest_ms} ms");
            assert!(given.end().abs_diff(*expected.end()) <= 1, "{longest_ms} ms: {given:?}");
        }
        let free = Cost { block_fixed: 0.0, block_per_sample: 0.0, ..cost };
        assert_eq!(description(1..=9, free, Duration::from_millis(1)).blocks_within_a_step(), 1..=9);
    }

    #[test]
    fn what_can_be_sustained_follows_from_the_cost_of_the_largest_block() {
        let cost = Cost {
            prepare_fixed: 9.0,
            prepare_per_symbol: 9.0,
            block_fixed: 0.1,
            block_per_sample: 0.1 / 12_000.0,
        };
        // half a second of sound for 0.2 s, two at once on three threads, of whose time half is used
        let description = description(1..=12_000, cost, Duration::from_secs(1));
        assert_eq!(description.sustainable_speeches(0.5), 7);
    }
}
