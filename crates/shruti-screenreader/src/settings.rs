//! Settings of a reading and their ranges.

use std::ops::RangeInclusive;

use shruti_lang::{Language, VoiceId};
use shruti_text::verbosity::Verbosity;

use crate::error::ReadError;

/// Maximum size of a text, in bytes. Screen readers send sentences and paragraphs, which are much shorter. The limit is
/// low because spelling makes a text up to about 60 times as long.
pub const MAX_TEXT_BYTES: usize = 100_000;

/// Range of speech rates; 1.0 is the normal rate of the voice.
pub const RATE: RangeInclusive<f32> = 0.5..=6.0;

/// Range of pitch shifts, in semitones.
pub const PITCH: RangeInclusive<f32> = -6.0..=6.0;

/// Range of the volume, an amplitude factor; 1.0 is the normal volume of the voice.
pub const VOLUME: RangeInclusive<f32> = 0.0..=2.0;

/// Settings of a reading.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Name of the voice, case-insensitive. `None` selects the first voice of the engine.
    pub voice: Option<VoiceId>,
    /// Language of the text. `None` detects the language.
    pub language: Option<Language>,
    /// Speech rate, within [`RATE`].
    pub rate: f32,
    /// Pitch shift in semitones, within [`PITCH`].
    pub pitch: f32,
    /// Amplitude factor, within [`VOLUME`]. Peaks are clipped.
    pub volume: f32,
    /// Punctuation level and spelling.
    pub verbosity: Verbosity,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            voice: None,
            language: None,
            rate: 1.0,
            pitch: 0.0,
            volume: 1.0,
            verbosity: Verbosity::default(),
        }
    }
}

impl Settings {
    /// Checks that the numbers are within their ranges.
    pub(crate) fn check(&self) -> Result<(), ReadError> {
        let numbers =
            [("rate", self.rate, RATE), ("pitch", self.pitch, PITCH), ("volume", self.volume, VOLUME)];
        match numbers.into_iter().find(|(_, number, range)| !range.contains(number)) {
            Some((name, ..)) => Err(ReadError::OutOfRange(name)),
            None => Ok(()),
        }
    }
}
