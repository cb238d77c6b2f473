//! The source beside a steady buzz: noise in the high band, movement, soft edges of friction, ends of sentences.

use std::f32::consts::TAU;

use crate::support::{RATE, median, pitches, render, style, utterance};
use shruti_protocol::Language;
use shruti_voice::{Style, UtterancePlan, Voice};

/// What lies about a frequency in Hz: a band-pass twice (Bristow-Johnson's "Cookbook formulae"), an octave wide.
fn band(samples: &[i16], centre: f32) -> Vec<f32> {
    let w = TAU * centre / RATE;
    let alpha = w.sin() / 2.8;
    let mut sound: Vec<f32> = samples.iter().map(|&sample| f32::from(sample)).collect();
    for _ in 0..2 {
        let (mut x1, mut x2, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0);
        for sample in &mut sound {
            let y = (alpha * (*sample - x2) + 2.0 * w.cos() * y1 - (1.0 - alpha) * y2) / (1.0 + alpha);
            (x2, x1, y2, y1) = (x1, *sample, y1, y);
            *sample = y;
        }
    }
    sound
}

/// How much 20 ms pieces are like what follows them a period later, 0 to 1, in a low and in a high band: the mean. Where
/// that is, the low band tells.
fn periodicity(samples: &[i16]) -> [f32; 2] {
    let [low, high] = [500.0, 4000.0].map(|centre| band(samples, centre));
    let period = (RATE / median(pitches(samples))) as usize;
    let size = (0.02 * RATE) as usize;
    let alike = |sound: &[f32], from: usize, lag: usize| {
        let (a, b) = (&sound[from..from + size], &sound[from + lag..from + lag + size]);
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        product(a, b) / (product(a, a) * product(b, b)).sqrt()
    };
    let best = |sound: &[f32], from: usize, lags: std::ops::Range<usize>| {
        lags.map(|lag| (alike(sound, from, lag), lag)).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
    };
    let pieces = samples.len() / size - 2;
    let mut sums = [0.0; 2];
    for from in (0..pieces).map(|piece| piece * size) {
        let (alike, lag) = best(&low, from, period * 3 / 4..period * 4 / 3);
        sums[0] += alike;
        sums[1] += best(&high, from, lag - 6..lag + 7).0;
    }
    sums.map(|sum| sum / pieces as f32)
}

/// The middle of a vowel that is held for about half a second.
fn held(ipa: &str, voice: Voice) -> Vec<i16> {
    let samples = render(&utterance(ipa, Language::Hindi), &Style { voice, speed: 0.5, pitch: 0.0 });
    samples[1200..6000].to_vec()
}

#[test]
fn the_high_band_of_a_vowel_is_partly_noise() {
    for voice in Voice::ALL {
        for vowel in ["aː", "iː", "eː"] {
            let [low, high] = periodicity(&held(vowel, voice));
            assert!(low > 0.9, "{voice} {vowel}: the low band is {low} periodic");
            assert!(high < 0.8 * low, "{voice} {vowel}: {low} at 500 Hz, {high} at 4 kHz");
        }
    }
}

/// Levels in dB of the band of friction in steps of 2 ms, from one sample on.
fn friction(samples: &[i16], from: usize, steps: usize) -> Vec<f32> {
    let high = band(samples, 7000.0);
    let power = |at: usize| high[at..at + 96].iter().map(|x| x * x).sum::<f32>() / 96.0;
    (0..steps).map(|step| 10.0 * (power(from + step * 48) + 1.0).log10()).collect()
}

#[test]
fn friction_dies_away_in_the_vowels_beside_it() {
    for voice in Voice::ALL {
        let said = utterance("aː saː", Language::Hindi);
        let plan = UtterancePlan::new(&said, &style(voice));
        let times: Vec<_> = plan.phone_times().collect();
        let s = times[1].1.clone();
        let samples = render(&said, &style(voice));
        // 8 ms inside the vowels, and well inside them
        let [before, after] = [s.start - 288, s.end + 192].map(|at| friction(&samples, at, 1)[0]);
        let [first, second] = [s.start - 1440, s.end + 1440].map(|at| {
            let levels = friction(&samples, at, 8);
            levels.iter().sum::<f32>() / 8.0
        });
        assert!(before > first + 4.0 && after > second + 4.0, "{voice}: {first} {before} … {after} {second}");
    }
}
