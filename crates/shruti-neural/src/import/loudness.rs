//! Measures the loudness of a pack and the gain that matches it to the built-in voices.

use ebur128::{EbuR128, Mode};
use shruti_audio::SAMPLE_RATE;
use shruti_packs::{Pack, PackVoice};

use super::ImportError;
use crate::symbols::{SymbolError, SymbolSequence};
use crate::synthesiser::{Settings, Synthesiser};
use crate::verify::{lines, utterances};
use crate::writers::Writer;

/// Loudness of the built-in voices in LUFS. Their means over eleven languages range from -20.5 to -19.4.
const TARGET: f64 = -20.0;
/// Gain during the measurement, low enough that the limiter does not change the samples.
const HEADROOM_DB: f32 = -12.0;
/// Maximum number of voices that are measured per pack.
const VOICES: usize = 8;
/// Maximum number of the project's test lines that each voice speaks per language.
const LINES: usize = 3;
/// Maximum number of languages that each voice speaks.
const LANGUAGES: usize = 4;
/// Number of made-up texts for a pack that lacks too many symbols of the lines.
const TEXTS: usize = 4;
/// Number of symbols per made-up text, and minimum total number of symbols of the lines.
const SYMBOLS: usize = 60;

/// Returns the gain in dB, to one decimal, that brings a pack to the target loudness. The loudness is measured as
/// defined in ITU-R BS.1770-4, over lines of text in the pack's languages or, if the pack lacks too many symbols of
/// these lines, over made-up words of its own symbols.
pub(super) fn gain_db(mut pack: Pack) -> Result<f32, ImportError> {
    pack.manifest_mut().sound.gain_db = HEADROOM_DB;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let loudness = measure(&Synthesiser::load(&pack, threads)?)?;
    // the absolute gate of -70 LUFS excludes silence, so the loudness of a silent voice is not finite
    if !loudness.is_finite() {
        return Err(ImportError::Silent);
    }
    let gain = (TARGET - loudness + f64::from(HEADROOM_DB)).clamp(-40.0, 40.0);
    Ok((gain * 10.0).round() as f32 / 10.0)
}

/// Returns the symbol sequences that a voice speaks for the measurement.
fn sequences(synthesiser: &Synthesiser, voice: &PackVoice) -> Result<Vec<SymbolSequence>, SymbolError> {
    let symbols = synthesiser.symbols();
    let mut found = Vec::new();
    if let Ok(writer) = Writer::of_pack(synthesiser.manifest()) {
        let lines = voice.languages.iter().take(LANGUAGES).flat_map(|&language| {
            lines(language).take(LINES).flat_map(move |line| utterances(line, language))
        });
        for utterance in lines {
            let written = writer.write(&utterance, &|symbol| symbols.contains(symbol));
            let sequence = symbols.sequence_of(&written).ok();
            found.extend(sequence.filter(|sequence| sequence.skipped * 10 <= sequence.symbols));
        }
    }
    let count: usize = found.iter().map(|sequence| sequence.symbols).sum();
    if count < SYMBOLS { symbols.samples(TEXTS, SYMBOLS) } else { Ok(found) }
}

fn measure(synthesiser: &Synthesiser) -> Result<f64, ImportError> {
    let failed = |error: ebur128::Error| ImportError::Loudness(error.to_string());
    let mut meter = EbuR128::new(1, SAMPLE_RATE, Mode::I).map_err(failed)?;
    for voice in synthesiser.manifest().voices.iter().take(VOICES) {
        for (seed, sequence) in sequences(synthesiser, voice)?.iter().enumerate() {
            let settings = Settings { speaker: voice.speaker, seed: seed as u64, ..Settings::default() };
            let mut prepared = synthesiser.prepare(sequence, &settings)?;
            while let Some(samples) = synthesiser.next(&mut prepared.passage)? {
                meter.add_frames_i16(&samples).map_err(failed)?;
            }
        }
    }
    meter.loudness_global().map_err(failed)
}
