//! Second-order filters (Bristow-Johnson, "Cookbook formulae for audio equalizer biquad filter coefficients").

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use crate::SAMPLE_RATE;

/// Magnitude below which filter state is set to zero, far below the resolution of a 16-bit sample.
const NOTHING: f32 = 1e-15;

/// Frequency range that a filter boosts or cuts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Band {
    /// Changes the range around the frequency `middle`, in Hz, by `gain`, in dB.
    Bell { middle: f64, gain: f64, q: f64 },
    /// Changes the range above the frequency `from`, in Hz, by `gain`, in dB.
    Shelf { from: f64, gain: f64 },
}

/// A filter and its state, in transposed direct form II.
#[derive(Clone, Debug)]
pub(super) struct Biquad {
    b: [f32; 3],
    a: [f32; 2],
    state: [f32; 2],
}

impl Biquad {
    pub(super) fn new(band: Band) -> Self {
        match band {
            Band::Bell { middle, gain, q } => Self::bell(middle, gain, q),
            Band::Shelf { from, gain } => Self::shelf(from, gain),
        }
    }

    fn bell(middle: f64, gain: f64, q: f64) -> Self {
        let amplitude = libm::exp10(gain / 40.0);
        let (sine, cosine) = libm::sincos(2.0 * PI * middle / f64::from(SAMPLE_RATE));
        let alpha = sine / (2.0 * q);
        Self::normalised(
            [1.0 + alpha * amplitude, -2.0 * cosine, 1.0 - alpha * amplitude],
            [1.0 + alpha / amplitude, -2.0 * cosine, 1.0 - alpha / amplitude],
        )
    }

    fn shelf(from: f64, gain: f64) -> Self {
        let amplitude = libm::exp10(gain / 40.0);
        let (sine, cosine) = libm::sincos(2.0 * PI * from / f64::from(SAMPLE_RATE));
        let (more, less) = (amplitude + 1.0, amplitude - 1.0);
        let slope = 2.0 * libm::sqrt(amplitude) * sine / (2.0 * FRAC_1_SQRT_2);
        Self::normalised(
            [
                amplitude * (more + less * cosine + slope),
                -2.0 * amplitude * (less + more * cosine),
                amplitude * (more + less * cosine - slope),
            ],
            [more - less * cosine + slope, 2.0 * (less - more * cosine), more - less * cosine - slope],
        )
    }

    fn normalised(b: [f64; 3], a: [f64; 3]) -> Self {
        let over = |value: f64| (value / a[0]) as f32;
        Self { b: b.map(over), a: [over(a[1]), over(a[2])], state: [0.0; 2] }
    }

    /// Filters the next sample.
    pub(super) fn next(&mut self, x: f32) -> f32 {
        let y = self.b[0] * x + self.state[0];
        self.state[0] = self.b[1] * x - self.a[0] * y + self.state[1];
        self.state[1] = self.b[2] * x - self.a[1] * y;
        y
    }

    /// Sets negligible state to zero, because denormal numbers slow processors down. Called once per step.
    pub(super) fn settle(&mut self) {
        for state in &mut self.state {
            if state.abs() < NOTHING {
                *state = 0.0;
            }
        }
    }
}
