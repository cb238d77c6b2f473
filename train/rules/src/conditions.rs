//! Simulated channels between a voice and its listener: the telephone and the room of `phone.py`.

use std::f64::consts::PI;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// Listening condition; the order is that of `CONDITIONS` in messages.py.
#[derive(Clone, Copy, PartialEq)]
pub enum Condition {
    Clean,
    Telephone,
    Room,
}

/// `scipy.signal.butter(6, [300, 3400], "bandpass", fs=8000, output="sos")`: b1 (b0 and b2 are 1), a1, a2.
const BAND: [[f64; 3]; 6] = [
    [2.0, 1.2052622943656959, 0.37122221642686687],
    [2.0, 1.3423045143340906, 0.516380128598303],
    [-2.0, -1.5670766693679494, 0.6169232094774123],
    [-2.0, -1.6675616713630557, 0.7176625588018256],
    [2.0, 1.6016701834210092, 0.7990301092509623],
    [-2.0, -1.8387148189052875, 0.8913275282735709],
];
const BAND_GAIN: f64 = 0.2458534413573653;
/// Ratio of the power of active speech to that of the babble: 5 dB.
const RATIO: f64 = 3.1622776601683795;

/// Babble of many voices at 16 kHz. It may be empty if no item is heard in a room.
pub struct Babble(Vec<f64>);

impl Babble {
    /// Reads the babble that record.py wrote.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("babble.bin");
        let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
        let samples = bytes.chunks_exact(2).map(|b| f64::from(i16::from_le_bytes([b[0], b[1]])) / 32768.0);
        Ok(Self(samples.collect()))
    }

    /// Returns 16 kHz audio as it arrives in a condition. The same seed selects the same section of babble.
    pub fn through(&self, sound: &[f64], condition: Condition, seed: usize) -> Vec<f64> {
        match condition {
            Condition::Clean => sound.to_vec(),
            Condition::Telephone => telephone(sound),
            Condition::Room => self.beside(sound, seed),
        }
    }

    fn beside(&self, sound: &[f64], seed: usize) -> Vec<f64> {
        let power = |x: &[f64]| x.iter().map(|s| s * s).sum::<f64>() / x.len().max(1) as f64;
        let frames: Vec<f64> = sound.chunks_exact(160).map(power).collect();
        let least = frames.iter().copied().fold(0.0, f64::max) * 1e-3;
        let active: Vec<f64> = frames.into_iter().filter(|&p| p > least).collect();
        let speech = active.iter().sum::<f64>() / active.len().max(1) as f64;
        let start = seed * 7919 % self.0.len();
        let noise: Vec<f64> = self.0.iter().cycle().skip(start).take(sound.len()).copied().collect();
        let scale = (speech / RATIO / power(&noise).max(1e-12)).sqrt();
        sound.iter().zip(&noise).map(|(s, n)| s + scale * n).collect()
    }
}

/// Resamples audio to 8 kHz, limits it to 300–3,400 Hz, and quantises it with μ-law.
fn telephone(sound: &[f64]) -> Vec<f64> {
    let mut x = resampled(sound, 1, 2);
    for [b1, a1, a2] in BAND {
        let (mut s1, mut s2) = (0.0, 0.0);
        for sample in &mut x {
            let y = *sample + s1;
            s1 = b1 * *sample - a1 * y + s2;
            s2 = *sample - a2 * y;
            *sample = y;
        }
    }
    let peak = x.iter().map(|s| BAND_GAIN * s.abs()).fold(0.0, f64::max).max(1e-12);
    for sample in &mut x {
        let y: f64 = 0.9 * BAND_GAIN * *sample / peak;
        let m = y.signum() * (255.0 * y.abs()).ln_1p() / 256f64.ln();
        let q: f64 = ((m + 1.0) / 2.0 * 255.0).round() / 255.0 * 2.0 - 1.0;
        *sample = q.signum() * (q.abs() * 256f64.ln()).exp_m1() / 255.0;
    }
    resampled(&x, 2, 1)
}

/// Resamples like scipy's `resample_poly`.
pub fn resampled(samples: &[f64], up: usize, down: usize) -> Vec<f64> {
    let taps = lowpass(up, down);
    let half = (taps.len() - 1) / 2;
    let length = (samples.len() * up).div_ceil(down);
    (0..length)
        .map(|n| {
            // Output sample n is at n·down in the series that results from inserting up - 1 zeros after each input
            // sample.
            let centre = down * n + half;
            let first = (down * n).saturating_sub(half).div_ceil(up);
            let last = (centre / up).min(samples.len().saturating_sub(1));
            (first..=last).map(|i| samples[i] * taps[centre - up * i]).sum()
        })
        .collect()
}

/// Returns the default filter of `resample_poly`: a Kaiser window with β = 5 and ten periods of the lower rate on each
/// side.
fn lowpass(up: usize, down: usize) -> Vec<f64> {
    let most = up.max(down);
    let half = 10 * most;
    let bessel = |x: f64| {
        let (mut sum, mut term) = (1.0, 1.0);
        for k in 1..40 {
            term *= (x / 2.0 / k as f64).powi(2);
            sum += term;
        }
        sum
    };
    let cut = 1.0 / most as f64;
    let mut taps: Vec<f64> = (0..=2 * half)
        .map(|i| {
            let m = i as f64 - half as f64;
            let sinc = if m == 0.0 { cut } else { (PI * cut * m).sin() / (PI * m) };
            let edge = m / half as f64;
            sinc * bessel(5.0 * (1.0 - edge * edge).max(0.0).sqrt()) / bessel(5.0)
        })
        .collect();
    let sum: f64 = taps.iter().sum();
    taps.iter_mut().for_each(|t| *t *= up as f64 / sum);
    taps
}
