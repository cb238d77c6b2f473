//! Synthesis of sentences with a pack, to test whether the pack works.

use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use shruti_engine::{Engine, Request};
use shruti_lang::{Language, SAMPLE_RATE};
use shruti_neural::{PackBackend, Synthesiser, UnknownSymbols, Writer, lines};
use shruti_packs::Pack;
use shruti_voice::pause_samples;

use crate::error::WorkError;

/// Sentences to speak with a pack.
#[derive(Debug, Serialize, Deserialize)]
pub struct SpeakTask {
    /// Folder of the pack.
    pub pack: PathBuf,
    /// Sentences to speak.
    pub sentences: Vec<Sentence>,
    /// Texts whose symbols are counted, instead of the project's own test lines.
    pub lines: Option<Vec<String>>,
}

/// A sentence to speak.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sentence {
    /// Voice of the pack.
    pub voice: String,
    /// Language of the sentence.
    pub language: Language,
    /// Text of the sentence.
    pub text: String,
}

/// Result of the synthesis of a sentence. All its samples are finite; otherwise the synthesis would have failed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Spoken {
    /// Duration of the audio, in seconds.
    pub seconds: f64,
    /// Seconds of computation per second of audio.
    pub seconds_per_second: f64,
    /// Mean power of the audio, in dB relative to full scale; -200 if all samples are zero.
    pub level_db: f64,
    /// Number of unknown symbols (symbols that the pack lacks) in the test lines of the language.
    pub unknown_symbols: usize,
    /// Total number of symbols in the test lines of the language.
    pub symbols: usize,
    /// Whether the share of unknown symbols is acceptable.
    pub is_acceptable: bool,
}

/// Synthesises the sentences in this process, which should do nothing else, and returns the results.
pub(crate) fn here(speaking: &SpeakTask) -> Result<Vec<Spoken>, WorkError> {
    let synthesiser = Synthesiser::load(&Pack::open(&speaking.pack)?, 1)?;
    let counts = speaking.sentences.iter().map(|sentence| count(&synthesiser, sentence.language, speaking));
    let counts: Vec<UnknownSymbols> = counts.collect::<Result<_, WorkError>>()?;
    let engine = Engine::builder()
        .backend(PackBackend::new(synthesiser, 1, pause_samples)?)
        .max_speeches(1)
        .build()?;
    speaking.sentences.iter().zip(counts).map(|(sentence, count)| speak(&engine, sentence, count)).collect()
}

/// Counts all symbols in the test lines of a language, and the unknown symbols, which the pack lacks.
fn count(
    synthesiser: &Synthesiser,
    language: Language,
    speaking: &SpeakTask,
) -> Result<UnknownSymbols, WorkError> {
    let writer = Writer::new(&synthesiser.manifest().input, &[language])?;
    let texts: Vec<&str> = match &speaking.lines {
        Some(given) => given.iter().map(String::as_str).collect(),
        None => lines(language).collect(),
    };
    Ok(UnknownSymbols::count(texts, language, &writer, synthesiser.symbols()))
}

fn speak(engine: &Engine, sentence: &Sentence, count: UnknownSymbols) -> Result<Spoken, WorkError> {
    let request = Request { language: Some(sentence.language), ..Request::new(sentence.voice.as_str()) };
    let begun = Instant::now();
    let mut speech = engine.speak_text(request, &sentence.text)?;
    let (mut samples, mut energy) = (0_usize, 0.0);
    while let Some(chunk) = speech.blocking_next() {
        let chunk = chunk?.samples;
        samples += chunk.len();
        energy += chunk.iter().map(|&sample| (f64::from(sample) / 32_768.0).powi(2)).sum::<f64>();
    }
    let seconds = samples as f64 / f64::from(SAMPLE_RATE);
    Ok(Spoken {
        seconds,
        seconds_per_second: begun.elapsed().as_secs_f64() / seconds.max(1e-3),
        unknown_symbols: count.unknown,
        symbols: count.all,
        is_acceptable: count.is_acceptable(),
        level_db: 10.0 * (energy / samples.max(1) as f64).max(1e-20).log10(),
    })
}
