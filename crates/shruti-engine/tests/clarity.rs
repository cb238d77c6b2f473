//! Tests of the `clarity` setting on the audio of the voices: durations and marks do not change, the loudness hardly
//! changes, and the samples stay below full scale.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use shruti_engine::{Chunk, Request};
use shruti_lang::Clarity;
use shruti_voice::Voice;
use support::{TEXTS, engine, request};

/// Applies a biquad filter with the coefficients b0, b1, b2, a1 and a2.
fn filtered(samples: &[f64], [b0, b1, b2, a1, a2]: [f64; 5]) -> Vec<f64> {
    let (mut one, mut two) = (0.0, 0.0);
    let next = |&x: &f64| {
        let y = b0 * x + one;
        one = b1 * x - a1 * y + two;
        two = b2 * x - a2 * y;
        y
    };
    samples.iter().map(next).collect()
}

/// Returns the loudness according to ITU-R BS.1770-4 in LUFS, with the absolute and the relative gate. The
/// filters of the standard are converted to 24,000 Hz.
fn loudness(samples: &[i16]) -> f64 {
    let (rate, q) = (24_000.0, std::f64::consts::FRAC_1_SQRT_2);
    let shelf = (std::f64::consts::PI * 1_681.974 / rate).tan();
    let (high, band) = (10_f64.powf(4.0 / 20.0), 10_f64.powf(2.0 / 20.0));
    let all = 1.0 + shelf / q + shelf * shelf;
    let head = [
        (high + band * shelf / q + shelf * shelf) / all,
        2.0 * (shelf * shelf - high) / all,
        (high - band * shelf / q + shelf * shelf) / all,
        2.0 * (shelf * shelf - 1.0) / all,
        (1.0 - shelf / q + shelf * shelf) / all,
    ];
    let low = (std::f64::consts::PI * 38.135 / rate).tan();
    let below = 1.0 + low / 0.5 + low * low;
    let cut = [1.0, -2.0, 1.0, 2.0 * (low * low - 1.0) / below, (1.0 - low / 0.5 + low * low) / below];
    let samples: Vec<f64> = samples.iter().map(|&sample| f64::from(sample) / 32_768.0).collect();
    let weighted = filtered(&filtered(&samples, head), cut);
    let power = |block: &[f64]| block.iter().map(|x| x * x).sum::<f64>() / block.len() as f64;
    let level = |power: f64| 10.0 * power.log10() - 0.691;
    let mean = |powers: &[f64]| powers.iter().sum::<f64>() / powers.len() as f64;
    let blocks: Vec<f64> = weighted.windows(9_600).step_by(2_400).map(power).collect();
    let audible: Vec<f64> = blocks.into_iter().filter(|&power| level(power) > -70.0).collect();
    let gate = level(mean(&audible)) - 10.0;
    let loud: Vec<f64> = audible.into_iter().filter(|&power| level(power) > gate).collect();
    level(mean(&loud))
}

fn chunks(request: Request, text: &str) -> Vec<Chunk> {
    let engine = engine(1);
    let mut speech = engine.speak_text(request, text).unwrap();
    std::iter::from_fn(|| speech.blocking_next()).map(Result::unwrap).collect()
}

fn samples(chunks: &[Chunk]) -> Vec<i16> {
    chunks.iter().flat_map(|chunk| chunk.samples.iter().copied()).collect()
}

#[test]
fn clarity_keeps_loudness_within_full_scale() {
    for clarity in [Clarity::Phone, Clarity::Room] {
        for voice in Voice::ALL {
            let mut changes = Vec::new();
            for (language, text) in
                TEXTS.into_iter().flat_map(|(language, texts)| texts.map(|text| (language, text)))
            {
                let plain = request(Some(language), voice, 1.0);
                let shaped = samples(&chunks(Request { clarity, ..plain.clone() }, text));
                let loudest = shaped.iter().map(|sample| sample.unsigned_abs()).max().unwrap();
                assert!(loudest < 32_200, "{clarity} {voice} {language}: {loudest}");
                let change = loudness(&shaped) - loudness(&samples(&chunks(plain, text)));
                assert!(change.abs() < 2.0, "{clarity} {voice} {language}: {change:+.2} LU");
                changes.push(change);
            }
            let mean = changes.iter().sum::<f64>() / changes.len() as f64;
            assert!(mean.abs() < 0.7, "{clarity} {voice}: {mean:+.2} LU");
        }
    }
}

#[test]
fn clarity_keeps_chunks_marks_and_lengths() {
    for clarity in [Clarity::Phone, Clarity::Room] {
        for (language, [text, ..]) in TEXTS {
            let plain = request(Some(language), Voice::ALL[0], 1.0);
            let before = chunks(plain.clone(), text);
            let after = chunks(Request { clarity, ..plain }, text);
            assert_ne!(samples(&before), samples(&after), "{clarity} {language}");
            assert_eq!(before.len(), after.len(), "{clarity} {language}");
            for (before, after) in before.iter().zip(&after) {
                let with_the_same_samples = Chunk { samples: before.samples.clone(), ..after.clone() };
                assert_eq!(*before, with_the_same_samples, "{clarity} {language}");
                assert_eq!(before.samples.len(), after.samples.len(), "{clarity} {language}");
            }
        }
    }
}
