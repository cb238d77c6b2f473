//! Single-threaded tests of the engine: tests run the steps one by one and advance the clock.

mod clauses;
mod faults;
mod model;
mod overriding;
mod routes;
mod scheduling;
mod shared;
mod speeches;
mod waiting;

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use shruti_backend::{
    Backend, BackendError, Cost, Description, Job, Length, Prepared, Rendered, Style, VoiceDescription,
};
use shruti_clock::{Clock, TestClock};
use shruti_lang::{Language, VoiceId};
use shruti_text::utterance::Utterance;

use crate::chunk::Chunk;
use crate::engine::{Engine, EngineBuilder};
use crate::error::{Fault, SpeakError};
use crate::speech::{Request, Speech};
use crate::stats::Stats;

/// Samples per word of the counting voice: about 200 ms. The end of a word coincides with the end of a chunk only after
/// every twelfth word.
pub(crate) const WORD: usize = 5_000;

/// Word on which the counting voice panics in `prepare`.
pub(crate) const UNPREPARABLE: &str = "गिरना";
/// Word on which `prepare` returns an error.
pub(crate) const UNSPEAKABLE: &str = "अबोल";
/// Word on which the counting voice panics in `render`, after the first word of the utterance.
pub(crate) const UNRENDERABLE: &str = "टूटना";
/// Word on which `render` returns an error, after the first word of the utterance.
pub(crate) const BREAKING: &str = "रुकना";

/// A voice whose samples encode their position, so that lost, duplicated or misplaced samples are detected.
///
/// Some words cause failures; see the constants above.
pub(crate) struct Counting {
    pub(crate) description: Description,
    pub(crate) log: Arc<Mutex<Vec<Call>>>,
    /// Function that is called in every render step.
    pub(crate) inside: Arc<Mutex<Inside>>,
    /// Whether the samples are negative, to distinguish them from the samples of another back end.
    is_negative: bool,
    most_words: usize,
}

type Inside = Box<dyn FnMut() + Send>;

/// A call to the counting voice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// `prepare` was called for an utterance of this voice.
    Prepared(String),
    /// `render` was called for streams of these voices.
    Rendered(Vec<String>),
}

pub(crate) struct CountingState {
    /// Name of the voice, which distinguishes the streams.
    style: VoiceId,
    next: usize,
    end: usize,
    harm: Option<&'static str>,
}

impl Counting {
    pub(crate) fn new(batch: usize, blocks: std::ops::RangeInclusive<usize>) -> Self {
        let voices = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let description = Description {
            name: "counting".to_owned(),
            engine: "test".to_owned(),
            sample_rate: 24_000,
            blocks,
            cost: Cost {
                prepare_fixed: 0.0,
                prepare_per_symbol: 0.0,
                block_fixed: 1e-3,
                block_per_sample: 0.0,
            },
            longest_step: Duration::from_secs(1),
            batch,
            threads: 2,
            step_threads: 1,
            max_speeches: 8,
            deterministic: true,
            timestamps: true,
            licence: None,
            voices: voices
                .map(|name| VoiceDescription {
                    name: name.into(),
                    gender: None,
                    languages: Language::ALL.to_vec(),
                    pitch: true,
                })
                .to_vec(),
        };
        Self {
            description,
            log: Arc::default(),
            inside: Arc::new(Mutex::new(Box::new(|| ()))),
            is_negative: false,
            most_words: usize::MAX,
        }
    }

    /// Lets the back end split utterances into parts of `words` words.
    pub(crate) fn in_parts(mut self, words: usize) -> Self {
        self.most_words = words;
        self
    }

    pub(crate) fn negative(mut self) -> Self {
        self.is_negative = true;
        self
    }

    /// Keeps only those languages of each voice for which `gives` returns true.
    pub(crate) fn with_only(mut self, gives: impl Fn(&str, Language) -> bool) -> Self {
        for voice in &mut self.description.voices {
            voice.languages.retain(|&language| gives(voice.name.as_str(), language));
        }
        self.description.voices.retain(|voice| !voice.languages.is_empty());
        self
    }
}

impl Backend for Counting {
    type RenderState = CountingState;

    fn description(&self) -> &Description {
        &self.description
    }

    fn parts(&self, utterance: Utterance) -> Vec<Utterance> {
        let places: Vec<usize> = (0..utterance.words.len()).step_by(self.most_words).collect();
        utterance.split(&places)
    }

    fn prepare(&self, utterance: &Utterance, style: &Style) -> Result<Prepared<CountingState>, BackendError> {
        self.log.lock().unwrap().push(Call::Prepared(style.voice.to_string()));
        let voice = self.description.voices.iter().find(|voice| voice.name == style.voice).unwrap();
        assert!(voice.languages.contains(&utterance.language), "asked for {}", utterance.language);
        let says = |harm: &str| utterance.words.iter().any(|word| word.text == harm);
        assert!(!says(UNPREPARABLE), "intentional panic");
        if says(UNSPEAKABLE) {
            return Err(BackendError::Unsupported("intentional panic".to_owned()));
        }
        let words = utterance.words.len();
        let render_state = CountingState {
            style: style.voice.clone(),
            next: 0,
            end: words * WORD,
            harm: [UNRENDERABLE, BREAKING].into_iter().find(|harm| says(harm)),
        };
        let known = if self.description.timestamps { words } else { 0 };
        let word_times = (0..known).map(|word| word * WORD..(word + 1) * WORD).collect();
        Ok(Prepared { render_state, length: Length::Exact(words * WORD), word_times })
    }

    fn render(&self, batch: &mut [Job<'_, CountingState>]) {
        (self.inside.lock().unwrap())();
        let names = batch.iter().map(|job| job.render_state.style.to_string()).collect();
        self.log.lock().unwrap().push(Call::Rendered(names));
        for job in batch {
            let render_state = &mut *job.render_state;
            let written = job.block.len().min(render_state.end - render_state.next);
            for sample in &mut job.block[..written] {
                *sample = sample_at(render_state.next) * if self.is_negative { -1 } else { 1 };
                render_state.next += 1;
            }
            // the failure happens after the first word of the utterance
            job.outcome = match render_state.harm.filter(|_| render_state.next > WORD) {
                Some(harm) if harm == BREAKING => Err(BackendError::Failed("intentional panic".to_owned())),
                Some(_) => panic!("intentional panic"),
                None => Ok(Rendered::Samples(written)),
            };
        }
    }
}

/// An engine without threads. The test runs its steps.
pub(crate) struct ManualEngine {
    pub(crate) engine: Arc<Engine>,
    pub(crate) clock: Arc<TestClock>,
    /// Log of the calls to all back ends.
    pub(crate) log: Arc<Mutex<Vec<Call>>>,
    /// Function that the first back end calls in every render step.
    pub(crate) inside: Arc<Mutex<Inside>>,
}

impl ManualEngine {
    pub(crate) fn new(backend: Counting) -> Self {
        Self::with([backend])
    }

    pub(crate) fn with<const N: usize>(mut backends: [Counting; N]) -> Self {
        let clock = Arc::new(TestClock::new());
        let (log, inside) = (Arc::clone(&backends[0].log), Arc::clone(&backends[0].inside));
        for backend in &mut backends {
            backend.log = Arc::clone(&log);
        }
        let as_clock: Arc<dyn Clock> = Arc::clone(&clock) as _;
        let builder = Engine::builder().clock(as_clock).max_speeches(100).max_unspoken(1_000);
        let engine = backends.into_iter().fold(builder, EngineBuilder::backend);
        Self { engine: Arc::new(engine.build_without_threads().unwrap()), clock, log, inside }
    }

    pub(crate) fn speak(&self, voice: &str) -> Result<Speech, SpeakError> {
        self.engine.speak(Request { language: Some(Language::Hindi), ..Request::new(voice) })
    }

    pub(crate) fn speak_text(&self, voice: &str, text: &str) -> Speech {
        let mut speech = self.speak(voice).unwrap();
        speech.push(text).unwrap();
        speech.finish();
        speech
    }

    /// Runs a step of the first back end; returns `false` if there is none.
    pub(crate) fn step(&self) -> bool {
        self.engine.step_of(0)
    }

    /// Runs steps until no back end has a queued step; returns the number of steps.
    pub(crate) fn run_dry(&self) -> usize {
        let any = || (0..self.engine.backends().len()).any(|backend| self.engine.step_of(backend));
        std::iter::from_fn(|| any().then_some(())).count()
    }

    /// Returns the statistics of the first back end.
    pub(crate) fn stats(&self) -> Stats {
        self.stats_of(0)
    }

    /// Returns the statistics of a back end.
    pub(crate) fn stats_of(&self, backend: usize) -> Stats {
        self.engine.backends()[backend].stats
    }

    /// Returns the calls since the last invocation.
    pub(crate) fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }

    /// Runs steps and reads chunks until the stream has ended.
    pub(crate) fn listen(&self, speech: &mut Speech) -> Result<Vec<Chunk>, Fault> {
        let mut chunks = Vec::new();
        loop {
            self.run_dry();
            match poll(speech) {
                Poll::Ready(Some(chunk)) => chunks.push(chunk?),
                Poll::Ready(None) => return Ok(chunks),
                Poll::Pending => panic!("the stream neither ends nor continues"),
            }
        }
    }
}

pub(crate) fn poll(speech: &mut Speech) -> Poll<Option<Result<Chunk, Fault>>> {
    speech.poll_next(&mut Context::from_waker(Waker::noop()))
}

/// Returns the chunk that is ready.
pub(crate) fn chunk(speech: &mut Speech) -> Chunk {
    match poll(speech) {
        Poll::Ready(Some(Ok(chunk))) => chunk,
        other => panic!("no chunk: {other:?}"),
    }
}

pub(crate) fn samples(chunks: &[Chunk]) -> Vec<i16> {
    chunks.iter().flat_map(|chunk| chunk.samples.iter().copied()).collect()
}

/// Asserts that two lists of samples are equal. A failure prints only the lengths or the index of the first difference.
#[track_caller]
pub(crate) fn assert_same(heard: &[i16], expected: &[i16]) {
    assert_eq!(heard.len(), expected.len(), "the number of samples");
    let differs = heard.iter().zip(expected).position(|(heard, expected)| heard != expected);
    assert_eq!(differs, None, "the first sample that differs");
}

/// Returns the sample at a position in an utterance of the counting voice; every sample is audible.
fn sample_at(place: usize) -> i16 {
    i16::try_from(1_000 + place % 20_000).unwrap()
}

/// Returns the samples of utterances with the given numbers of words.
pub(crate) fn counted(words: &[usize]) -> Vec<i16> {
    words.iter().flat_map(|words| (0..words * WORD).map(sample_at)).collect()
}

pub(crate) fn prepared(voice: &str) -> Call {
    Call::Prepared(voice.to_owned())
}

pub(crate) fn rendered(voices: &[&str]) -> Call {
    Call::Rendered(voices.iter().map(|&voice| voice.to_owned()).collect())
}
