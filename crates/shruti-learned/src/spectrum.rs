//! Synthesis of samples from the components of a spectrum.
//!
//! The spectrum of a frame is exp(h) · exp(iπ tanh θ) · P + exp(n) · Z + exp(r) · exp(iφ), with the decoder's outputs
//! h, θ, n, r and φ, the spectrum P of the pulses around the frame, and complex Gaussian noise Z. The frames are
//! overlapped and added. The method follows the synthesis of hibari (Apache-2.0).

use std::collections::VecDeque;
use std::f32::consts::PI;
use std::sync::{Arc, LazyLock};

use realfft::num_complex::Complex32;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rten_simd::SimdUnaryOp;
use rten_vecmath::{Cos, Exp, Sin, Tanh};

use crate::decoder::PARTS;
use crate::prosody::Curves;
use crate::pulses::Pulses;
use crate::{BINS, FFT, FRAME};

/// Number of frames in a window.
const OVERLAP: usize = FFT / FRAME;
/// Number of following frames whose spectra affect the samples of a frame.
pub(crate) const LOOKAHEAD: usize = OVERLAP / 2;
/// Maximum log magnitude.
const MAX_LOG_MAGNITUDE: f32 = 7.0;
/// Number of precomputed normally distributed values; each frame uses a random section of them as noise.
const NOISE: usize = 1 << 15;

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

struct Tables {
    forward: Arc<dyn RealToComplex<f32>>,
    inverse: Arc<dyn ComplexToReal<f32>>,
    /// A periodic Hann window.
    window: Vec<f32>,
    noise: Vec<f32>,
}

impl Tables {
    fn new() -> Self {
        let mut planner = RealFftPlanner::new();
        let window = (0..FFT).map(|index| 0.5 - 0.5 * (2.0 * PI * index as f32 / FFT as f32).cos());
        let mut random = fastrand::Rng::with_seed(0);
        // the method of Box and Muller (1958)
        let normal = |random: &mut fastrand::Rng| {
            (-2.0 * (1.0 - random.f32()).ln()).sqrt() * (2.0 * PI * random.f32()).cos()
        };
        Self {
            forward: planner.plan_fft_forward(FFT),
            inverse: planner.plan_fft_inverse(FFT),
            window: window.collect(),
            noise: (0..NOISE).map(|_| normal(&mut random)).collect(),
        }
    }
}

/// State of the synthesis between two chunks of a passage.
pub(crate) struct Synthesis {
    pulses: Pulses,
    /// Frames of pulses around the next frame, as many as fit into a window.
    source: VecDeque<[f32; FRAME]>,
    /// Number of frames whose pulses have been generated.
    pulsed: usize,
    /// Sums of the windowed frames, from the first sample that has not been output.
    sums: VecDeque<[f32; FRAME]>,
    /// Sums of the squared windows, from the same sample.
    weights: VecDeque<[f32; FRAME]>,
    /// Number of frames that have been added.
    frames: usize,
    noise: fastrand::Rng,
}

impl Synthesis {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            pulses: Pulses::default(),
            source: VecDeque::from([[0.0; FRAME]; OVERLAP / 2]),
            pulsed: 0,
            sums: VecDeque::from([[0.0; FRAME]; OVERLAP]),
            weights: VecDeque::from([[0.0; FRAME]; OVERLAP]),
            frames: 0,
            noise: fastrand::Rng::with_seed(seed),
        }
    }

    /// Processes the decoder's output for the next frames, given the curves of the whole passage. Appends the samples,
    /// between -1 and 1, of the complete frames: all except the last [`LOOKAHEAD`] frames, or all if `is_end` is true.
    pub(crate) fn advance(&mut self, output: &[f32], curves: &Curves, is_end: bool, samples: &mut Vec<f32>) {
        for output in output.chunks_exact(PARTS * BINS) {
            self.add(output, &curves.f0);
            self.output_frame(samples);
        }
        if is_end {
            for _ in 0..LOOKAHEAD {
                self.frames += 1;
                self.output_frame(samples);
            }
        }
    }

    /// Adds the windowed samples of a frame to the sums. The window starts two frames before the frame.
    fn add(&mut self, output: &[f32], f0: &[f32]) {
        self.make_pulses(f0);
        let tables = &*TABLES;
        let mut windowed: Vec<f32> = self.source.iter().take(OVERLAP).flatten().copied().collect();
        for (value, window) in windowed.iter_mut().zip(&tables.window) {
            *value *= window * (4.0 / FFT as f32);
        }
        let mut source = vec![Complex32::default(); BINS];
        let result = tables.forward.process(&mut windowed, &mut source);
        debug_assert!(result.is_ok(), "{result:?}");
        let mut spectrum = self.shape(output, &source);
        // the first and the last bin of a real signal's spectrum are real
        (spectrum[0].im, spectrum[BINS - 1].im) = (0.0, 0.0);
        let result = tables.inverse.process(&mut spectrum, &mut windowed);
        debug_assert!(result.is_ok(), "{result:?}");
        let places = self.sums.iter_mut().zip(&mut self.weights);
        let parts = windowed.as_chunks::<FRAME>().0.iter().zip(tables.window.as_chunks::<FRAME>().0);
        for ((sums, weights), (part, window)) in places.zip(parts) {
            for index in 0..FRAME {
                sums[index] += part[index] * window[index] / FFT as f32;
                weights[index] += window[index] * window[index];
            }
        }
        self.source.pop_front();
        self.frames += 1;
    }

    /// Generates the pulses that the window of the next frame covers.
    fn make_pulses(&mut self, f0: &[f32]) {
        while self.source.len() < OVERLAP {
            let at = |frame: usize| f0.get(frame.min(f0.len() - 1)).copied().unwrap_or(0.0);
            let mut frame = [0.0; FRAME];
            if self.pulsed < f0.len() {
                let around = [at(self.pulsed.saturating_sub(1)), at(self.pulsed), at(self.pulsed + 1)];
                self.pulses.next(around, &mut frame);
            }
            self.source.push_back(frame);
            self.pulsed += 1;
        }
    }

    /// Returns the spectrum of a frame.
    fn shape(&mut self, output: &[f32], source: &[Complex32]) -> Vec<Complex32> {
        let mut parts = output.chunks_exact(BINS).map(<[f32]>::to_vec);
        let mut part = || parts.next().unwrap_or_default();
        let (mut harmonic, mut theta, mut noise, mut rest, mut phi) =
            (part(), part(), part(), part(), part());
        for levels in [&mut harmonic, &mut noise, &mut rest] {
            for level in levels.iter_mut() {
                *level = level.min(MAX_LOG_MAGNITUDE);
            }
            Exp::default().map_mut(levels);
        }
        Tanh::default().map_mut(&mut theta);
        for angle in &mut theta {
            *angle *= PI;
        }
        let (theta_cos, theta_sin) = cos_sin(&mut theta);
        let (phi_cos, phi_sin) = cos_sin(&mut phi);
        let first = self.noise.usize(..NOISE - 2 * BINS);
        let random = TABLES.noise[first..first + 2 * BINS].as_chunks::<2>().0;
        let spectrum = (0..BINS).map(|bin| {
            let [real, imaginary] = random[bin];
            source[bin] * Complex32::new(theta_cos[bin], theta_sin[bin]) * harmonic[bin]
                + Complex32::new(real, imaginary) * noise[bin]
                + Complex32::new(phi_cos[bin], phi_sin[bin]) * rest[bin]
        });
        spectrum.collect()
    }

    /// Appends the samples of the oldest frame, unless it precedes the passage.
    fn output_frame(&mut self, samples: &mut Vec<f32>) {
        let (sums, weights) = (self.sums.pop_front(), self.weights.pop_front());
        // the first windows start before the passage
        if self.frames > LOOKAHEAD
            && let (Some(sums), Some(weights)) = (sums, weights)
        {
            samples.extend(sums.iter().zip(weights).map(|(sum, weight)| sum / weight.max(1e-11)));
        }
        self.sums.push_back([0.0; FRAME]);
        self.weights.push_back([0.0; FRAME]);
    }
}

/// Returns cosines and sines; overwrites the angles.
fn cos_sin(angles: &mut [f32]) -> (Vec<f32>, Vec<f32>) {
    let mut cosines = angles.to_vec();
    Cos::default().map_mut(&mut cosines);
    Sin::default().map_mut(angles);
    (cosines, angles.to_vec())
}
