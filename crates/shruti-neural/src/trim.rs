//! The silence that a graph puts before and behind what it speaks.
//!
//! A graph that runs whole speaks a sentence in parts, and ends each of them as if it were a sentence. Without the
//! silence between two parts they are one again.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Frames that are measured, a second.
const FRAMES_A_SECOND: usize = 100;
/// A frame is silent when its power is less than so much of that of the loudest: -45 dB.
const SILENT: f64 = 3.2e-5;
/// Frames of silence that are left: 40 ms.
const LEFT: usize = 4;
/// Milliseconds beside the words by the durations in which there may be sound: Kokoro begins a word up to 110 ms before
/// its first frame.
const BESIDE_MS: usize = 160;

/// Which ends of an utterance lose their silence but for 40 ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trim {
    /// What is before the first sound.
    pub start: bool,
    /// What is behind the last.
    pub end: bool,
}

/// The samples that are left. Of nothing but silence all are. `words` are the samples of the words by the durations, where
/// the graph gives some: what is far from them is taken for silence, such as a click at the edge of what a graph makes.
pub(crate) fn kept(samples: &[f32], rate: u32, trim: Trim, words: Option<Range<usize>>) -> Range<usize> {
    let frame = (rate as usize / FRAMES_A_SECOND).max(1);
    let power = |frame: &[f32]| frame.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / frame.len() as f64;
    let mut powers: Vec<f64> = samples.chunks(frame).map(power).collect();
    if let Some(words) = words {
        let beside = rate as usize * BESIDE_MS / 1_000;
        let first = (words.start.saturating_sub(beside) / frame).min(powers.len());
        let end = (words.end.saturating_add(beside).div_ceil(frame)).clamp(first, powers.len());
        powers[..first].fill(0.0);
        powers[end..].fill(0.0);
    }
    let loudest = powers.iter().copied().fold(0.0, f64::max);
    let is_sound = |power: &f64| *power > loudest * SILENT;
    let (first, last) = (powers.iter().position(is_sound), powers.iter().rposition(is_sound));
    let start = first.filter(|_| trim.start).map_or(0, |first| first.saturating_sub(LEFT) * frame);
    let end = last.filter(|_| trim.end).map_or(samples.len(), |last| (last + 1 + LEFT) * frame);
    start..end.min(samples.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_left_out_at_the_ends_that_are_asked_for() {
        const RATE: u32 = 24_000;
        let hiss = |n: usize| if n.is_multiple_of(2) { 1e-4 } else { -1e-4 };
        let mut samples: Vec<f32> = (0..48_000).map(hiss).collect();
        for (n, sample) in samples[12_000..36_000].iter_mut().enumerate() {
            // soft at its ends, and a hole inside
            let level = if n < 2_400 {
                0.01
            } else if (10_000..14_000).contains(&n) {
                0.0
            } else {
                0.5
            };
            *sample = level * (n as f32 * 0.3).sin();
        }
        for (start, end, expected) in [
            (false, false, 0..48_000),
            (true, false, 11_040..48_000),
            (false, true, 0..36_960),
            (true, true, 11_040..36_960),
        ] {
            assert_eq!(kept(&samples, RATE, Trim { start, end }, None), expected, "{start} {end}");
        }
        let both = Trim { start: true, end: true };
        assert_eq!(kept(&[0.0; 999], RATE, both, None), 0..999);
        assert_eq!(kept(&[], RATE, both, None), 0..0);
        assert_eq!(kept(&[0.5; 100], RATE, both, None), 0..100);
        // clicks at the edges, far from the words
        samples[..100].fill(0.5);
        samples[47_900..].fill(0.5);
        assert_eq!(kept(&samples, RATE, both, None), 0..48_000);
        assert_eq!(kept(&samples, RATE, both, Some(14_000..40_000)), 11_040..36_960);
        // words that are said to be elsewhere leave all
        assert_eq!(kept(&[], RATE, both, Some(9..9)), 0..0);
        assert_eq!(kept(&[0.5; 999], RATE, both, Some(99_999..99_999)), 0..999);
    }
}
