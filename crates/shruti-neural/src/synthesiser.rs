//! Synthesis of samples from symbols: all computation before the first sample, then the samples in chunks.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use shruti_audio::{Resampler, SAMPLE_RATE};
use shruti_packs::{Manifest, Pack, PackFiles};

use crate::limiter::Limiter;
use crate::load_error::LoadError;
use crate::model::{self, Acoustics, Model, ModelInput, Source};
use crate::schedule::Chunks;
use crate::session::GraphError;
use crate::symbols::{SymbolSequence, SymbolTable};
use crate::threads::Threads;
use crate::trim::{Trim, kept_range};

/// Synthesis parameters of an utterance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Number of the speaker in the graph. Required if the graph has several speakers.
    pub speaker: Option<u32>,
    /// Speaking rate, 0.25 to 4.0; 1.0 is the pack's own rate.
    pub speed: f32,
    /// Pitch shift in semitones. Ignored if the pack does not [support](Synthesiser::has_pitch) pitch shifts.
    pub pitch: f32,
    /// Seed of the noise. The same seed produces the same samples.
    pub seed: u64,
    /// Silence after the utterance, in samples at 24,000 Hz.
    pub pause: usize,
    /// Ends at which the silence that the graph generates is trimmed. Applies only to graphs that run as a whole.
    pub trim: Trim,
    /// Chunk sizes. The samples do not depend on the sizes.
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

/// A loaded pack that is ready for synthesis. Synthesis does not change this value, so several threads can share it.
#[derive(Debug)]
pub struct Synthesiser {
    manifest: Manifest,
    symbols: SymbolTable,
    model: Box<dyn Model>,
    threads: Threads,
    /// Resampler in its initial state. Each passage has a copy.
    resampler: Resampler,
    gain: f32,
}

/// An utterance that is being synthesised. It contains all remaining work, so dropping it cancels the utterance.
pub struct Passage {
    acoustics: Acoustics,
    chunks: Chunks,
    /// Number of frames that have been converted to samples.
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

/// A prepared utterance with its length and word timestamps.
#[derive(Debug, Serialize, Deserialize)]
pub struct PreparedPassage<P = Passage> {
    /// The utterance, positioned at its first sample.
    pub passage: P,
    /// Total number of samples, including the pause.
    pub samples: usize,
    /// Sample range of each word; empty if the pack does not [report](Synthesiser::has_word_times) word timestamps.
    pub words: Vec<Range<usize>>,
    /// Duration of each of the graph's symbols, in frames or in units of the graph; empty if the graph does not output
    /// durations.
    pub durations: Vec<usize>,
}

impl Synthesiser {
    /// Loads a pack and compares its files with their checksums. Each run uses `threads` threads, at least 1; the
    /// samples do not depend on the number. With 1 thread per run, several callers run the graph concurrently, each on
    /// its own thread.
    pub fn load(pack: &Pack, threads: usize) -> Result<Self, LoadError> {
        let PackFiles { manifest, symbols, graph } = pack.open_graphs()?;
        let symbols = SymbolTable::parse(&symbols, &manifest.input)?;
        let threads = Threads::new(threads);
        let model = model::load(graph, &manifest.voices, &threads)?;
        let has_speakers = model.abilities().speakers;
        let wants_speakers = manifest.voices[0].speaker.is_some();
        if wants_speakers != has_speakers && (has_speakers || !manifest.graph.has_styles()) {
            let (has, says) = if has_speakers { ("several", "have no") } else { ("no", "have a") };
            let text = format!("the graph has {has} speakers, but the voices in pack.toml {says} `speaker`");
            return Err(LoadError::Mismatch(text));
        }
        let resampler = Resampler::between(manifest.graph.rate(), SAMPLE_RATE);
        let gain = libm::powf(10.0, manifest.sound.gain_db / 20.0);
        Ok(Self { manifest, symbols, model, threads, resampler, gain })
    }

    /// Returns the number of threads per run.
    pub fn threads(&self) -> usize {
        self.threads.count()
    }

    /// Sets the number of threads for later runs.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads.set(threads);
    }

    /// Returns the manifest of the pack.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the symbol table of the pack.
    pub fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    /// Returns whether the pitch can be shifted.
    pub fn has_pitch(&self) -> bool {
        self.model.abilities().pitch
    }

    /// Returns whether the pack reports word timestamps.
    pub fn has_word_times(&self) -> bool {
        self.model.abilities().durations
    }

    /// Performs all computation that must precede the first sample, and returns the prepared utterance.
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
            let range = kept_range(samples, self.manifest.graph.rate(), settings.trim, words);
            left = range.start as u64;
            samples.truncate(range.end);
            samples.drain(..range.start);
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

    /// Computes the next chunk of samples at 24,000 Hz, or returns `None` at the end.
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

/// Returns the sample range from the first word to the last, derived from the durations. `all` is the number of samples
/// of all symbols.
fn spoken(sequence: &SymbolSequence, durations: &[usize], all: u64) -> Option<Range<usize>> {
    let mut words = sequence.words.iter().filter(|word| !word.is_empty());
    let first = words.next()?;
    let last = words.next_back().unwrap_or(first);
    let frames = |end: usize| durations.get(..end).map(|before| before.iter().sum::<usize>() as u64);
    let total = frames(durations.len()).filter(|&total| total > 0)?;
    let at = |frames: u64| (u128::from(frames) * u128::from(all) / u128::from(total)) as usize;
    Some(at(frames(first.start)?)..at(frames(last.end)?))
}

/// Returns the sample range of each word, derived from the frames of its symbols. A word includes its own symbols and
/// half of each adjacent separator, which is usually a blank. `at` converts half frames to samples.
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
