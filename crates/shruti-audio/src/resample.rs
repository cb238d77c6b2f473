//! Streaming sample rate conversion: from 24,000 Hz to the rate that a client requests, and from the rate of a voice to
//! 24,000 Hz.
//!
//! The converter is a polyphase filter: for each possible position of an output sample between two input samples, there
//! is a row of taps, a sinc with a Kaiser window (J. F. Kaiser, "Nonrecursive digital filter design using the I0-sinh
//! window function", 1974). The summation order is the same on every machine, so the samples are identical everywhere.

use std::f64::consts::PI;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use crate::SAMPLE_RATE;
use crate::encoder::Encoder;
use crate::encoding::SAMPLE_RATES;

/// Attenuation of frequencies above half the lower rate, in dB.
const ATTENUATION: f64 = 100.0;
/// Width of the transition band: this fraction of half the lower rate, but at most `MAX_TRANSITION` Hz. The fraction
/// retains the telephone band up to 3,400 Hz at a rate of 8,000 Hz. The maximum retains speech up to 11,000 Hz at a
/// rate of 24,000 Hz.
const TRANSITION: f64 = 0.15;
const MAX_TRANSITION: f64 = 1_000.0;
/// Number of partial sums that are computed in parallel.
const LANES: usize = 8;

/// Returns the number of samples at `sample_rate` that have the same duration as `samples` samples at 24,000 Hz,
/// rounded to the nearest sample.
pub const fn resampled_len(samples: u64, sample_rate: u32) -> u64 {
    len_between(samples, SAMPLE_RATE, sample_rate)
}

/// Returns the number of samples at the rate `to` that have the same duration as `samples` samples at the rate `from`,
/// rounded to the nearest sample.
const fn len_between(samples: u64, from: u32, to: u32) -> u64 {
    let exact = samples as u128 * to as u128;
    ((exact + from as u128 / 2) / from as u128) as u64
}

/// Returns the duration of the audio after a sample that must be processed before the sample is output.
pub(crate) fn latency(sample_rate: u32) -> Duration {
    if sample_rate == SAMPLE_RATE {
        return Duration::ZERO;
    }
    Duration::from_secs_f64(reach(SAMPLE_RATE, sample_rate) as f64 / f64::from(SAMPLE_RATE))
}

/// Returns the start and end of the transition band between two rates, in Hz; the end is half the lower rate.
fn transition(from: u32, to: u32) -> (f64, f64) {
    let end = f64::from(from.min(to)) / 2.0;
    (end - (TRANSITION * end).min(MAX_TRANSITION), end)
}

/// Returns the number of input samples that a filter covers on either side of an output sample.
fn reach(from: u32, to: u32) -> usize {
    let (begin, end) = transition(from, to);
    // Kaiser's estimate of the filter length; `width` is the transition width in radians per sample
    let width = 2.0 * PI * (end - begin) / f64::from(from);
    let taps = (ATTENUATION - 7.95) / (2.285 * width);
    (taps / 2.0).ceil() as usize
}

/// Filter taps for a pair of rates.
#[derive(Debug)]
struct Filter {
    /// Ratio of the rates in lowest terms: `up` output samples replace `down` input samples.
    up: usize,
    down: usize,
    /// Number of input samples on each side of an output sample that contribute to the output sample.
    reach: usize,
    /// `up` rows of taps; the length of a row is a multiple of [`LANES`].
    taps: Vec<f32>,
    row: usize,
}

impl Filter {
    fn to(sample_rate: u32) -> Self {
        Self::between(SAMPLE_RATE, sample_rate)
    }

    fn between(from: u32, to: u32) -> Self {
        let common = gcd(to, from);
        let (up, down) = ((to / common) as usize, (from / common) as usize);
        let reach = reach(from, to);
        let row = (2 * reach).next_multiple_of(LANES);
        let (begin, end) = transition(from, to);
        // middle of the transition band, relative to half the input rate
        let cutoff = (begin + end) / f64::from(from);
        let beta = 0.1102 * (ATTENUATION - 8.7);
        let mut taps = vec![0.0; up * row];
        for (phase, row) in taps.chunks_exact_mut(row).enumerate() {
            let offset = phase as f64 / up as f64;
            for (tap, weight) in row.iter_mut().take(2 * reach).enumerate() {
                let time = tap as f64 - (reach as f64 - 1.0) - offset;
                *weight = (cutoff * sinc(cutoff * time) * kaiser(beta, time / reach as f64)) as f32;
            }
        }
        Self { up, down, reach, taps, row }
    }

    /// Returns the filter that converts to a rate; filters for [`SAMPLE_RATES`] are created once and cached.
    fn shared(sample_rate: u32) -> Arc<Self> {
        static FILTERS: [LazyLock<Arc<Filter>>; SAMPLE_RATES.len()] = [
            LazyLock::new(|| Arc::new(Filter::to(SAMPLE_RATES[0]))),
            LazyLock::new(|| Arc::new(Filter::to(SAMPLE_RATES[1]))),
            LazyLock::new(|| Arc::new(Filter::to(SAMPLE_RATES[2]))),
            LazyLock::new(|| Arc::new(Filter::to(SAMPLE_RATES[3]))),
            LazyLock::new(|| Arc::new(Filter::to(SAMPLE_RATES[4]))),
            LazyLock::new(|| Arc::new(Filter::to(SAMPLE_RATES[5]))),
            LazyLock::new(|| Arc::new(Filter::to(SAMPLE_RATES[6]))),
            LazyLock::new(|| Arc::new(Filter::to(SAMPLE_RATES[7]))),
        ];
        match SAMPLE_RATES.iter().position(|&rate| rate == sample_rate) {
            Some(at) => Arc::clone(&FILTERS[at]),
            None => Arc::new(Self::to(sample_rate)),
        }
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Returns sin(πx) / πx.
fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { libm::sin(PI * x) / (PI * x) }
}

/// Returns the value of the Kaiser window at `x`; 0 outside the range -1 to 1.
fn kaiser(beta: f64, x: f64) -> f64 {
    let inside = 1.0 - x * x;
    if inside < 0.0 { 0.0 } else { bessel(beta * inside.sqrt()) / bessel(beta) }
}

/// Returns the modified Bessel function of the first kind of order zero, computed from its power series.
fn bessel(x: f64) -> f64 {
    let (mut sum, mut term, mut k) = (1.0, 1.0, 1.0);
    while term > sum * 1e-17 {
        term *= (x / (2.0 * k)) * (x / (2.0 * k));
        sum += term;
        k += 1.0;
    }
    sum
}

/// A sample rate converter. The output starts with the first input sample, without delay, and has the same duration,
/// rounded to the nearest sample.
///
/// The converter processes integers ([`process`](Self::process)) or floats of any scale
/// ([`process_floats`](Self::process_floats)). Floats are neither rounded nor clipped.
#[derive(Clone, Debug)]
pub struct Resampler {
    filter: Arc<Filter>,
    from: u32,
    to: u32,
    /// Input samples that later output samples depend on.
    window: Vec<f32>,
    /// Index in the window of the first input sample for the next output sample, and the position of the output sample
    /// between two input samples, in units of 1/`up`.
    begins: usize,
    phase: usize,
    taken: u64,
    given: u64,
}

impl Resampler {
    /// Creates a converter from 24,000 Hz to another rate. The rate must be greater than 0 Hz.
    pub fn new(sample_rate: u32) -> Self {
        Self::with_filter(Filter::shared(sample_rate), SAMPLE_RATE, sample_rate)
    }

    /// Creates a converter between two rates. The rates must be greater than 0 Hz. The taps are computed on every call;
    /// a [clone](Clone) shares them. To reuse the taps, clone a converter before its first sample.
    pub fn between(from: u32, to: u32) -> Self {
        Self::with_filter(Arc::new(Filter::between(from, to)), from, to)
    }

    fn with_filter(filter: Arc<Filter>, from: u32, to: u32) -> Self {
        // the window begins with silence before the first sample
        let window = vec![0.0; filter.reach - 1];
        Self { filter, from, to, window, begins: 0, phase: 0, taken: 0, given: 0 }
    }

    /// Returns the number of output samples for a number of input samples.
    pub const fn output_len(&self, samples: u64) -> u64 {
        len_between(samples, self.from, self.to)
    }

    /// Processes a block of samples. Returns the output that is complete, possibly none.
    pub fn process(&mut self, samples: &[i16]) -> Vec<i16> {
        self.take(samples.iter().map(|&sample| f32::from(sample)));
        self.run(u64::MAX, whole)
    }

    /// Returns the remaining output after the last block.
    pub fn finish(&mut self) -> Vec<i16> {
        self.end(whole)
    }

    /// Variant of [`process`](Self::process) for floats.
    pub fn process_floats(&mut self, samples: &[f32]) -> Vec<f32> {
        self.take(samples.iter().copied());
        self.run(u64::MAX, |sample| sample)
    }

    /// Variant of [`finish`](Self::finish) for floats.
    pub fn finish_floats(&mut self) -> Vec<f32> {
        self.end(|sample| sample)
    }

    fn take(&mut self, samples: impl ExactSizeIterator<Item = f32>) {
        self.taken += samples.len() as u64;
        self.window.extend(samples);
    }

    fn end<T>(&mut self, made: impl Fn(f32) -> T) -> Vec<T> {
        let length = self.window.len() + self.filter.reach;
        self.window.resize(length, 0.0);
        self.run(self.output_len(self.taken), made)
    }

    /// Returns all output samples for which the input is complete; the total number of output samples is limited to
    /// `most`.
    fn run<T>(&mut self, most: u64, made: impl Fn(f32) -> T) -> Vec<T> {
        let filter = &*self.filter;
        let room = self.window.len().saturating_sub(self.begins) * filter.up / filter.down + 1;
        let mut out = Vec::with_capacity(room);
        while self.given < most
            && let Some(input) = self.window.get(self.begins..self.begins + 2 * filter.reach)
        {
            let taps = &filter.taps[self.phase * filter.row..][..filter.row];
            out.push(made(dot(input, taps)));
            self.given += 1;
            let next = self.phase + filter.down;
            self.begins += next / filter.up;
            self.phase = next % filter.up;
        }
        let spent = self.begins.min(self.window.len());
        self.window.drain(..spent);
        self.begins -= spent;
        out
    }
}

/// Rounds to the nearest integer; `as` saturates.
fn whole(sample: f32) -> i16 {
    sample.round() as i16
}

/// Returns the dot product of samples and taps, in a summation order that compilers can vectorise. `taps` may be longer
/// than `input`, padded with zeros.
fn dot(input: &[f32], taps: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let (input_lanes, input_rest) = input.as_chunks::<LANES>();
    let (tap_lanes, _) = taps.as_chunks::<LANES>();
    for (input, taps) in input_lanes.iter().zip(tap_lanes) {
        for lane in 0..LANES {
            sums[lane] += input[lane] * taps[lane];
        }
    }
    let rest = &taps[input.len() - input_rest.len()..];
    for ((sum, input), tap) in sums.iter_mut().zip(input_rest).zip(rest) {
        *sum += input * tap;
    }
    sums.iter().sum()
}

/// An encoder whose input is resampled by a [`Resampler`].
#[derive(Debug)]
pub(crate) struct Resampled<E> {
    resampler: Resampler,
    encoder: E,
}

impl<E: Encoder> Resampled<E> {
    pub(crate) fn new(sample_rate: u32, encoder: E) -> Self {
        Self { resampler: Resampler::new(sample_rate), encoder }
    }

    fn len(&self, samples: u64) -> u64 {
        self.resampler.output_len(samples)
    }
}

impl<E: Encoder> Encoder for Resampled<E> {
    fn header(&mut self, samples: Option<u64>) -> Vec<u8> {
        let samples = samples.map(|samples| self.len(samples));
        self.encoder.header(samples)
    }

    fn encode(&mut self, samples: &[i16]) -> Vec<u8> {
        let samples = self.resampler.process(samples);
        self.encoder.encode(&samples)
    }

    fn finish(&mut self) -> Vec<u8> {
        let samples = self.resampler.finish();
        let mut bytes = self.encoder.encode(&samples);
        bytes.extend(self.encoder.finish());
        bytes
    }

    fn encoded_bytes(&self, samples: u64) -> Option<u64> {
        self.encoder.encoded_bytes(self.len(samples))
    }
}

#[cfg(test)]
mod tests;
