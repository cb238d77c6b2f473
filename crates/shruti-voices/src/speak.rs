//! Sentences spoken with a pack, to hear whether it works.

use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use shruti_engine::{Engine, Request};
use shruti_lang::{Language, SAMPLE_RATE};
use shruti_neural::{PackBackend, Synthesiser, UnknownSymbols, Writer, lines};
use shruti_packs::Pack;
use shruti_voice::pause_samples;

use crate::error::WorkError;

/// Sentences to be spoken with a pack.
#[derive(Debug, Serialize, Deserialize)]
pub struct Speaking {
    /// The folder of the pack.
    pub pack: PathBuf,
    /// The sentences.
    pub sentences: Vec<Sentence>,
    /// Texts whose symbols are counted, in place of the project's own.
    pub lines: Option<Vec<String>>,
}

/// A sentence to be spoken.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sentence {
    /// A voice of the pack.
    pub voice: String,
    /// A language of the voice.
    pub language: Language,
    /// The text.
    pub text: String,
}

/// A sentence that was spoken; all its samples were finite, or it would have been refused.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Spoken {
    /// Seconds of sound.
    pub seconds: f64,
    /// Seconds of work for a second of sound.
    pub seconds_per_second: f64,
    /// The mean power of the sound, in dB below full scale; of nothing but zeros, -200.
    pub level_db: f64,
    /// Symbols of lines in the language that the pack does not have.
    pub unknown_symbols: usize,
    /// All symbols of those lines.
    pub symbols: usize,
    /// Whether so many unknown ones can be borne.
    pub is_bearable: bool,
}

/// Speaks in this process, which should do nothing else.
pub(crate) fn here(speaking: &Speaking) -> Result<Vec<Spoken>, WorkError> {
    let synthesiser = Synthesiser::load(&Pack::open(&speaking.pack)?, 1)?;
    let counts = speaking.sentences.iter().map(|sentence| count(&synthesiser, sentence.language, speaking));
    let counts: Vec<UnknownSymbols> = counts.collect::<Result<_, WorkError>>()?;
    let engine = Engine::builder()
        .backend(PackBackend::new(synthesiser, 1, pause_samples)?)
        .max_speeches(1)
        .build()?;
    speaking.sentences.iter().zip(counts).map(|(sentence, count)| speak(&engine, sentence, count)).collect()
}

/// Counts the symbols of lines in a language that a pack does not have.
fn count(
    synthesiser: &Synthesiser,
    language: Language,
    speaking: &Speaking,
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
        is_bearable: count.is_bearable(),
        level_db: 10.0 * (energy / samples.max(1) as f64).max(1e-20).log10(),
    })
}
