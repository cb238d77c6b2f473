//! Loudness matching of the processed audio to the input.

use super::STEP;
use super::biquad::{Band, Biquad};
use crate::SAMPLE_RATE;

/// The head-related shelf filter of ITU-R BS.1770. The standard's second filter, a high-pass below 40 Hz, has no effect
/// on speech.
const HEAD: Band = Band::Shelf { from: 1_681.97, gain: 4.0 };
/// Time constant of the measurement, in seconds.
const MEMORY_S: f32 = 10.0;
/// Weight of the prior knowledge about voices, in seconds of speech at -20 LUFS.
const KNOWN_S: f32 = 2.0;
const KNOWN_POWER: f32 = 0.0117;

/// Tracker of the loudness of the input and of the processed audio.
#[derive(Clone, Debug)]
pub(super) struct LoudnessMatch {
    /// Factor by which the input is multiplied before it is measured. The factor compensates for the error that results
    /// from the delay of the loudness match.
    miss: f32,
    given: Loudness,
    made: Loudness,
    /// Energy of the processed audio, including the applied gain.
    sent: f32,
    /// Fraction of the accumulated energy that remains after a step.
    memory: f32,
}

#[derive(Clone, Debug)]
struct Loudness {
    head: Biquad,
    energy: f32,
}

impl LoudnessMatch {
    /// Creates a tracker. `gain` is the gain that most voices need, and `miss` the correction of the input loudness,
    /// both in dB.
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

    /// Settles the filters; see [`Biquad::settle`].
    pub(super) fn settle(&mut self) {
        self.given.head.settle();
        self.made.head.settle();
    }

    /// Adds an input sample, the corresponding processed sample, and the gain that is applied to the processed sample
    /// afterwards.
    pub(super) fn add(&mut self, input: f32, made: f32, gain: f32) {
        self.given.add(input * self.miss);
        self.sent += self.made.add(made) * gain * gain;
    }

    /// Returns the base-2 logarithm of the gain that makes the processed audio as loud as the input and compensates for
    /// audio that was sent too loud or too quiet. Called once per step.
    pub(super) fn gain(&mut self) -> f32 {
        self.given.energy *= self.memory;
        self.made.energy *= self.memory;
        self.sent *= self.memory;
        let [given, made, sent] =
            [self.given.energy, self.made.energy, self.sent].map(|energy| libm::log2f(energy + NOTHING));
        0.5 * (given - made) + 1.0 * (given - sent)
    }
}

/// Constant that is added to both energies, so that the gain is 1 after a long silence, when no energy is left.
const NOTHING: f32 = 1e-6;

impl Loudness {
    /// Adds the energy of a sample and returns it.
    fn add(&mut self, sample: f32) -> f32 {
        let filtered = self.head.next(sample);
        let energy = filtered * filtered;
        self.energy += energy;
        energy
    }
}
