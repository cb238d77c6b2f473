//! Dynamic range compressor: reduces the difference between weak and strong sounds.

use super::STEP;
use crate::SAMPLE_RATE;

/// Maximum boost or cut, in dB.
const MAX_GAIN_DB: f32 = 18.0;
/// Distance below the speech level, in dB, beyond which the maximum boost decreases, because weaker sounds are not
/// speech.
const FLOOR: f32 = 35.0;
/// Decrease of the maximum boost for each dB of distance beyond [`FLOOR`], in dB.
const FADING: f32 = 2.0;
/// Distance below the speech level, in dB. Sounds that are weaker than this do not change the speech level.
const SPEECH: f32 = 25.0;
/// Time constant of the speech level, in seconds of speech.
const LEVEL_S: f32 = 1.0;
/// Conversion factors: from log2 of power to dB, and from dB to log2 of amplitude.
const DB_OF_LOG2: f32 = 3.010_3;
const LOG2_OF_DB: f32 = 0.166_096_4;
/// Minimum power: -120 dB relative to full scale.
const SILENCE: f32 = 1e-12;

/// Parameters of a compressor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compression {
    /// Fraction of the distance to the speech level that is compensated: 0.0 for none of it, 1.0 for all of it.
    pub(super) slope: f32,
    /// Attack time of the envelope, in milliseconds.
    pub(super) attack_ms: f32,
    /// Release time of the envelope, in milliseconds.
    pub(super) release_ms: f32,
    /// Initial speech level, in dB relative to full scale: that of a voice at -20 LUFS after the equaliser.
    pub(super) level: f32,
}

/// A compressor: follows the envelope of the audio and computes the gain.
#[derive(Clone, Debug)]
pub(super) struct Compressor {
    slope: f32,
    attack: f32,
    release: f32,
    /// Smoothing coefficient of the speech level per step, 0.0 to 1.0.
    follow: f32,
    /// Smoothed power of the samples.
    power: f32,
    /// Speech level in dB. The gain depends on the distance to this level, so that quiet and loud voices are compressed
    /// alike.
    level: f32,
}

impl Compressor {
    pub(super) fn new(compression: &Compression) -> Self {
        let Compression { slope, attack_ms, release_ms, level } = *compression;
        let rate = SAMPLE_RATE as f32;
        let share = |milliseconds: f32| 1.0 - libm::expf(-1_000.0 / (milliseconds * rate));
        let follow = 1.0 - libm::expf(-(STEP as f32) / (LEVEL_S * rate));
        Self { slope, attack: share(attack_ms), release: share(release_ms), follow, power: 0.0, level }
    }

    /// Updates the envelope with a sample.
    pub(super) fn add(&mut self, sample: f32) {
        let power = sample * sample;
        self.power += (power - self.power) * if power > self.power { self.attack } else { self.release };
    }

    /// Returns the base-2 logarithm of the gain for the current envelope. Called once per step.
    pub(super) fn gain(&mut self) -> f32 {
        let now = libm::log2f(self.power + SILENCE) * DB_OF_LOG2;
        if now > self.level - SPEECH {
            self.level += (now - self.level) * self.follow;
        }
        let below = self.level - now;
        let most = (MAX_GAIN_DB - FADING * (below - FLOOR).max(0.0)).max(0.0);
        (self.slope * below).clamp(-MAX_GAIN_DB, most) * LOG2_OF_DB
    }
}
