//! The two branches of the vocal tract filter as banks of resonators, applied frame by frame.

use crate::SAMPLE_RATE;
use crate::plan::FRAME;
use crate::resonator::Coefficients;
use crate::tables::linear;

/// Magnitude below which filter state is set to zero. Such state is inaudible, and would become a denormal number,
/// which is slow to process.
const SILENT: f32 = 1e-9;

/// Eight resonators in series, computed in parallel: the input of each is the previous output sample of the preceding
/// resonator, so that the eight results of a step do not depend on each other. This delays the output by seven samples,
/// about 0.3 ms.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cascade {
    a: [f32; 8],
    b: [f32; 8],
    c: [f32; 8],
    last: [f32; 8],
    before: [f32; 8],
}

impl Cascade {
    pub(crate) fn set(&mut self, lane: usize, k: Coefficients) {
        self.a[lane] = k.a;
        self.b[lane] = k.b;
        self.c[lane] = k.c;
    }

    /// Returns `true` if the resonators have decayed to silence.
    pub(crate) fn is_silent(&self) -> bool {
        self.last == [0.0; 8] && self.before == [0.0; 8]
    }

    /// Clears the state.
    pub(crate) fn reset(&mut self) {
        self.last = [0.0; 8];
        self.before = [0.0; 8];
    }

    /// Filters a frame in place.
    pub(crate) fn run(&mut self, frame: &mut [f32; FRAME]) {
        let Self { a, b, c, mut last, mut before } = *self;
        for sample in frame.iter_mut() {
            let input = [*sample, last[0], last[1], last[2], last[3], last[4], last[5], last[6]];
            let mut output = [0.0; 8];
            for k in 0..8 {
                output[k] = (b[k] * last[k] + c[k] * before[k]) + a[k] * input[k];
            }
            before = last;
            last = output;
            *sample = output[7];
        }
        self.last = last.map(flushed);
        self.before = before.map(flushed);
    }
}

/// Four resonators in parallel, for frication.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parallel {
    a: [f32; 4],
    b: [f32; 4],
    c: [f32; 4],
    last: [f32; 4],
    before: [f32; 4],
    bypass: f32,
    input: f32,
}

impl Parallel {
    pub(crate) fn set(&mut self, lane: usize, k: Coefficients) {
        // Adjacent resonators have opposite phase, so that they do not cancel between their peaks (Klatt 1980).
        self.a[lane] = if lane.is_multiple_of(2) { k.a } else { -k.a };
        self.b[lane] = k.b;
        self.c[lane] = k.c;
    }

    pub(crate) fn set_bypass(&mut self, bypass: f32) {
        self.bypass = bypass;
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.last == [0.0; 4] && self.before == [0.0; 4]
    }

    pub(crate) fn reset(&mut self) {
        self.last = [0.0; 4];
        self.before = [0.0; 4];
        self.input = 0.0;
    }

    /// Adds a filtered frame of noise to the output.
    pub(crate) fn run(&mut self, noise: &[f32; FRAME], output: &mut [f32; FRAME]) {
        let Self { a, b, c, mut last, mut before, bypass, input } = *self;
        let mut earlier = input;
        for (sum, &sample) in output.iter_mut().zip(noise) {
            let emphasised = sample - Coefficients::PRE_EMPHASIS * earlier;
            earlier = sample;
            let mut now = [0.0; 4];
            for k in 0..4 {
                now[k] = (b[k] * last[k] + c[k] * before[k]) + a[k] * emphasised;
            }
            before = last;
            last = now;
            *sum += ((now[0] + now[1]) + (now[2] + now[3])) + bypass * emphasised;
        }
        self.input = earlier;
        self.last = last.map(flushed);
        self.before = before.map(flushed);
    }
}

/// An anti-resonator (Klatt 1980): the pair of zeros that the nasal cavity adds.
#[derive(Clone, Debug, Default)]
pub(crate) struct AntiResonator {
    k: Coefficients,
    last: f32,
    before: f32,
}

impl AntiResonator {
    pub(crate) fn set(&mut self, k: Coefficients) {
        self.k = k;
    }

    pub(crate) fn reset(&mut self) {
        self.last = 0.0;
        self.before = 0.0;
    }

    pub(crate) fn run(&mut self, frame: &mut [f32; FRAME]) {
        let Coefficients { a, b, c } = self.k;
        let (mut last, mut before) = (self.last, self.before);
        for sample in frame.iter_mut() {
            let input = *sample;
            *sample = a * input + (b * last + c * before);
            before = last;
            last = input;
        }
        self.last = flushed(last);
        self.before = flushed(before);
    }
}

/// First-order high shelf: boosts frequencies above a corner frequency.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shelf {
    /// Linear gain of the high frequencies, minus 1.
    more: f32,
    pole: f32,
    low: f32,
}

impl Shelf {
    /// Creates a filter with a gain of `decibels` far above `corner` Hz.
    pub(crate) fn new(decibels: f32, corner: f32) -> Self {
        let pole = libm::expf(-std::f32::consts::TAU * corner / SAMPLE_RATE as f32);
        Self { more: linear(decibels) - 1.0, pole, low: 0.0 }
    }

    pub(crate) fn reset(&mut self) {
        self.low = 0.0;
    }

    pub(crate) fn run(&mut self, frame: &mut [f32; FRAME]) {
        let Self { more, pole, mut low } = *self;
        for sample in frame.iter_mut() {
            low = *sample + pole * (low - *sample);
            *sample += more * (*sample - low);
        }
        self.low = flushed(low);
    }
}

/// Second-order high shelf with a steep slope (Bristow-Johnson, "Cookbook formulae"): boosts frequencies above a corner
/// frequency.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Air {
    forward: [f32; 3],
    back: [f32; 2],
    state: [f32; 2],
}

impl Air {
    /// Creates a filter with a gain of `decibels` well above `corner` Hz, and half of this gain in dB at the corner.
    pub(crate) fn new(decibels: f32, corner: f32) -> Self {
        let w = std::f64::consts::TAU * f64::from(corner) / f64::from(SAMPLE_RATE);
        let (sine, cosine) = (libm::sin(w), libm::cos(w));
        let a = libm::pow(10.0, f64::from(decibels) / 40.0);
        let slope = libm::sqrt(a) * sine * std::f64::consts::SQRT_2;
        let (sum, difference) = (a + 1.0, a - 1.0);
        let scale = 1.0 / (sum - difference * cosine + slope);
        let forward = [
            a * (sum + difference * cosine + slope),
            -2.0 * a * (difference + sum * cosine),
            a * (sum + difference * cosine - slope),
        ];
        let back = [2.0 * (difference - sum * cosine), sum - difference * cosine - slope];
        Self {
            forward: forward.map(|k| (k * scale) as f32),
            back: back.map(|k| (k * scale) as f32),
            state: [0.0; 2],
        }
    }

    pub(crate) fn reset(&mut self) {
        self.state = [0.0; 2];
    }

    pub(crate) fn run(&mut self, frame: &mut [f32; FRAME]) {
        let ([b0, b1, b2], [a1, a2]) = (self.forward, self.back);
        let [mut first, mut second] = self.state;
        for sample in frame.iter_mut() {
            let input = *sample;
            let output = b0 * input + first;
            first = (b1 * input - a1 * output) + second;
            second = b2 * input - a2 * output;
            *sample = output;
        }
        self.state = [first, second].map(flushed);
    }
}

pub(crate) fn flushed(state: f32) -> f32 {
    if state.abs() < SILENT { 0.0 } else { state }
}
