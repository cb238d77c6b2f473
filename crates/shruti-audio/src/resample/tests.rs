use std::f64::consts::TAU;

use rustfft::FftPlanner;
use rustfft::num_complex::Complex;

use super::*;

/// Size of the Fourier transform in samples, and shape parameter of its Kaiser window. The leakage of the window is
/// below -140 dB at distances of at least [`LEAKAGE_BINS`] bins.
const BINS: usize = 16_384;
const WINDOW_BETA: f64 = 16.0;
const LEAKAGE_BINS: usize = 6;

fn other_rates() -> impl Iterator<Item = u32> {
    SAMPLE_RATES.into_iter().filter(|&rate| rate != SAMPLE_RATE)
}

/// Generates a sine at a sample rate of 24,000 Hz; the amplitude is in units of 16-bit samples.
fn sine(hertz: f64, amplitude: f64, samples: usize) -> Vec<i16> {
    let step = TAU * hertz / f64::from(SAMPLE_RATE);
    (0..samples).map(|n| (amplitude * (step * n as f64).sin()).round() as i16).collect()
}

fn resampled(sample_rate: u32, samples: &[i16], block: usize) -> Vec<i16> {
    let mut resampler = Resampler::new(sample_rate);
    let mut out = Vec::new();
    samples.chunks(block).for_each(|block| out.extend(resampler.process(block)));
    out.extend(resampler.finish());
    out
}

/// Returns the amplitudes per bin; the sum of their squares is 1 for a full-scale sine.
fn spectrum(samples: &[i16]) -> Vec<f64> {
    let window = |n: usize| kaiser(WINDOW_BETA, 2.0 * n as f64 / BINS as f64 - 1.0);
    // with this gain, the total power of a sine does not depend on how it is spread over bins
    let gain = (BINS as f64 * (0..BINS).map(|n| window(n).powi(2)).sum::<f64>()).sqrt();
    let value = |(n, &sample): (usize, &i16)| Complex::new(window(n) * f64::from(sample) / 32_768.0, 0.0);
    let mut values: Vec<Complex<f64>> = samples[..BINS].iter().enumerate().map(value).collect();
    FftPlanner::new().plan_fft_forward(BINS).process(&mut values);
    values[..=BINS / 2].iter().map(|value| 2.0 * value.norm() / gain).collect()
}

fn decibels(amplitude: f64) -> f64 {
    20.0 * amplitude.log10()
}

#[test]
fn sines_keep_their_level_without_images_or_aliases() {
    let amplitude = 30_000.0;
    let full = amplitude / 32_768.0;
    for rate in other_rates() {
        let (passes, stops) = transition(SAMPLE_RATE, rate);
        let mut hertz = 97.0;
        while hertz < 11_950.0 {
            let out = resampled(rate, &sine(hertz, amplitude, 6 * BINS), 480);
            let bins = spectrum(&out[out.len() / 4..]);
            let place = hertz * BINS as f64 / f64::from(rate);
            let (mut power, mut other) = (0.0, 0.0_f64);
            for (bin, &level) in bins.iter().enumerate() {
                let is_sound = hertz < stops && (bin as f64 - place).abs() <= LEAKAGE_BINS as f64;
                if is_sound {
                    power += level * level;
                } else {
                    other = other.max(level);
                }
            }
            let (sound, other) = (decibels(power.sqrt() / full), decibels(other / full));
            assert!(other <= -90.0, "{rate} Hz: a sine of {hertz} Hz has {other:.1} dB at other frequencies");
            let is_level = hertz > passes || sound.abs() < 0.001;
            assert!(is_level, "{rate} Hz: a sine of {hertz} Hz passes at {sound:.4} dB");
            hertz += 389.0;
        }
    }
}

#[test]
fn the_length_is_rounded_to_the_nearest_sample() {
    for (samples, rate, expected) in [
        (1, 8_000, 0),
        (2, 8_000, 1),
        (1, 16_000, 1),
        (1, 44_100, 2),
        (3, 44_100, 6),
        (24_000, 11_025, 11_025),
    ] {
        assert_eq!(resampled_len(samples, rate), expected, "{samples} at {rate} Hz");
    }
    assert_eq!(resampled_len(u64::MAX / 2, 48_000), u64::MAX - 1);
}

#[test]
fn start_and_end_of_the_audio_are_unchanged() {
    for rate in other_rates() {
        let hertz = 440.0;
        for samples in [1_u64, 2, 7, 480, 24_000, 24_001] {
            let out = resampled(rate, &sine(hertz, 20_000.0, samples as usize), 100);
            assert_eq!(out.len() as u64, resampled_len(samples, rate), "{rate} Hz, {samples}");
        }
        let out = resampled(rate, &sine(hertz, 20_000.0, 24_000), 100);
        let edge =
            (reach(SAMPLE_RATE, rate) as u64 * u64::from(rate)).div_ceil(u64::from(SAMPLE_RATE)) as usize;
        let step = TAU * hertz / f64::from(rate);
        for (n, &sample) in out.iter().enumerate().take(out.len() - edge).skip(edge) {
            let exact = 20_000.0 * (step * n as f64).sin();
            assert!(
                (f64::from(sample) - exact).abs() < 3.0,
                "{rate} Hz: sample {n} is {sample}, not {exact:.1}"
            );
        }
    }
}

#[test]
fn constants_are_unchanged_and_full_scale_does_not_wrap() {
    for rate in other_rates() {
        let out = resampled(rate, &[12_345; 4_800], 480);
        let edge =
            2 * (reach(SAMPLE_RATE, rate) as u64 * u64::from(rate)).div_ceil(u64::from(SAMPLE_RATE)) as usize;
        assert!(out[edge..out.len() - edge].iter().all(|&sample| sample == 12_345), "{rate} Hz");
        let square: Vec<i16> =
            (0..4_800).map(|n| if n / 60 % 2 == 0 { i16::MAX } else { i16::MIN }).collect();
        let out = resampled(rate, &square, 480);
        let middle = |n: usize| out[(2 * n + 1) * 60 * rate as usize / 24_000 / 2];
        assert!((10..60).all(|n| (middle(n) > 0) == (n % 2 == 0)), "{rate} Hz");
    }
}

#[test]
fn samples_are_independent_of_block_size() {
    let samples: Vec<i16> = (0..5_000_i32).map(|n| (n * n * 31 % 40_009 - 20_000) as i16).collect();
    for rate in other_rates() {
        let expected = resampled(rate, &samples, samples.len());
        for block in [1, 7, 480, 1_111] {
            assert_eq!(resampled(rate, &samples, block), expected, "{rate} Hz, blocks of {block}");
        }
    }
}

/// Resamples floats from another rate to 24,000 Hz.
fn to_ours(from: u32, samples: &[f32], block: usize) -> Vec<f32> {
    let mut resampler = Resampler::between(from, SAMPLE_RATE);
    let mut out = Vec::new();
    samples.chunks(block).for_each(|block| out.extend(resampler.process_floats(block)));
    out.extend(resampler.finish_floats());
    assert_eq!(out.len() as u64, resampler.output_len(samples.len() as u64), "{from} Hz");
    out
}

#[test]
fn sines_of_other_rates_are_converted_in_blocks_of_any_size() {
    for from in [8_000, 16_000, 22_050, 44_100, 48_000] {
        let (passes, _) = transition(from, SAMPLE_RATE);
        for hertz in [220.0, 1_000.0, passes - 50.0] {
            let step = TAU * hertz / f64::from(from);
            let samples: Vec<f32> = (0..from / 2).map(|n| (step * f64::from(n)).sin() as f32).collect();
            let expected = to_ours(from, &samples, samples.len());
            for block in [1, 256, 6_400] {
                assert_eq!(
                    to_ours(from, &samples, block),
                    expected,
                    "{from} Hz, {hertz} Hz, blocks of {block}"
                );
            }
            let step = TAU * hertz / f64::from(SAMPLE_RATE);
            for (n, &sample) in expected.iter().enumerate().skip(1_000).take(expected.len() - 2_000) {
                let exact = (step * n as f64).sin();
                let off = (f64::from(sample) - exact).abs();
                assert!(off < 1e-4, "{from} Hz, {hertz} Hz: sample {n} is {sample}, not {exact}");
            }
        }
    }
}

#[test]
fn floats_are_neither_rounded_nor_clipped() {
    let out = to_ours(22_050, &[3.0e-6; 4_000], 100);
    assert!(out[1_000..3_000].iter().all(|sample| (sample - 3.0e-6).abs() < 1e-9));
    let out = to_ours(22_050, &[70_000.0; 4_000], 100);
    assert!(out[1_000..3_000].iter().all(|sample| (sample - 70_000.0).abs() < 10.0));
}
