//! Symbols to samples: the front of a graph run whole, its decoder in chunks.

use std::fmt;
use std::ops::Range;

use rten::{Value, ValueOrView};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};
use shruti_audio::{Resampler, SAMPLE_RATE};

use crate::limiter::Limiter;
use crate::manifest::Manifest;
use crate::noise::noise;
use crate::pack::{Pack, PackError};
use crate::schedule::Chunks;
use crate::session::{GraphError, Session};
use crate::symbols::{SymbolError, SymbolSequence, SymbolTable};
use crate::threads::Threads;

/// What the inputs of a front are called, in their order; then come those of its noise, and the speaker where there are
/// several.
pub(crate) const INPUTS: [&str; 3] = ["input", "input_lengths", "scales"];
/// What the input for a speaker is called.
pub(crate) const SPEAKER: &str = "sid";
/// What the names of noise inputs begin with; a number follows.
pub(crate) const NOISE: &str = "noise_";

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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The graph's number for the speaker; needed where it has several.
    pub speaker: Option<u32>,
    /// Rate of speaking, 0.25 to 4.0; 1.0 is the pack's own.
    pub speed: f32,
    /// Chooses the noise: the same seed gives the same samples.
    pub seed: u64,
    /// Silence behind it, in samples of 24,000 Hz.
    pub pause: usize,
    /// How its frames are cut into chunks; the samples do not depend on it.
    pub chunks: Chunks,
}

impl Default for Settings {
    fn default() -> Self {
        Self { speaker: None, speed: 1.0, seed: 0, pause: 0, chunks: Chunks::default() }
    }
}

/// A pack that is ready to speak. Speaking does not change it, so several threads may share it.
#[derive(Debug)]
pub struct Synthesiser {
    manifest: Manifest,
    symbols: SymbolTable,
    front: Session,
    decoder: Session,
    noises: usize,
    has_speakers: bool,
    threads: Threads,
    /// At its first sample; each passage has a copy.
    resampler: Resampler,
    gain: f32,
}

/// An utterance on its way to sound. It holds all that is left to do: dropping it cancels it.
pub struct Passage {
    frames: NdTensor<f32, 3>,
    conditions: Vec<Value>,
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
        let frames = self.frames.size(2);
        f.debug_struct("Passage").field("frames", &frames).field("done", &self.done).finish_non_exhaustive()
    }
}

/// What an utterance will be.
#[derive(Debug)]
pub struct PreparedPassage {
    /// The utterance, at its first sample.
    pub passage: Passage,
    /// How many samples it will have, the pause included.
    pub samples: usize,
    /// When each word is spoken, in samples.
    pub words: Vec<Range<usize>>,
    /// How many frames each of the graph's symbols has.
    pub durations: Vec<usize>,
}

impl Synthesiser {
    /// Loads a pack, whose files are compared with their checksums. Its runs use so many threads, at least 1;
    /// samples do not depend on how many. With 1, several callers run it at once, each on a thread of its own.
    pub fn load(pack: &Pack, threads: usize) -> Result<Self, LoadError> {
        let manifest = pack.manifest().clone();
        let table = pack.read(&manifest.input.symbols)?;
        let table = String::from_utf8_lossy(&table);
        let symbols = SymbolTable::parse(&table, &manifest.input)?;
        let threads = Threads::new(threads);
        let front = Session::load("front", pack.read(&manifest.graph.files.front)?, &threads)?;
        let decoder = Session::load("decoder", pack.read(&manifest.graph.files.decoder)?, &threads)?;
        let resampler = Resampler::between(manifest.graph.rate, SAMPLE_RATE);
        let gain = libm::powf(10.0, manifest.sound.gain_db / 20.0);
        let (noises, has_speakers) = front_inputs(&front)?;
        decoder_inputs(&front, &decoder)?;
        let wants_speakers = manifest.voices[0].speaker.is_some();
        if wants_speakers != has_speakers {
            let (has, says) = if has_speakers { ("has", "none") } else { ("has no", "one") };
            let text =
                format!("the graph {has} input `{SPEAKER}`, but pack.toml gives its voices {says} `speaker`");
            return Err(LoadError::Mismatch(text));
        }
        Ok(Self { manifest, symbols, front, decoder, noises, has_speakers, threads, resampler, gain })
    }

    /// How many threads a run uses.
    pub fn threads(&self) -> usize {
        self.threads.count()
    }

    /// Uses so many threads for a run from now on.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = Threads::new(threads);
        self.front.set_threads(&self.threads);
        self.decoder.set_threads(&self.threads);
    }

    /// What the pack says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Its symbols.
    pub fn symbols(&self) -> &SymbolTable {
        &self.symbols
    }

    /// Runs the front: all that must be known before the first sample.
    pub fn prepare(
        &self,
        sequence: &SymbolSequence,
        settings: &Settings,
    ) -> Result<PreparedPassage, GraphError> {
        let mut scales = self.manifest.graph.scales;
        scales.length /= settings.speed.clamp(0.25, 4.0);
        let outputs = run_front(
            &self.front,
            &FrontInput {
                ids: &sequence.ids,
                scales: [scales.noise, scales.length, scales.duration_noise],
                speaker: self.has_speakers.then_some(settings.speaker.unwrap_or(0)),
                noises: self.noises,
                seed: settings.seed,
            },
        )?;
        let FrontOutput { frames, durations, conditions } = outputs;
        let hop = self.manifest.graph.hop;
        let sound = self.resampler.output_len((frames.size(2) * hop) as u64) as usize;
        let words = word_times(sequence, &durations, |half_frames| {
            let samples = half_frames as u64 * hop as u64 / 2;
            (self.resampler.output_len(samples) as usize).min(sound)
        });
        let passage = Passage {
            frames,
            conditions,
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
        let total = passage.frames.size(2);
        let chunk = passage.chunks.next(passage.done, total);
        let sound = self.decode(passage, &chunk)?;
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

    /// The graph's samples of a chunk, made with context.
    fn decode(&self, passage: &Passage, chunk: &Range<usize>) -> Result<Vec<f32>, GraphError> {
        let graph = &self.manifest.graph;
        decode(&self.decoder, &passage.frames, &passage.conditions, chunk, graph.context, graph.hop)
    }
}

/// What goes into a front.
pub(crate) struct FrontInput<'a> {
    pub ids: &'a [i32],
    pub scales: [f32; 3],
    pub speaker: Option<u32>,
    pub noises: usize,
    pub seed: u64,
}

/// What a front gives.
pub(crate) struct FrontOutput {
    pub frames: NdTensor<f32, 3>,
    pub durations: Vec<usize>,
    pub conditions: Vec<Value>,
}

impl FrontInput<'_> {
    /// Its values in the order of the graph's inputs.
    pub(crate) fn values(&self) -> Vec<ValueOrView<'static>> {
        let count = self.ids.len();
        let mut values: Vec<ValueOrView<'static>> = vec![
            Value::from(NdTensor::from_data([1, count], self.ids.to_vec())).into(),
            Value::from(NdTensor::from_data([1], vec![count.cast_signed() as i32])).into(),
            Value::from(NdTensor::from_data([3], self.scales.to_vec())).into(),
        ];
        for input in 0..self.noises {
            let table = noise(self.seed, input);
            values.push(rten_tensor::NdTensorView::from_data([table.len()], table).into());
        }
        if let Some(speaker) = self.speaker {
            values.push(Value::from(NdTensor::from_data([1], vec![speaker.cast_signed()])).into());
        }
        values
    }
}

/// Runs a front and checks what it gives.
pub(crate) fn run_front(front: &Session, input: &FrontInput<'_>) -> Result<FrontOutput, GraphError> {
    let mut outputs = front.run(input.values())?.into_iter();
    let wrong = |output: &str, found: String, expected: String| GraphError::Output {
        graph: front.name().to_owned(),
        output: output.to_owned(),
        found,
        expected,
    };
    let missing = || wrong("frames", "missing".to_owned(), "there".to_owned());
    let frames = front.floats(outputs.next().ok_or_else(missing)?, "frames")?;
    let durations = front.floats(outputs.next().ok_or_else(missing)?, "durations")?;
    if frames.size(0) != 1 || frames.size(2) == 0 {
        return Err(wrong(
            "frames",
            format!("of shape {:?}", frames.shape()),
            "one batch of frames".to_owned(),
        ));
    }
    let counts: Vec<usize> = durations.iter().map(|&frames| frames.max(0.0) as usize).collect();
    let total: usize = counts.iter().sum();
    if counts.len() != input.ids.len() || total.max(1) != frames.size(2) {
        let found = format!("{total} frames for {} symbols", counts.len());
        let expected = format!("{} frames for {} symbols", frames.size(2), input.ids.len());
        return Err(wrong("durations", found, expected));
    }
    Ok(FrontOutput { frames, durations: counts, conditions: outputs.collect() })
}

/// The samples of some frames: those around them go in, too, and their samples are left out.
pub(crate) fn decode(
    decoder: &Session,
    frames: &NdTensor<f32, 3>,
    conditions: &[Value],
    chunk: &Range<usize>,
    context: usize,
    hop: usize,
) -> Result<Vec<f32>, GraphError> {
    let total = frames.size(2);
    let window = chunk.start.saturating_sub(context)..(chunk.end + context).min(total);
    let part: Tensor<f32> = frames.slice((.., .., window.clone())).to_tensor().into_dyn();
    let mut inputs: Vec<ValueOrView<'_>> = vec![Value::from(part).into()];
    inputs.extend(conditions.iter().map(|value| ValueOrView::from(value.as_view())));
    let output = decoder.run(inputs)?.into_iter().next();
    let wrong = |found: String| GraphError::Output {
        graph: decoder.name().to_owned(),
        output: "samples".to_owned(),
        found,
        expected: format!("{} samples for {} frames", window.len() * hop, window.len()),
    };
    let output = decoder.floats(output.ok_or_else(|| wrong("missing".to_owned()))?, "samples")?;
    if output.len() != window.len() * hop {
        return Err(wrong(format!("of shape {:?}", output.shape())));
    }
    let begin = (chunk.start - window.start) * hop;
    Ok(output.into_data()[begin..begin + chunk.len() * hop].to_vec())
}

/// How many noise inputs a front has, and whether it has one for a speaker.
pub(crate) fn front_inputs(front: &Session) -> Result<(usize, bool), GraphError> {
    let names = front.inputs();
    let interface = |reason: String| GraphError::Interface { graph: front.name().to_owned(), reason };
    let rest = names
        .strip_prefix(&INPUTS.map(str::to_owned))
        .ok_or_else(|| interface(format!("its inputs are {names:?}; they must begin with {INPUTS:?}")))?;
    let has_speakers = rest.last().is_some_and(|name| name == SPEAKER);
    let noises = rest.len() - usize::from(has_speakers);
    if let Some(at) = (0..noises).find(|&at| rest[at] != format!("{NOISE}{at}")) {
        return Err(interface(format!("its input `{}` is none that a front has", rest[at])));
    }
    let outputs = front.outputs().len();
    if outputs < 2 {
        return Err(interface(format!("{outputs} outputs; frames and durations are needed")));
    }
    Ok((noises, has_speakers))
}

fn decoder_inputs(front: &Session, decoder: &Session) -> Result<(), GraphError> {
    let (given, taken) = (front.outputs().len() - 1, decoder.inputs().len());
    if given != taken || decoder.outputs().len() != 1 {
        let outputs = decoder.outputs().len();
        let reason =
            format!("{taken} inputs and {outputs} outputs; the front's outputs ask for {given} and 1");
        return Err(GraphError::Interface { graph: decoder.name().to_owned(), reason });
    }
    Ok(())
}

/// When words are spoken, by the frames of their symbols: a word owns its symbols, and half of what stands beside
/// them, a blank mostly. `at` turns half frames into samples.
fn word_times(
    sequence: &SymbolSequence,
    durations: &[usize],
    at: impl Fn(usize) -> usize,
) -> Vec<Range<usize>> {
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
