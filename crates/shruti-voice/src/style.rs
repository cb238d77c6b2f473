//! Voice, rate and pitch of an utterance.

use crate::Voice;

/// Voice, rate and pitch of an utterance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Voice that speaks.
    pub voice: Voice,
    /// Speaking rate, 0.5 to 2.0; 1.0 is the normal rate of the language. Other values are clamped.
    pub speed: f32,
    /// Pitch shift in semitones, -6 to 6; the formants do not change. Other values are clamped.
    pub pitch: f32,
}

impl Default for Style {
    fn default() -> Self {
        Self { voice: Voice::Ananya, speed: 1.0, pitch: 0.0 }
    }
}

impl Style {
    /// Returns the speed, clamped to its range; NaN counts as 1.
    pub(crate) fn bounded_speed(&self) -> f32 {
        bounded_speed(self.speed)
    }

    /// Returns the pitch, clamped to its range; NaN counts as 0.
    pub(crate) fn bounded_pitch(&self) -> f32 {
        if self.pitch.is_nan() { 0.0 } else { self.pitch.clamp(-6.0, 6.0) }
    }
}

/// Clamps a rate to its range; NaN counts as 1.
pub(crate) const fn bounded_speed(speed: f32) -> f32 {
    if speed.is_nan() { 1.0 } else { speed.clamp(0.5, 2.0) }
}
