//! Digital resonators (Klatt 1980) whose coefficients are updated every frame.

use std::sync::LazyLock;

use crate::SAMPLE_RATE;

const COSINE_STEPS: usize = 2048;
const NYQUIST: f32 = SAMPLE_RATE as f32 / 2.0;

/// Table of cos(2πf / rate) from 0 to half the rate, because the coefficients are updated hundreds of times per second.
static COSINES: LazyLock<Vec<f32>> = LazyLock::new(|| {
    (0..=COSINE_STEPS + 1)
        .map(|step| libm::cos(std::f64::consts::PI * step as f64 / COSINE_STEPS as f64) as f32)
        .collect()
});

/// Returns cos(2πf / rate) with an error below 3e-7, for 0 ≤ f ≤ half the rate.
fn cosine(frequency: f32) -> f32 {
    let position = frequency.clamp(0.0, NYQUIST) * (COSINE_STEPS as f32 / NYQUIST);
    let step = position as usize;
    let cosines = &*COSINES;
    cosines[step] + (cosines[step + 1] - cosines[step]) * (position - step as f32)
}

/// Returns e^(-πb / rate) with an error below 3e-6 for bandwidths up to 3 kHz.
fn radius(bandwidth: f32) -> f32 {
    let x = bandwidth.clamp(10.0, 3000.0) * (std::f32::consts::PI / SAMPLE_RATE as f32);
    1.0 - x * (1.0 - x * (0.5 - x * (1.0 / 6.0 - x * (1.0 / 24.0 - x * (1.0 / 120.0)))))
}

/// Coefficients of y(n) = a·x(n) + b·y(n-1) + c·y(n-2).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Coefficients {
    pub(crate) a: f32,
    pub(crate) b: f32,
    pub(crate) c: f32,
}

impl Coefficients {
    /// Creates a resonance with unit gain at 0 Hz, for the cascade. Frequency and bandwidth are in Hz.
    pub(crate) fn cascade(frequency: f32, bandwidth: f32) -> Self {
        let radius = radius(bandwidth);
        let b = 2.0 * radius * cosine(frequency);
        let c = -(radius * radius);
        Self { a: 1.0 - b - c, b, c }
    }

    /// Creates a resonance with the gain `peak` at its centre frequency, for the parallel branch after
    /// [`Self::PRE_EMPHASIS`].
    pub(crate) fn parallel(frequency: f32, bandwidth: f32, peak: f32) -> Self {
        let radius = radius(bandwidth);
        let cosine = cosine(frequency);
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let zero = Self::PRE_EMPHASIS;
        let emphasis = (1.0 + zero * zero - 2.0 * zero * cosine).max(1e-4).sqrt();
        Self {
            a: peak * (1.0 - radius) * 2.0 * sine / emphasis,
            b: 2.0 * radius * cosine,
            c: -(radius * radius),
        }
    }

    /// Zero of the frication noise: x(n) - z·x(n-1). The zero attenuates the skirts of the resonances at low
    /// frequencies.
    pub(crate) const PRE_EMPHASIS: f32 = 0.95;

    /// Creates the inverse of [`Self::cascade`], an anti-resonance: y(n) = a·x(n) + b·x(n-1) + c·x(n-2).
    pub(crate) fn zero(frequency: f32, bandwidth: f32) -> Self {
        let pole = Self::cascade(frequency, bandwidth);
        let a = 1.0 / pole.a;
        Self { a, b: -pole.b * a, c: -pole.c * a }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the gain of a resonator at a frequency, from its transfer function.
    fn gain(k: Coefficients, frequency: f64) -> f64 {
        let w = 2.0 * std::f64::consts::PI * frequency / f64::from(SAMPLE_RATE);
        let real = 1.0 - f64::from(k.b) * w.cos() - f64::from(k.c) * (2.0 * w).cos();
        let imaginary = f64::from(k.b) * w.sin() + f64::from(k.c) * (2.0 * w).sin();
        f64::from(k.a) / real.hypot(imaginary)
    }

    #[test]
    fn a_cascade_resonator_peaks_at_its_frequency_with_its_bandwidth() {
        for (frequency, bandwidth) in [(250.0, 60.0), (700.0, 90.0), (2500.0, 150.0), (7000.0, 500.0)] {
            let k = Coefficients::cascade(frequency as f32, bandwidth as f32);
            assert!((gain(k, 0.0) - 1.0).abs() < 2e-3, "{frequency}: {}", gain(k, 0.0));
            let at_peak = gain(k, frequency);
            let at_edge = gain(k, frequency + bandwidth / 2.0);
            let fall = 20.0 * (at_peak / at_edge).log10();
            assert!((fall - 3.0).abs() < 0.8, "{frequency}: {fall} dB at the edge of the band");
        }
    }

    #[test]
    fn a_parallel_resonator_has_the_specified_gain() {
        for frequency in [500.0, 2000.0, 5000.0, 9000.0] {
            let k = Coefficients::parallel(frequency as f32, 300.0, 0.5);
            let w = 2.0 * std::f64::consts::PI * frequency / f64::from(SAMPLE_RATE);
            let zero = f64::from(Coefficients::PRE_EMPHASIS);
            let emphasis = (1.0 + zero * zero - 2.0 * zero * w.cos()).sqrt();
            let peak = gain(k, frequency) * emphasis;
            assert!((peak - 0.5).abs() < 0.06, "{frequency}: {peak}");
        }
    }
}
