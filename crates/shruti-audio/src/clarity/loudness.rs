//! The loudness of what is made, brought to that of what was given.

use super::STEP;
use super::biquad::{Band, Biquad};
use crate::SAMPLE_RATE;

/// The filter of ITU-R BS.1770 for what a head does to sound. Its other one, against what lies below 40 Hz, makes no
/// difference to speech.
const HEAD: Band = Band::Shelf { from: 1_681.97, gain: 4.0 };
/// How long what was heard counts, in seconds.
const MEMORY_S: f32 = 10.0;
/// How much what is known of voices counts, in seconds of speech of -20 LUFS.
const KNOWN_S: f32 = 2.0;
const KNOWN_POWER: f32 = 0.0117;

/// Follows both loudnesses.
#[derive(Clone, Debug)]
pub(super) struct LoudnessMatch {
    /// What is given is multiplied by it before it is heard: the match comes late, and so misses a little.
    miss: f32,
    given: Loudness,
    made: Loudness,
    /// The energy of what was made, with the gain that it had.
    sent: f32,
    /// What of the energy so far is left after a step.
    memory: f32,
}

#[derive(Clone, Debug)]
struct Loudness {
    head: Biquad,
    energy: f32,
}

impl LoudnessMatch {
    /// `gain`: what voices mostly need; `miss`: by how much they are too quiet with what is found here, both in dB.
    pub(super) fn new(gain: f32, miss: f32) -> Self {
        let known = KNOWN_S * SAMPLE_RATE as f32 * KNOWN_POWER;
        let loudness = |energy| Loudness { head: Biquad::new(HEAD), energy };
        let miss = libm::exp10f(miss / 20.0);
        let memory = libm::expf(-(STEP as f32) / (MEMORY_S * SAMPLE_RATE as f32));
        Self {
            miss,
            given: loudness(known * miss * miss),
            made: loudness(known / libm::exp10f(gain / 10.0)),
            sent: known,
            memory,
        }
    }

    /// As [`Biquad::settle`].
    pub(super) fn settle(&mut self) {
        self.given.head.settle();
        self.made.head.settle();
    }

    /// Takes in a sample, what was made of it, and the gain with which that is sent.
    pub(super) fn hear(&mut self, given: f32, made: f32, gain: f32) {
        self.given.hear(given * self.miss);
        self.sent += self.made.hear(made) * gain * gain;
    }

    /// The gain that makes them equal, and makes up for what was sent too loud or too quiet before, as a power of two.
    /// Once a step.
    pub(super) fn gain(&mut self) -> f32 {
        self.given.energy *= self.memory;
        self.made.energy *= self.memory;
        self.sent *= self.memory;
        let [given, made, sent] =
            [self.given.energy, self.made.energy, self.sent].map(|energy| libm::log2f(energy + NOTHING));
        0.5 * (given - made) + 1.0 * (given - sent)
    }
}

/// After a long silence no energy is left, and the gain is 1.
const NOTHING: f32 = 1e-6;

impl Loudness {
    /// The energy of a sample, which is added.
    fn hear(&mut self, sample: f32) -> f32 {
        let heard = self.head.next(sample);
        let energy = heard * heard;
        self.energy += energy;
        energy
    }
}
