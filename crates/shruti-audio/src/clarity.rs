//! Speech shaping for a listener on a telephone or in a noisy room, at the same loudness.
//!
//! Noise and telephone channels mask the weakest sounds first: consonants and the upper formants. Therefore the
//! spectrum is tilted towards them, and the dynamic range is compressed (Zorilă, Kandia & Stylianou 2012,
//! "Speech-in-noise intelligibility improvement based on spectral shaping and dynamic range compression"). Unlike in
//! that paper, there is no look-ahead: every filter is causal, so there is no delay.

mod biquad;
mod compressor;
mod limiter;
mod loudness;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests;

use biquad::{Band, Biquad};
use compressor::{Compression, Compressor};
use loudness::LoudnessMatch;

const FULL_SCALE: f32 = 32_768.0;
/// Number of samples between two updates of the gains. Between the updates, the gains are interpolated linearly.
const STEP: u32 = 16;

/// Streaming filter that shapes the samples of one utterance or turn, at 24,000 samples per second. It adds no delay
/// and no samples; the output does not depend on how the samples are split into blocks.
#[derive(Clone, Debug)]
pub struct ClarityFilter {
    /// Fraction of the preceding sample that is subtracted from each sample: a tilt of up to 6 dB per octave.
    pre_emphasis: f32,
    before: f32,
    equaliser: [Biquad; 2],
    compressor: Compressor,
    loudness: LoudnessMatch,
    compression: Gain,
    makeup: Gain,
    /// Number of samples that remain in the current step.
    left: u32,
}

/// A gain that is interpolated linearly.
#[derive(Clone, Copy, Debug)]
struct Gain {
    now: f32,
    change: f32,
}

impl Gain {
    /// Starts a change of the gain to 2 to the power of `exponent`. The change takes one step.
    fn aim(&mut self, exponent: f32) {
        self.change = (libm::exp2f(exponent) - self.now) / STEP as f32;
    }

    fn next(&mut self) -> f32 {
        self.now += self.change;
        self.now
    }
}

/// Parameters of a [`ClarityFilter`].
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Pre-emphasis coefficient, 0.0 to 1.0.
    pre_emphasis: f32,
    equaliser: [Band; 2],
    compression: Compression,
    /// Typical gain that restores the original loudness, in dB.
    gain: f32,
    /// Correction of the input loudness, in dB, for the error caused by the delay of the loudness match.
    miss: f32,
}

/// Attenuation above the telephone band. Telephones do not transmit these frequencies, so the other frequencies can be
/// louder at the same total loudness.
const BEYOND_TELEPHONES: Band = Band::Shelf { from: 4_500.0, gain: -24.0 };

// The parameters minimise the word error rate of a speech recogniser on the sentences and digits of
// `measure/voice/clarity`, except `level` and `gain`. These two were measured on the built-in voices in eleven
// languages.
const PHONE: Shape = Shape {
    pre_emphasis: 0.85,
    equaliser: [Band::Bell { middle: 1_000.0, gain: 8.0, q: 0.8 }, BEYOND_TELEPHONES],
    compression: Compression { slope: 0.6, attack_ms: 1.0, release_ms: 8.0, level: -29.1 },
    gain: 14.6,
    miss: -0.4,
};

const ROOM: Shape = Shape {
    pre_emphasis: 0.95,
    equaliser: [Band::Bell { middle: 1_700.0, gain: 8.0, q: 0.8 }, Band::Shelf { from: 5_000.0, gain: -8.0 }],
    compression: Compression { slope: 0.8, attack_ms: 0.5, release_ms: 8.0, level: -30.0 },
    gain: 13.5,
    miss: -0.3,
};

impl ClarityFilter {
    /// Creates a filter for a listener on a telephone line with a band of 300 to 3,400 Hz.
    pub fn phone() -> Self {
        Self::new(&PHONE)
    }

    /// Creates a filter for a listener in a room where other people talk.
    pub fn room() -> Self {
        Self::new(&ROOM)
    }

    fn new(shape: &Shape) -> Self {
        let Shape { pre_emphasis, equaliser, compression, gain, miss } = *shape;
        Self {
            pre_emphasis,
            before: 0.0,
            equaliser: equaliser.map(Biquad::new),
            compressor: Compressor::new(&compression),
            loudness: LoudnessMatch::new(gain, miss),
            compression: Gain { now: 1.0, change: 0.0 },
            makeup: Gain { now: libm::exp10f(gain / 20.0), change: 0.0 },
            left: 0,
        }
    }

    /// Shapes the next samples in place.
    pub fn shape(&mut self, samples: &mut [i16]) {
        for sample in samples {
            let input = f32::from(*sample) / FULL_SCALE;
            let shaped = self.next(input) * FULL_SCALE;
            // the cast truncates, so 0.5 is added to the magnitude for rounding to the nearest integer
            *sample = (shaped + 0.5_f32.copysign(shaped)) as i16;
        }
    }

    fn next(&mut self, input: f32) -> f32 {
        let tilted = input - self.pre_emphasis * self.before;
        self.before = input;
        let [first, second] = &mut self.equaliser;
        let bright = second.next(first.next(tilted));
        self.compressor.add(bright);
        if self.left == 0 {
            self.left = STEP;
            self.equaliser.iter_mut().for_each(Biquad::settle);
            self.loudness.settle();
            self.compression.aim(self.compressor.gain());
            self.makeup.aim(self.loudness.gain());
        }
        self.left -= 1;
        let even = bright * self.compression.next();
        let makeup = self.makeup.next();
        self.loudness.add(input, even, makeup);
        limiter::limited(even * makeup)
    }
}
