//! How a text is read, and the limits.

use std::ops::RangeInclusive;

use shruti_lang::{Language, VoiceId};
use shruti_text::verbosity::Verbosity;

use crate::error::ReadError;

/// The longest text in bytes. A screen reader sends sentences and paragraphs; a spelled text takes some 60 times its length.
pub const MAX_TEXT_BYTES: usize = 100_000;

/// Rates; 1.0 is the voice's own.
pub const RATE: RangeInclusive<f32> = 0.5..=6.0;

/// Pitch shifts in semitones.
pub const PITCH: RangeInclusive<f32> = -6.0..=6.0;

/// Volumes; 1.0 is the voice's own.
pub const VOLUME: RangeInclusive<f32> = 0.0..=2.0;

/// How a text is read.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The voice's name, matched without regard to case; the engine's first voice when not given.
    pub voice: Option<VoiceId>,
    /// The language of the text; found from the text when not given.
    pub language: Option<Language>,
    /// The rate, within [`RATE`].
    pub rate: f32,
    /// The shift of the pitch, within [`PITCH`].
    pub pitch: f32,
    /// The factor of the amplitude, within [`VOLUME`]; peaks are clipped.
    pub volume: f32,
    /// How much of the text's characters is said.
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
    /// Checks that the numbers lie within their ranges.
    pub(crate) fn check(&self) -> Result<(), ReadError> {
        let numbers =
            [("rate", self.rate, RATE), ("pitch", self.pitch, PITCH), ("volume", self.volume, VOLUME)];
        match numbers.into_iter().find(|(_, number, range)| !range.contains(number)) {
            Some((name, ..)) => Err(ReadError::OutOfRange(name)),
            None => Ok(()),
        }
    }
}
