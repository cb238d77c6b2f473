//! Voiced source: a pulse train whose harmonics all have amplitude 1.

use std::f32::consts::PI;

use rten_simd::SimdUnaryOp;
use rten_vecmath::Sin;

use crate::prosody::UNVOICED_BELOW;
use crate::{FRAME, RATE};

/// Maximum frequency of the harmonics, in Hz.
const HARMONICS_BELOW: f32 = 11_000.0;
/// Magnitude of the sine below which the sum of the harmonics is replaced by its limit.
const NEAR_ZERO: f32 = 2e-3;

/// Pulse generator; its state is the phase of the fundamental, in cycles.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pulses {
    phase: f64,
}

impl Pulses {
    /// Generates the pulses of the next frame, given the F0 of the preceding frame, of the frame itself and of the
    /// following frame, in Hz.
    ///
    /// With `t` as the phase of the fundamental, the sum of `h` harmonics is sin((h + ½) t) / (2 sin(t/2)) − ½, a
    /// Dirichlet kernel.
    pub(crate) fn next(&mut self, [before, here, behind]: [f32; 3], samples: &mut [f32; FRAME]) {
        let mut frequencies = [0.0; FRAME];
        for (index, frequency) in frequencies.iter_mut().enumerate() {
            let place = (index as f32 + 0.5) / FRAME as f32 - 0.5;
            let (from, to, share) =
                if place < 0.0 { (before, here, place + 1.0) } else { (here, behind, place) };
            *frequency = from * (1.0 - share) + to * share;
        }
        let (mut halves, mut sums) = ([0.0; FRAME], [0.0; FRAME]);
        for ((half, sum), frequency) in halves.iter_mut().zip(&mut sums).zip(frequencies) {
            let frequency = frequency.max(UNVOICED_BELOW);
            self.phase = (self.phase + f64::from(frequency) / f64::from(RATE)).fract();
            let phase = self.phase as f32 * 2.0 * PI;
            *half = phase / 2.0;
            *sum = phase * ((HARMONICS_BELOW / frequency).floor() + 0.5);
        }
        Sin::default().map_mut(&mut halves);
        Sin::default().map_mut(&mut sums);
        let values = halves.iter().zip(&sums).zip(frequencies);
        for (sample, ((half, sum), frequency)) in samples.iter_mut().zip(values) {
            let half = 2.0 * half;
            *sample = match (frequency > UNVOICED_BELOW, half.abs() <= NEAR_ZERO) {
                (false, _) => 0.0,
                (true, true) => (HARMONICS_BELOW / frequency).floor(),
                (true, false) => sum / half - 0.5,
            };
        }
    }
}
