//! How loud a pack speaks, and what brings it to the level of the built-in voices.

use ebur128::{EbuR128, Mode};
use shruti_audio::SAMPLE_RATE;
use shruti_packs::{Pack, PackVoice};

use super::ImportError;
use crate::symbols::{SymbolError, SymbolSequence};
use crate::synthesiser::{Settings, Synthesiser};
use crate::verify::{lines, utterances};
use crate::writers::Writer;

/// The loudness of the built-in voices in LUFS: their mean over eleven languages lies from -20.5 to -19.4.
const TARGET: f64 = -20.0;
/// What is measured is this much quieter, so that the limiter leaves it as it is.
const HEADROOM_DB: f32 = -12.0;
/// The most voices of a pack that are measured.
const VOICES: usize = 8;
/// How many of the project's lines each voice speaks in each of so many languages.
const LINES: usize = 3;
const LANGUAGES: usize = 4;
/// Where a pack has no symbols for them, made-up words are spoken: how many texts, and how many symbols each.
const TEXTS: usize = 4;
const SYMBOLS: usize = 60;

/// By how much a pack must be made louder, in dB to a tenth: measured by ITU-R BS.1770-4 over lines of its languages, or,
/// where it cannot write them, over words of its own symbols.
pub(super) fn gain_db(mut pack: Pack) -> Result<f32, ImportError> {
    pack.manifest_mut().sound.gain_db = HEADROOM_DB;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let loudness = measure(&Synthesiser::load(&pack, threads)?)?;
    // an absolute gate of -70 leaves nothing of silence
    if !loudness.is_finite() {
        return Err(ImportError::Silent);
    }
    let gain = (TARGET - loudness + f64::from(HEADROOM_DB)).clamp(-40.0, 40.0);
    Ok((gain * 10.0).round() as f32 / 10.0)
}

/// What a voice speaks to be measured.
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
