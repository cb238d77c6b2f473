//! Fast port of `listen.py`: a trial takes milliseconds. Computes the cepstra of a word and the distance between two
//! words.
//!
//! The steps and constants are those of `listen.py`; `fit check` prints the features of a recording for comparison.

use std::f64::consts::PI;
use std::sync::Arc;

use realfft::{RealFftPlanner, RealToComplex};

use crate::conditions::resampled;

const RATE: usize = 16_000;
const FFT: usize = 512;
const BINS: usize = FFT / 2 + 1;
const HOP: usize = 160;
const WINDOW: usize = 400;
const BANDS: usize = 26;
const CEPSTRA: usize = 13;
const SILENCE: usize = 320;
/// Number of values per frame: cepstra and their slopes, padded to a multiple of eight.
pub const WIDTH: usize = 32;

/// One frame of a word.
pub type Frame = [f32; WIDTH];

/// Feature extractor for one vocal tract length.
pub struct Listener {
    warp: f64,
    hamming: Vec<f64>,
    bands: Vec<Vec<(usize, f64)>>,
    cosines: Vec<[f64; BANDS]>,
    transform: Arc<dyn RealToComplex<f64>>,
}

impl Listener {
    /// Creates a listener; `warp` stretches its frequencies, as listen.py does for other vocal tract lengths.
    pub fn new(warp: f64) -> Self {
        let hamming = (0..WINDOW).map(|i| 0.54 - 0.46 * (2.0 * PI * i as f64 / (WINDOW - 1) as f64).cos());
        let cosines = (0..CEPSTRA).map(|k| {
            let scale = if k == 0 { (1.0 / BANDS as f64).sqrt() } else { (2.0 / BANDS as f64).sqrt() };
            std::array::from_fn(|band| scale * (PI * k as f64 * (band as f64 + 0.5) / BANDS as f64).cos())
        });
        Self {
            warp,
            hamming: hamming.collect(),
            bands: mel_bands(),
            cosines: cosines.collect(),
            transform: RealFftPlanner::new().plan_fft_forward(FFT),
        }
    }

    /// Returns the frames of a word. `samples` are at 24 kHz, from -1.0 to 1.0.
    pub fn hear(&self, samples: &[f64]) -> Vec<Frame> {
        self.hear_through(samples, |sound| sound.to_vec())
    }

    /// Returns the frames of a word after a transmission. `arrives` simulates the transmission: it receives the word at
    /// 16 kHz, with 20 ms of silence on either side.
    pub fn hear_through(&self, samples: &[f64], arrives: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Frame> {
        let mut sound = vec![0.0; SILENCE];
        sound.extend(trimmed(&highpassed(&resampled(samples, 2, 3))));
        sound.resize(sound.len() + SILENCE, 0.0);
        let arrived = arrives(&sound);
        self.features(&arrived[SILENCE..arrived.len() - SILENCE])
    }

    fn features(&self, sound: &[f64]) -> Vec<Frame> {
        let mut x: Vec<f64> = sound
            .iter()
            .enumerate()
            .map(|(i, &s)| if i == 0 { s } else { s - 0.97 * sound[i - 1] })
            .collect();
        if x.len() < WINDOW {
            x.resize(WINDOW, 0.0);
        }
        let frames = 1 + (x.len() - WINDOW) / HOP;
        let mut input = self.transform.make_input_vec();
        let mut output = self.transform.make_output_vec();
        let mut cepstra = vec![[0.0f64; CEPSTRA]; frames];
        for (frame, cepstrum) in cepstra.iter_mut().enumerate() {
            input.fill(0.0);
            for i in 0..WINDOW {
                input[i] = x[frame * HOP + i] * self.hamming[i];
            }
            // This cannot fail, because the buffers have the lengths of the plan.
            let _ = self.transform.process(&mut input, &mut output);
            let mut power: Vec<f64> = output.iter().map(|c| c.norm_sqr()).collect();
            if self.warp != 1.0 {
                power = (0..BINS).map(|bin| interpolated(&power, bin as f64 * self.warp)).collect();
            }
            let mut logs = [0.0; BANDS];
            for (log, band) in logs.iter_mut().zip(&self.bands) {
                *log = (band.iter().map(|&(bin, weight)| power[bin] * weight).sum::<f64>() + 1e-8).ln();
            }
            for (c, row) in cepstrum.iter_mut().zip(&self.cosines) {
                *c = row.iter().zip(&logs).map(|(a, b)| a * b).sum();
            }
        }
        normalised(&mut cepstra);
        with_slopes(&cepstra)
    }
}

fn interpolated(power: &[f64], at: f64) -> f64 {
    let at = at.min((BINS - 1) as f64);
    let low = (at as usize).min(BINS - 2);
    power[low] + (power[low + 1] - power[low]) * (at - low as f64)
}

/// Normalises cepstra to mean 0 and standard deviation 1 over the word. The first coefficient, the level, gets half the
/// weight.
fn normalised(cepstra: &mut [[f64; CEPSTRA]]) {
    let frames = cepstra.len() as f64;
    for k in 0..CEPSTRA {
        let mean = cepstra.iter().map(|c| c[k]).sum::<f64>() / frames;
        let variance = cepstra.iter().map(|c| (c[k] - mean).powi(2)).sum::<f64>() / frames;
        let scale = if k == 0 { 0.5 } else { 1.0 } / (variance.sqrt() + 1e-3);
        for c in cepstra.iter_mut() {
            c[k] = (c[k] - mean) * scale;
        }
    }
}

fn with_slopes(cepstra: &[[f64; CEPSTRA]]) -> Vec<Frame> {
    let last = cepstra.len() - 1;
    (0..cepstra.len())
        .map(|i| {
            let mut frame = [0.0; WIDTH];
            for k in 0..CEPSTRA {
                frame[k] = cepstra[i][k] as f32;
                let slope = match (i, last) {
                    (_, 0) => 0.0,
                    (0, _) => cepstra[1][k] - cepstra[0][k],
                    (i, _) if i == last => cepstra[i][k] - cepstra[i - 1][k],
                    _ => 0.5 * (cepstra[i + 1][k] - cepstra[i - 1][k]),
                };
                frame[CEPSTRA + k] = (1.5 * slope) as f32;
            }
            frame
        })
        .collect()
}

/// Applies a second-order Butterworth high-pass filter at 100 Hz.
fn highpassed(x: &[f64]) -> Vec<f64> {
    let w = (PI * 100.0 / RATE as f64).tan();
    let norm = 1.0 / (1.0 + std::f64::consts::SQRT_2 * w + w * w);
    let (b0, b1) = (norm, -2.0 * norm);
    let (a1, a2) = (2.0 * (w * w - 1.0) * norm, (1.0 - std::f64::consts::SQRT_2 * w + w * w) * norm);
    let (mut s1, mut s2) = (0.0, 0.0);
    x.iter()
        .map(|&x| {
            let y = b0 * x + s1;
            s1 = b1 * x - a1 * y + s2;
            s2 = b0 * x - a2 * y;
            y
        })
        .collect()
}

/// Returns the section from the first to the last of the frames that are within 24 dB of the loudest frame.
fn trimmed(x: &[f64]) -> Vec<f64> {
    let count = x.len().saturating_sub(HOP).max(1).div_ceil(HOP);
    let energy: Vec<f64> = (0..count)
        .map(|i| {
            let frame = &x[(i * HOP).min(x.len())..(i * HOP + HOP).min(x.len())];
            frame.iter().map(|s| s * s).sum::<f64>() / frame.len().max(1) as f64
        })
        .collect();
    let threshold = (energy.iter().copied().fold(0.0, f64::max) * 4e-3).max(1e-8);
    let first = energy.iter().position(|&e| e > threshold);
    let last = energy.iter().rposition(|&e| e > threshold);
    match (first, last) {
        (Some(first), Some(last)) => {
            x[first.saturating_sub(1) * HOP..((last + 2) * HOP).min(x.len())].to_vec()
        }
        _ => x[..x.len().min(RATE / 10)].to_vec(),
    }
}

fn mel_bands() -> Vec<Vec<(usize, f64)>> {
    let mel = |f: f64| 2595.0 * (1.0 + f / 700.0).log10();
    let hertz = |m: f64| 700.0 * (10f64.powf(m / 2595.0) - 1.0);
    let (low, high) = (mel(80.0), mel(5000.0));
    let points: Vec<usize> = (0..BANDS + 2)
        .map(|i| {
            let m = low + (high - low) * i as f64 / (BANDS + 1) as f64;
            ((FFT + 1) as f64 * hertz(m) / RATE as f64).floor() as usize
        })
        .collect();
    points
        .windows(3)
        .map(|p| {
            let (a, b) = (p[0], p[1].max(p[0] + 1));
            let c = p[2].max(b + 1);
            let rising = (a..b).map(|bin| (bin, (bin - a) as f64 / (b - a) as f64));
            rising.chain((b..c).map(|bin| (bin, (c - bin) as f64 / (c - b) as f64))).collect()
        })
        .collect()
}

/// Returns the dynamic time warping distance between two words, divided by the total number of frames.
pub fn distance(one: &[Frame], other: &[Frame]) -> f64 {
    let width = other.len();
    let mut above = vec![1e18f32; width + 1];
    let mut row = vec![1e18f32; width + 1];
    let mut local = vec![0.0f32; width];
    above[0] = 0.0;
    for frame in one {
        for (local, beside) in local.iter_mut().zip(other) {
            let mut sums = [0.0f32; 8];
            for k in 0..WIDTH {
                let difference = frame[k] - beside[k];
                sums[k % 8] += difference * difference;
            }
            *local = sums.iter().sum();
        }
        local.iter_mut().for_each(|d| *d = d.sqrt());
        row[0] = 1e18;
        for j in 0..width {
            let best = above[j].min(above[j + 1]).min(row[j]);
            row[j + 1] = best + local[j];
        }
        std::mem::swap(&mut above, &mut row);
    }
    f64::from(above[width]) / (one.len() + width) as f64
}
