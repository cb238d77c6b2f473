//! Symbols to samples: all that must be known before the first sample, then sound in chunks.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use shruti_audio::{Resampler, SAMPLE_RATE};
use shruti_packs::{Manifest, Pack, PackError, PackFiles};

use crate::limiter::Limiter;
use crate::model::{self, Acoustics, Model, ModelInput, Source};
use crate::schedule::Chunks;
use crate::session::GraphError;
use crate::symbols::{SymbolError, SymbolSequence, SymbolTable};
use crate::threads::Threads;
use crate::trim::{Trim, kept};

/// A pack could not be made ready to speak.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Its files are not as they must be.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// Its symbols are wrong.
    #[error(transparent)]
    Symbols(#[from] SymbolError),
    /// Its graph is wrong.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The manifest says otherwise than the graph.
    #[error("{0}")]
    Mismatch(String),
}

/// How an utterance is to be spoken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The graph's number for the speaker; needed where it has several.
    pub speaker: Option<u32>,
    /// Rate of speaking, 0.25 to 4.0; 1.0 is the pack's own.
    pub speed: f32,
    /// Shift of the pitch in semitones, where the pack [can](Synthesiser::has_pitch); else it changes nothing.
    pub pitch: f32,
    /// Chooses the noise: the same seed gives the same samples.
    pub seed: u64,
    /// Silence behind it, in samples of 24,000 Hz.
    pub pause: usize,
    /// Which ends lose the silence that the graph makes, where it runs whole.
    pub trim: Trim,
    /// How its frames are cut into chunks; the samples do not depend on it.
    pub chunks: Chunks,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            speaker: None,
            speed: 1.0,
            pitch: 0.0,
            seed: 0,
            pause: 0,
            trim: Trim::default(),
            chunks: Chunks::default(),
        }
    }
}

/// A pack that is ready to speak. Speaking does not change it, so several threads may share it.
#[derive(Debug)]
pub struct Synthesiser {
    manifest: Manifest,
    symbols: SymbolTable,
    model: Box<dyn Model>,
    threads: Threads,
    /// At its first sample; each passage has a copy.
    resampler: Resampler,
    gain: f32,
}

/// An utterance on its way to sound. It holds all that is left to do: dropping it cancels it.
pub struct Passage {
    acoustics: Acoustics,
    chunks: Chunks,
    /// Frames that have become sound.
    done: usize,
    resampler: Resampler,
    limiter: Limiter,
    pause: usize,
    is_ended: bool,
}

impl fmt::Debug for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frames = self.acoustics.frames();
        f.debug_struct("Passage").field("frames", &frames).field("done", &self.done).finish_non_exhaustive()
    }
}

/// What an utterance will be.
#[derive(Debug, Serialize, Deserialize)]
pub struct PreparedPassage<P = Passage> {
    /// The utterance, at its first sample.
    pub passage: P,
    /// How many samples it will have, the pause included.
    pub samples: usize,
    /// When each word is spoken, in samples; empty where the pack does not [know](Synthesiser::has_word_times).
    pub words: Vec<Range<usize>>,
    /// How many frames each of the graph's symbols has, or its share of the sound in other units; empty where the pack
    /// does not know.
    pub durations: Vec<usize>,
}

impl Synthesiser {
    /// Loads a pack, whose files are compared with their checksums. Its runs use so many threads, at least 1;
    /// samples do not depend on how many. With 1, several callers run it at once, each on a thread of its own.
    pub fn load(pack: &Pack, threads: usize) -> Result<Self, LoadError> {
        let PackFiles { manifest, symbols, graph } = pack.open_graphs()?;
        let symbols = SymbolTable::parse(&symbols, &manifest.input)?;
        let threads = Threads::new(threads);
        let model = model::load(graph, &manifest.voices, &threads)?;
        let has_speakers = model.abilities().speakers;
        let wants_speakers = manifest.voices[0].speaker.is_some();
        if wants_speakers != has_speakers && (has_speakers || !manifest.graph.has_styles()) {
            let (has, says) = if has_speakers { ("several", "none") } else { ("no", "one") };
            let text =
                format!("the graph has {has} speakers, but pack.toml gives its voices {says} `speaker`");
            return Err(LoadError::Mismatch(text));
        }
        let resampler = Resampler::between(manifest.graph.rate(), SAMPLE_RATE);
        let gain = libm::powf(10.0, manifest.sound.gain_db / 20.0);
        Ok(Self { manifest, symbols, model, threads, resampler, gain })
    }

    /// How many threads a run uses.
    pub fn threads(&self) -> usize {
        self.threads.count()
    }

    /// Uses so many threads for a run from now on.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads.set(threads);
    }

    /// What the pack says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Its symbols.
    pub fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    /// Whether its pitch can be shifted.
    pub fn has_pitch(&self) -> bool {
        self.model.abilities().pitch
    }

    /// Whether it knows when each word is spoken.
    pub fn has_word_times(&self) -> bool {
        self.model.abilities().durations
    }

    /// Does all that must be done before the first sample.
    pub fn prepare(
        &self,
        sequence: &SymbolSequence,
        settings: &Settings,
    ) -> Result<PreparedPassage, GraphError> {
        let mut acoustics = self.model.prepare(&ModelInput {
            sequence,
            speaker: settings.speaker,
            speed: settings.speed.clamp(0.25, 4.0),
            pitch: settings.pitch,
            seed: settings.seed,
        })?;
        let all = acoustics.samples() as u64;
        let words = spoken(sequence, &acoustics.durations, all);
        let mut left = 0;
        if let Source::Samples { samples, .. } = &mut acoustics.source {
            let kept = kept(samples, self.manifest.graph.rate(), settings.trim, words);
            left = kept.start as u64;
            samples.truncate(kept.end);
            samples.drain(..kept.start);
        }
        let sound = self.resampler.output_len(acoustics.samples() as u64) as usize;
        let durations = acoustics.durations.clone();
        let twice = 2 * durations.iter().sum::<usize>().max(1) as u64;
        let words = word_times(sequence, &durations, |half_frames| {
            let at = (half_frames as u64 * all / twice).saturating_sub(left);
            (self.resampler.output_len(at) as usize).min(sound)
        });
        let passage = Passage {
            acoustics,
            chunks: settings.chunks,
            done: 0,
            resampler: self.resampler.clone(),
            limiter: Limiter::new(),
            pause: settings.pause,
            is_ended: false,
        };
        Ok(PreparedPassage { passage, samples: sound + settings.pause, words, durations })
    }

    /// Makes the next chunk: some samples of 24,000 Hz, or none at the end.
    pub fn next(&self, passage: &mut Passage) -> Result<Option<Vec<i16>>, GraphError> {
        if passage.is_ended {
            return Ok(None);
        }
        let total = passage.acoustics.frames();
        let chunk = passage.chunks.next(passage.done, total);
        let sound = passage.acoustics.sound(&chunk)?;
        passage.done = chunk.end;
        passage.chunks = passage.chunks.grown();
        let mut resampled = passage.resampler.process_floats(&sound);
        passage.is_ended = passage.done >= total;
        if passage.is_ended {
            resampled.extend(passage.resampler.finish_floats());
        }
        for sample in &mut resampled {
            *sample *= self.gain;
        }
        let mut samples = Vec::with_capacity(resampled.len() + passage.pause);
        passage.limiter.process(&resampled, &mut samples);
        if passage.is_ended {
            passage.limiter.finish(&mut samples);
            samples.extend(std::iter::repeat_n(0, passage.pause));
        }
        Ok(Some(samples))
    }
}

/// The samples from the first word to the last by the durations, of so many samples that all symbols have.
fn spoken(sequence: &SymbolSequence, durations: &[usize], all: u64) -> Option<Range<usize>> {
    let mut words = sequence.words.iter().filter(|word| !word.is_empty());
    let first = words.next()?;
    let last = words.next_back().unwrap_or(first);
    let frames = |end: usize| durations.get(..end).map(|before| before.iter().sum::<usize>() as u64);
    let total = frames(durations.len()).filter(|&total| total > 0)?;
    let at = |frames: u64| (u128::from(frames) * u128::from(all) / u128::from(total)) as usize;
    Some(at(frames(first.start)?)..at(frames(last.end)?))
}

/// When words are spoken, by the frames of their symbols: a word owns its symbols, and half of what stands beside
/// them, a blank mostly. `at` turns half frames into samples.
fn word_times(
    sequence: &SymbolSequence,
    durations: &[usize],
    at: impl Fn(usize) -> usize,
) -> Vec<Range<usize>> {
    if durations.is_empty() {
        return Vec::new();
    }
    let mut ends = vec![0];
    for frames in durations {
        ends.push(ends[ends.len() - 1] + frames);
    }
    let frames = |symbol: usize| durations.get(symbol).copied().unwrap_or(0);
    let mut spoken = 0;
    let mut time = |word: &Range<usize>| {
        if word.is_empty() {
            return spoken..spoken;
        }
        let is_ours = |symbol: usize| sequence.words.iter().any(|other| other.contains(&symbol));
        let half = |symbol: usize| if is_ours(symbol) { 0 } else { frames(symbol) };
        let before = word.start.checked_sub(1).map_or(0, half);
        let start = 2 * ends[word.start] - before;
        let end = 2 * ends[word.end] + half(word.end);
        let range = at(start)..at(end);
        spoken = range.end;
        range
    };
    sequence.words.iter().map(&mut time).collect()
}
