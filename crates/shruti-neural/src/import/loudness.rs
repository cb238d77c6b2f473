//! How loud a pack speaks, and what brings it to the level of the built-in voices.

use ebur128::{EbuR128, Mode};
use shruti_audio::SAMPLE_RATE;

use super::ImportError;
use crate::pack::Pack;
use crate::symbols::SymbolSequence;
use crate::synthesiser::{Settings, Synthesiser};

/// The loudness of the built-in voices in LUFS: their mean over eleven languages lies from -20.5 to -19.4.
const TARGET: f64 = -20.0;
/// What is measured is this much quieter, so that the limiter leaves it as it is.
const HEADROOM_DB: f32 = -12.0;
/// The most voices of a pack that are measured.
const VOICES: usize = 8;
/// Symbols of the texts that are spoken where none are given: how many texts, and how long they are.
const TEXTS: usize = 4;
const SYMBOLS: usize = 60;

/// Symbols of words, of some texts: what is spoken to find out how loud a voice is.
pub type SymbolTexts = Vec<Vec<Vec<String>>>;

/// By how much a pack must be made louder, in dB to a tenth: measured by ITU-R BS.1770-4 over the texts, or, where there
/// are none, over words of the pack's own symbols.
pub(super) fn gain_db(mut pack: Pack, texts: &SymbolTexts) -> Result<f32, ImportError> {
    pack.manifest_mut().sound.gain_db = HEADROOM_DB;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let synthesiser = Synthesiser::load(&pack, threads)?;
    let symbols = synthesiser.symbols();
    let sequences: Vec<SymbolSequence> = if texts.is_empty() {
        symbols.samples(TEXTS, SYMBOLS)?
    } else {
        texts.iter().map(|text| symbols.sequence(text)).collect::<Result<_, _>>()?
    };
    let loudness = measure(&synthesiser, &sequences)?;
    // an absolute gate of -70 leaves nothing of silence
    if !loudness.is_finite() {
        return Err(ImportError::Silent);
    }
    let gain = (TARGET - loudness + f64::from(HEADROOM_DB)).clamp(-40.0, 40.0);
    Ok((gain * 10.0).round() as f32 / 10.0)
}

fn measure(synthesiser: &Synthesiser, sequences: &[SymbolSequence]) -> Result<f64, ImportError> {
    let failed = |error: ebur128::Error| ImportError::Loudness(error.to_string());
    let mut meter = EbuR128::new(1, SAMPLE_RATE, Mode::I).map_err(failed)?;
    for voice in synthesiser.manifest().voices.iter().take(VOICES) {
        for (seed, sequence) in sequences.iter().enumerate() {
            let settings = Settings { speaker: voice.speaker, seed: seed as u64, ..Settings::default() };
            let mut prepared = synthesiser.prepare(sequence, &settings)?;
            while let Some(samples) = synthesiser.next(&mut prepared.passage)? {
                meter.add_frames_i16(&samples).map_err(failed)?;
            }
        }
    }
    meter.loudness_global().map_err(failed)
}
