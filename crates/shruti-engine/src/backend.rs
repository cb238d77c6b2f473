//! What a voice must be able to do: the trait between text and sound.

use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use shruti_protocol::{Gender, Language, VoiceId};
use shruti_text::utterance::Utterance;

/// An engine that gives one or more voices their sound.
///
/// It works in two steps. [`prepare`](Self::prepare) takes an utterance, may be long, and gives a *passage*: a
/// value that renders itself block by block and depends on nothing else. [`render`](Self::render) makes the next
/// block of one passage, or of several at once where the back end gains from it.
///
/// Both steps are called from the back end's own threads, several at a time when it asks for several. A step is
/// never stopped inside; what it made for a speech that has been cancelled meanwhile is thrown away.
///
/// The same utterance in the same style must give the same samples, however large the blocks asked for and
/// whatever else is being rendered, unless the description says that the back end is not deterministic.
///
/// A panic ends the speeches that took part in the step, and nothing else; their passages are dropped. `self`
/// must stay usable after it.
pub trait Backend: Send + Sync + 'static {
    /// An utterance on its way to sound.
    type Passage: Send + 'static;

    /// What the back end is and can do; the same at every call.
    fn description(&self) -> &Description;

    /// Prepares an utterance: everything that must be known before its first sample.
    fn prepare(&self, utterance: &Utterance, style: &Style) -> Result<Prepared<Self::Passage>, BackendError>;

    /// Renders the next block of each job: from 1 to [`Description::batch`] of them.
    fn render(&self, batch: &mut [Job<'_, Self::Passage>]);
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
    /// How long a call of [`Backend::render`] takes, about, for a full batch of blocks of the largest size.
    pub block_cost: Duration,
    /// How many passages one call renders at most; at least 1.
    pub batch: usize,
    /// How many threads it wants; at least 1.
    pub threads: usize,
    /// How many speeches it takes on at once. [`Description::sustainable_speeches`] is what it can keep up with.
    pub max_speeches: usize,
    /// Whether the same request gives the same samples.
    pub deterministic: bool,
    /// Whether it knows when each word is spoken.
    pub timestamps: bool,
    /// The voices it gives; their names are matched without regard to case. The first voice of an engine's first back
    /// end speaks where no voice is named.
    pub voices: Vec<VoiceDescription>,
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
}

impl Description {
    /// How many listeners can be served in real time when every call costs [`block_cost`](Self::block_cost) and
    /// a `share` (0.0 to 1.0) of the threads' time is spent on rendering.
    pub fn sustainable_speeches(&self, share: f64) -> usize {
        let block = *self.blocks.end() as f64 / f64::from(self.sample_rate);
        let cost = self.block_cost.as_secs_f64().max(f64::MIN_POSITIVE);
        (block / cost * (self.batch * self.threads) as f64 * share) as usize
    }
}

/// How a text is to be spoken.
#[derive(Clone, Debug, PartialEq)]
pub struct Style {
    /// The voice, in its canonical spelling.
    pub voice: VoiceId,
    /// Rate of speaking, 0.5 to 2.0; 1.0 is the voice's own.
    pub speed: f32,
    /// Shift of the pitch in semitones, -6.0 to 6.0.
    pub pitch: f32,
}

/// What [`Backend::prepare`] gives.
#[derive(Debug)]
pub struct Prepared<P> {
    /// The passage, at its first sample.
    pub passage: P,
    /// How long it will be; with the description's block cost this says what rendering it will cost.
    pub length: Length,
    /// When each word of the utterance is spoken, in samples of the passage, in the order of the words. Empty
    /// where the back end does not know.
    pub word_times: Vec<Range<usize>>,
}

/// The length of a passage in samples.
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

/// One passage's part in a call of [`Backend::render`].
#[derive(Debug)]
pub struct Job<'a, P> {
    /// The passage to go on with.
    pub passage: &'a mut P,
    /// Where its next samples go; its length lies within [`Description::blocks`]. Filled with zeros.
    pub block: &'a mut [i16],
    /// For the back end to set: how many samples it wrote. Fewer than the block holds means that the passage has
    /// ended.
    pub outcome: Result<usize, BackendError>,
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
}
