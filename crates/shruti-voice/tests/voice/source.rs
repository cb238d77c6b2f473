//! Tests of the natural variation of the source: noise in the high band, random variation, soft edges of frication,
//! sentence ends.

use std::f32::consts::TAU;

use crate::support::{RATE, formants, median, pitches, render, style, utterance};
use shruti_lang::Language;
use shruti_text::utterance::{Contour, Utterance, Weight};
use shruti_voice::{Renderer, Style, UtterancePlan, Voice};

/// Filters a band of one octave around a frequency in Hz: two band-pass filters in series (Bristow-Johnson, "Cookbook
/// formulae").
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

/// Returns the mean correlation of 20 ms segments with the signal one period later, 0 to 1, in a low and in a high
/// band. The period is determined in the low band.
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

/// Returns the middle of a vowel that is held for about half a second.
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
            assert!(high < 0.84 * low, "{voice} {vowel}: {low} at 500 Hz, {high} at 4 kHz");
        }
    }
}

/// Returns the levels of the frication band in dB, in steps of 2 ms from the sample `from`.
fn friction(samples: &[i16], from: usize, steps: usize) -> Vec<f32> {
    let high = band(samples, 7000.0);
    let power = |at: usize| high[at..at + 96].iter().map(|x| x * x).sum::<f32>() / 96.0;
    (0..steps).map(|step| 10.0 * (power(from + step * 48) + 1.0).log10()).collect()
}

#[test]
fn frication_fades_in_adjacent_vowels() {
    for voice in Voice::ALL {
        let spoken = utterance("aː saː", Language::Hindi);
        let plan = UtterancePlan::new(&spoken, &style(voice));
        let times: Vec<_> = plan.phone_times().collect();
        let s = times[1].1.clone();
        let samples = render(&spoken, &style(voice));
        // 8 to 12 ms from the fricative, and well inside the vowels
        let [before, after] = [s.start - 288, s.end + 192].map(|at| friction(&samples, at, 1)[0]);
        let [first, second] = [s.start - 1440, s.end + 1440].map(|at| {
            let levels = friction(&samples, at, 8);
            levels.iter().sum::<f32>() / 8.0
        });
        assert!(before > first + 4.0 && after > second + 4.0, "{voice}: {first} {before} … {after} {second}");
    }
}

#[test]
fn noise_rises_before_the_burst_of_a_stop() {
    for voice in Voice::ALL {
        for stop in ["t̪", "ʈ", "k"] {
            let spoken = utterance(&format!("aː{stop}aː"), Language::Hindi);
            let times = UtterancePlan::new(&spoken, &style(voice)).phone_times().nth(1).unwrap().1;
            let levels = friction(&render(&spoken, &style(voice)), times.start, times.len() / 48);
            let loudest = levels.iter().copied().fold(0.0, f32::max);
            let burst = levels.iter().position(|level| *level > loudest - 10.0).unwrap();
            // one third of the way through the closure, and 8 ms before the burst
            let (closed, loosened) = (levels[burst / 3], levels[burst - 4]);
            assert!(loosened > closed + 12.0, "{voice} {stop}: {closed}, {loosened}, {loudest} dB");
        }
    }
}

/// Returns the level in dB of a band of a word.
fn word_level(samples: &[i16], times: &std::ops::Range<usize>, centre: f32) -> f32 {
    let sound = band(&samples[times.clone()], centre);
    10.0 * (sound.iter().map(|x| x * x).sum::<f32>() / sound.len() as f32).log10()
}

#[test]
fn emphasised_words_have_a_firmer_voice() {
    for voice in Voice::ALL {
        let slope = |weight| {
            let mut spoken = utterance("maːna maːna maːna", Language::Hindi);
            spoken.words[1].weight = weight;
            let times = UtterancePlan::new(&spoken, &style(voice)).word_times()[1].clone();
            let samples = render(&spoken, &style(voice));
            word_level(&samples, &times, 3000.0) - word_level(&samples, &times, 500.0)
        };
        let [strong, weak] = [Weight::Emphasis, Weight::Function].map(slope);
        assert!(strong > weak + 0.2, "{voice}: {strong} and {weak} dB");
    }
}

#[test]
fn a_sustained_vowel_varies_without_repetition() {
    let path = |index| {
        let spoken = Utterance { index, ..utterance("iː", Language::Hindi) };
        let samples = render(&spoken, &Style { voice: Voice::Arjun, speed: 0.5, pitch: 0.0 });
        let second =
            |piece: &[i16]| formants(piece, 14).into_iter().find(|f| *f > 1500.0).unwrap_or_default();
        (0..4).map(|step| second(&samples[2400 + step * 1200..4800 + step * 1200])).collect::<Vec<_>>()
    };
    let paths: Vec<_> = (0..8).map(path).collect();
    assert_eq!(path(0), paths[0]);
    let apart = |step: usize| {
        let at: Vec<f32> = paths.iter().map(|path| path[step]).collect();
        let mean = at.iter().sum::<f32>() / at.len() as f32;
        (at.iter().map(|f| (f - mean).powi(2)).sum::<f32>() / at.len() as f32).sqrt()
    };
    let spread = (0..4).map(apart).sum::<f32>() / 4.0;
    assert!((8.5..40.0).contains(&spread), "F2 differs by {spread} Hz: {paths:?}");
}

/// Returns the maximum relative change of F0 between consecutive frames in the last 300 ms of voiced speech.
fn last_steps(contour: Contour, voice: Voice, index: u32) -> f32 {
    let spoken = Utterance { contour, index, ..utterance("aːpkaː naːm mamaː", Language::Hindi) };
    let mut renderer = Renderer::new(UtterancePlan::new(&spoken, &style(voice)));
    let (mut block, mut pitches) = ([0; 48], Vec::new());
    while renderer.render(&mut block) > 0 {
        pitches.extend(renderer.f0());
    }
    let last = &pitches[pitches.len() - 150..];
    last.windows(2).map(|pair| (pair[1] / pair[0] - 1.0).abs()).fold(0.0, f32::max)
}

#[test]
fn low_sentence_ends_creak_to_varying_degrees() {
    for voice in Voice::ALL {
        let steps = |contour| -> Vec<f32> { (0..8).map(|index| last_steps(contour, voice, index)).collect() };
        let (statement, question) = (steps(Contour::Statement), steps(Contour::YesNoQuestion));
        let most = |steps: &[f32]| steps.iter().copied().fold(0.0, f32::max);
        assert!(most(&question) < 0.06, "{voice}: a question steps by {question:?}");
        assert!(most(&statement) > 0.15, "{voice}: {statement:?}");
        assert!(
            statement.iter().any(|step| *step < 0.5 * most(&statement)),
            "{voice}: {statement:?} are alike"
        );
    }
}
