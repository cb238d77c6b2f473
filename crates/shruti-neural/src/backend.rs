//! Implementation of the engine's back-end trait for packs.

use std::time::{Duration, Instant};

use shruti_audio::SAMPLE_RATE;
use shruti_backend::{
    Backend, BackendError, Cost, Description, Job, Length, Licence, Prepared, Rendered, Style,
    VoiceDescription,
};
use shruti_lang::{Gender, Language, VoiceId};
use shruti_packs::{Commercial, Graph, Manifest, Pauses, Sex};
use shruti_text::utterance::{Break, Utterance};

use crate::parts::{self, PartSizes};
use crate::schedule::Chunks;
use crate::symbols::{SymbolError, SymbolSequence};
use crate::synthesis::{Synthesis, SynthesisError};
use crate::synthesiser::{Passage, Settings, Synthesiser};
use crate::trim::Trim;
use crate::writers::{Writer, WriterError};

/// Supported block sizes, in samples: up to 100 ms. With hop sizes like Piper's, every chunk is longer than a block, so
/// a step computes at most one chunk.
const BLOCKS: std::ops::RangeInclusive<usize> = 1..=2_400;
/// Maximum number of timed runs of a clause.
const RUNS: usize = 5;
/// Elapsed measurement time after which no further run starts.
const LONGEST_MEASUREMENT: Duration = Duration::from_secs(2);
/// Maximum duration of a step that runs on one thread. If steps take longer, each step is divided among all threads,
/// because a listener waits for the first step, and a client that cancels waits for the current one.
const LONG_STEP: Duration = Duration::from_millis(120);
/// Maximum number of symbols in the first part of an utterance when the graph runs as a whole.
const FIRST_PART: usize = 40;
/// Number of symbols in the timed clause, which lasts about 4 s.
const SYMBOLS: usize = 40;

/// Function that returns the length of the pause after an utterance, in samples at 24,000 Hz. Its arguments are the
/// closing break, the language and the speed of the utterance (1.0 is the language's usual rate). It is used for packs
/// whose graph does not generate pauses.
pub type PauseSamples = fn(Break, Language, f32) -> usize;

/// Reason why a pack cannot be used as a back end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendLoadError {
    /// No writer can produce the symbols of the pack.
    #[error(transparent)]
    Writer(#[from] WriterError),
    /// The pack could not synthesise the timed clause.
    #[error(transparent)]
    Synthesis(#[from] SynthesisError),
    /// The timed clause cannot be formed from the symbols of the pack.
    #[error(transparent)]
    Symbols(#[from] SymbolError),
}

/// A pack as a back end of the engine.
///
/// Each step runs on one thread, and several steps run concurrently. If steps would take too long, each step runs on
/// all threads, one step at a time.
#[derive(Debug)]
pub struct PackBackend<S = Synthesiser> {
    synthesiser: S,
    writer: Writer,
    pauses: PauseSamples,
    description: Description,
}

/// An utterance being rendered.
#[derive(Debug)]
pub struct PackRenderState<P = Passage> {
    passage: P,
    ready: Vec<i16>,
    /// Number of samples of `ready` that have already been returned.
    given: usize,
}

impl PackBackend {
    /// Maximum fraction of the threads' time that rendering may use. The rest is a reserve that keeps the latency low.
    pub const SHARE: f64 = 0.8;
}

impl<S: Synthesis> PackBackend<S> {
    /// Measures the cost of the pack on `threads` threads, which takes a few seconds, and builds its description.
    /// `pauses` is used only if the pack has [`Pauses::Ours`].
    pub fn new(mut synthesiser: S, threads: usize, pauses: PauseSamples) -> Result<Self, BackendLoadError> {
        let writer = Writer::of_pack(synthesiser.manifest())?;
        let threads = threads.max(1);
        synthesiser.set_threads(1);
        let mut measured = measure(&synthesiser)?;
        if threads > 1 && measured.longest_step > LONG_STEP {
            synthesiser.set_threads(threads);
            measured = measure(&synthesiser)?;
        }
        let manifest = synthesiser.manifest();
        let gender = |sex| match sex {
            Sex::Female => Gender::Female,
            Sex::Male => Gender::Male,
        };
        let voices = manifest.voices.iter().map(|voice| VoiceDescription {
            name: voice.name.as_str().into(),
            gender: voice.sex.map(gender),
            languages: voice.languages.clone(),
            pitch: synthesiser.has_pitch(),
        });
        let licence = &manifest.licence;
        let licence = Licence {
            spdx: licence.spdx.clone(),
            attribution: licence.attribution.clone(),
            commercial: match licence.commercial {
                Commercial::Yes => Some(true),
                Commercial::No => Some(false),
                Commercial::Unknown => None,
            },
        };
        let Measured { cost, longest_step, per_second } = measured;
        let step_threads = synthesiser.threads();
        let sustainable = (threads / step_threads) as f64 / per_second * PackBackend::SHARE;
        let description = Description {
            name: manifest.id.clone(),
            engine: "neural".to_owned(),
            sample_rate: SAMPLE_RATE,
            blocks: BLOCKS,
            cost,
            longest_step,
            batch: 1,
            threads,
            step_threads,
            max_speeches: (sustainable as usize).max(1),
            // the samples are deterministic on one machine, but not across processors
            deterministic: false,
            timestamps: synthesiser.has_word_times(),
            licence: Some(licence),
            voices: voices.collect(),
        };
        Ok(Self { synthesiser, writer, pauses, description })
    }

    fn speaker(&self, voice: &VoiceId) -> Result<Option<u32>, BackendError> {
        let voices = &self.synthesiser.manifest().voices;
        let found = voices.iter().find(|known| *voice == known.name.as_str());
        found.map(|known| known.speaker).ok_or_else(|| BackendError::Unsupported(format!("voice {voice}")))
    }

    fn sequence(&self, utterance: &Utterance) -> Result<SymbolSequence, SymbolError> {
        let table = self.synthesiser.symbols();
        table.sequence_of(&self.writer.write(utterance, &|symbol| table.contains(symbol)))
    }

    /// Returns the number of symbols of each word, including the preceding space and the following marks.
    fn count(&self, utterance: &Utterance) -> Vec<usize> {
        let table = self.synthesiser.symbols();
        let known = |symbol: &&String| table.contains(symbol);
        let written = self.writer.write(utterance, &|symbol| table.contains(symbol));
        let words = written.words.iter();
        words.map(|word| word.symbols.iter().filter(known).count() + word.marks.len() + 1).collect()
    }

    /// Returns the maximum number of symbols per part. A graph that runs as a whole computes an entire part before it
    /// returns the first sample, so the first part is short.
    fn part_sizes(&self) -> PartSizes {
        let Manifest { graph, input, .. } = self.synthesiser.manifest();
        let most = input.max_symbols;
        match graph {
            Graph::Whole(_) => PartSizes { first: FIRST_PART, most },
            Graph::Vits(_) | Graph::AcousticVocoder(_) => PartSizes { first: most, most },
        }
    }
}

impl<S: Synthesis> Backend for PackBackend<S> {
    type RenderState = PackRenderState<S::Passage>;

    fn description(&self) -> &Description {
        &self.description
    }

    fn parts(&self, utterance: Utterance) -> Vec<Utterance> {
        let part = utterance.index as usize;
        parts::cut(utterance, part, self.part_sizes(), |utterance| self.count(utterance))
    }

    fn prepare(
        &self,
        utterance: &Utterance,
        style: &Style,
    ) -> Result<Prepared<PackRenderState<S::Passage>>, BackendError> {
        if style.pitch != 0.0 && !self.synthesiser.has_pitch() {
            return Err(BackendError::Unsupported("a pitch shift".to_owned()));
        }
        let speaker = self.speaker(&style.voice)?;
        let unsupported = |error: SymbolError| BackendError::Unsupported(error.to_string());
        let sequence = self.sequence(utterance).map_err(unsupported)?;
        let speed = style.speed_of(utterance);
        let closing = utterance.words.last().map_or(Break::None, |word| word.break_after);
        let makes_pauses = self.synthesiser.manifest().sound.pauses == Pauses::Graph;
        // a pause that the graph generates at the end of a clause is kept
        let trim = Trim { start: true, end: !(makes_pauses && closing != Break::None) };
        let pause = match self.synthesiser.manifest().sound.pauses {
            Pauses::Ours => (self.pauses)(closing, utterance.language, speed),
            Pauses::Graph => 0,
        };
        let settings = Settings {
            speaker,
            speed,
            pitch: style.pitch,
            seed: utterance.index.into(),
            pause,
            trim,
            chunks: Chunks::default(),
        };
        let prepared = self.synthesiser.prepare(&sequence, &settings).map_err(failed)?;
        Ok(Prepared {
            render_state: PackRenderState { passage: prepared.passage, ready: Vec::new(), given: 0 },
            length: Length::Exact(prepared.samples),
            word_times: prepared.words,
        })
    }

    fn render(&self, batch: &mut [Job<'_, PackRenderState<S::Passage>>]) {
        for job in batch {
            let filled = fill(&self.synthesiser, job.render_state, job.block);
            job.outcome = filled.map(Rendered::Samples).map_err(failed);
        }
    }

    fn is_usable(&self) -> bool {
        self.synthesiser.is_usable()
    }
}

/// Fills a block with the next samples. Returns the number of samples written, which is less than the length of the
/// block only at the end of the audio.
fn fill<S: Synthesis>(
    synthesiser: &S,
    state: &mut PackRenderState<S::Passage>,
    block: &mut [i16],
) -> Result<usize, SynthesisError> {
    let mut written = 0;
    while written < block.len() {
        let ready = &state.ready[state.given..];
        if ready.is_empty() {
            match synthesiser.next(&mut state.passage)? {
                Some(samples) => (state.ready, state.given) = (samples, 0),
                None => break,
            }
            continue;
        }
        let count = ready.len().min(block.len() - written);
        block[written..written + count].copy_from_slice(&ready[..count]);
        written += count;
        state.given += count;
    }
    Ok(written)
}

fn failed(error: SynthesisError) -> BackendError {
    match error {
        SynthesisError::Graph(error) => BackendError::Failed(error.to_string()),
        SynthesisError::Unavailable { reason, retry_after } => {
            BackendError::Unavailable { reason, retry_after }
        }
    }
}

/// Cost of a pack on the threads that its synthesiser uses.
struct Measured {
    cost: Cost,
    longest_step: Duration,
    /// Seconds of computation per second of audio.
    per_second: f64,
}

/// Times the synthesis of a clause several times and returns the medians.
fn measure(synthesiser: &impl Synthesis) -> Result<Measured, BackendLoadError> {
    let sequence = synthesiser.symbols().sample(SYMBOLS)?;
    let speaker = synthesiser.manifest().voices[0].speaker;
    let (mut front, mut chunks, mut longest, mut samples) = (Vec::new(), Vec::new(), Vec::new(), 1);
    let begun = Instant::now();
    while front.is_empty() || front.len() < RUNS && begun.elapsed() < LONGEST_MEASUREMENT {
        let began = Instant::now();
        let mut prepared = synthesiser.prepare(&sequence, &Settings { speaker, ..Settings::default() })?;
        let mut last = Instant::now();
        let front_time = last - began;
        let (mut all, mut most) = (Duration::ZERO, front_time);
        while synthesiser.next(&mut prepared.passage)?.is_some() {
            let now = Instant::now();
            all += now - last;
            most = most.max(now - last);
            last = now;
        }
        samples = prepared.samples.max(1);
        front.push(front_time);
        chunks.push(all);
        longest.push(most);
    }
    let [front, chunks, longest_step] = [front, chunks, longest].map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    });
    let cost = Cost {
        prepare_fixed: 0.0,
        prepare_per_symbol: front.as_secs_f64() / SYMBOLS as f64,
        block_fixed: 0.0,
        block_per_sample: chunks.as_secs_f64() / samples as f64,
    };
    let seconds = samples as f64 / f64::from(SAMPLE_RATE);
    let per_second = (front + chunks).as_secs_f64().max(1e-6) / seconds;
    Ok(Measured { cost, longest_step, per_second })
}
