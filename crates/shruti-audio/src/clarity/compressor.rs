//! Compression of the dynamic range: what is weak comes nearer to what is strong.

use super::STEP;
use crate::SAMPLE_RATE;

/// The most that is raised or lowered, in dB.
const MOST: f32 = 18.0;
/// So far below the level of speech is no speech any more, and is raised less and less, in dB.
const FLOOR: f32 = 35.0;
/// How much less of it is raised for each dB that it is weaker, in dB.
const FADING: f32 = 2.0;
/// What is this far below the level of speech does not count towards it, in dB.
const SPEECH: f32 = 25.0;
/// How fast the level of speech is followed, in seconds of speech.
const LEVEL_S: f32 = 1.0;
/// Decibels of a power of two of power, and powers of two of amplitude of a decibel.
const DB_OF_LOG2: f32 = 3.010_3;
const LOG2_OF_DB: f32 = 0.166_096_4;
/// Nothing is weaker: -120 dB of full scale.
const SILENCE: f32 = 1e-12;

/// How a compressor works.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compression {
    /// How much of the distance to the level of speech is made up: 0.0 nothing, 1.0 all.
    pub(super) slope: f32,
    /// How fast the envelope rises, in milliseconds.
    pub(super) attack_ms: f32,
    /// How fast the envelope falls, in milliseconds.
    pub(super) release_ms: f32,
    /// The level of speech to begin with, in dB of full scale: that of a voice of -20 LUFS behind the equaliser.
    pub(super) level: f32,
}

/// The envelope of the sound and the gain that it calls for.
#[derive(Clone, Debug)]
pub(super) struct Compressor {
    slope: f32,
    attack: f32,
    release: f32,
    /// What a step moves the level of speech by, 0.0 to 1.0.
    follow: f32,
    /// The power of the samples, smoothed.
    power: f32,
    /// The level of speech in dB, by which a quiet voice is compressed as a loud one is.
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

    /// Takes in a sample.
    pub(super) fn hear(&mut self, sample: f32) {
        let power = sample * sample;
        self.power += (power - self.power) * if power > self.power { self.attack } else { self.release };
    }

    /// The gain for what was heard last, as a power of two. Once a step.
    pub(super) fn gain(&mut self) -> f32 {
        let now = libm::log2f(self.power + SILENCE) * DB_OF_LOG2;
        if now > self.level - SPEECH {
            self.level += (now - self.level) * self.follow;
        }
        let below = self.level - now;
        let most = (MOST - FADING * (below - FLOOR).max(0.0)).max(0.0);
        (self.slope * below).clamp(-MOST, most) * LOG2_OF_DB
    }
}
