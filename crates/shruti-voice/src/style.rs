//! Who speaks, how fast and how high.

use crate::Voice;

/// How an utterance is to be spoken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Who speaks.
    pub voice: Voice,
    /// Rate of speech, 0.5 to 2.0; 1.0 is the language's usual rate. Values outside are brought to the nearest end.
    pub speed: f32,
    /// Shift of pitch in semitones, -6 to 6; the tract stays the same. Values outside are brought to the nearest end.
    pub pitch: f32,
}

impl Default for Style {
    fn default() -> Self {
        Self { voice: Voice::Ananya, speed: 1.0, pitch: 0.0 }
    }
}

impl Style {
    /// Speed within its range; not a number counts as 1.
    pub(crate) fn bounded_speed(&self) -> f32 {
        bounded_speed(self.speed)
    }

    /// Pitch within its range; not a number counts as 0.
    pub(crate) fn bounded_pitch(&self) -> f32 {
        if self.pitch.is_nan() { 0.0 } else { self.pitch.clamp(-6.0, 6.0) }
    }
}

/// A rate within its range; not a number counts as 1.
pub(crate) const fn bounded_speed(speed: f32) -> f32 {
    if speed.is_nan() { 1.0 } else { speed.clamp(0.5, 2.0) }
}
