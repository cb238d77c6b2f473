//! Removal of the silence that a graph adds before and after the speech.
//!
//! A graph that runs as a whole receives a long sentence in parts, and ends each part as if it were a sentence.
//! Removing the silence between two parts joins them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Number of frames per second for the measurement of silence.
const FRAMES_A_SECOND: usize = 100;
/// Power below which a frame is silent, as a fraction of the power of the loudest frame: -45 dB.
const SILENT: f64 = 3.2e-5;
/// Number of frames of silence that remain at a trimmed end: 40 ms.
const MARGIN_FRAMES: usize = 4;
/// Margin before the first word and after the last one, in milliseconds, in which sound counts as speech. The positions
/// of the words are derived from the durations, but Kokoro begins a word up to 110 ms before its first frame.
const WORD_MARGIN_MS: usize = 160;

/// Ends of an utterance at which the silence is trimmed to 40 ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trim {
    /// Whether the silence before the first sound is trimmed.
    pub start: bool,
    /// Whether the silence after the last sound is trimmed.
    pub end: bool,
}

/// Returns the range of samples to keep. If all samples are silent, all of them are kept. `words` is the sample range
/// of the words, derived from the durations if the graph outputs them. Sound that is more than [`WORD_MARGIN_MS`] away
/// from the words, for example a click at an edge, counts as silence.
pub(crate) fn kept_range(
    samples: &[f32],
    rate: u32,
    trim: Trim,
    words: Option<Range<usize>>,
) -> Range<usize> {
    let frame = (rate as usize / FRAMES_A_SECOND).max(1);
    let power = |frame: &[f32]| frame.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>() / frame.len() as f64;
    let mut powers: Vec<f64> = samples.chunks(frame).map(power).collect();
    if let Some(words) = words {
        let margin = rate as usize * WORD_MARGIN_MS / 1_000;
        let first = (words.start.saturating_sub(margin) / frame).min(powers.len());
        let end = (words.end.saturating_add(margin).div_ceil(frame)).clamp(first, powers.len());
        powers[..first].fill(0.0);
        powers[end..].fill(0.0);
    }
    let loudest = powers.iter().copied().fold(0.0, f64::max);
    let is_sound = |power: &f64| *power > loudest * SILENT;
    let (first, last) = (powers.iter().position(is_sound), powers.iter().rposition(is_sound));
    let start = first.filter(|_| trim.start).map_or(0, |first| first.saturating_sub(MARGIN_FRAMES) * frame);
    let end = last.filter(|_| trim.end).map_or(samples.len(), |last| (last + 1 + MARGIN_FRAMES) * frame);
    start..end.min(samples.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_is_trimmed_at_the_requested_ends() {
        const RATE: u32 = 24_000;
        let hiss = |n: usize| if n.is_multiple_of(2) { 1e-4 } else { -1e-4 };
        let mut samples: Vec<f32> = (0..48_000).map(hiss).collect();
        for (n, sample) in samples[12_000..36_000].iter_mut().enumerate() {
            // the signal is quiet at its start and has a gap
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
            assert_eq!(kept_range(&samples, RATE, Trim { start, end }, None), expected, "{start} {end}");
        }
        let both = Trim { start: true, end: true };
        assert_eq!(kept_range(&[0.0; 999], RATE, both, None), 0..999);
        assert_eq!(kept_range(&[], RATE, both, None), 0..0);
        assert_eq!(kept_range(&[0.5; 100], RATE, both, None), 0..100);
        // add clicks at the edges, far from the words
        samples[..100].fill(0.5);
        samples[47_900..].fill(0.5);
        assert_eq!(kept_range(&samples, RATE, both, None), 0..48_000);
        assert_eq!(kept_range(&samples, RATE, both, Some(14_000..40_000)), 11_040..36_960);
        // if the reported word range is beyond the end of the samples, all samples are kept
        assert_eq!(kept_range(&[], RATE, both, Some(9..9)), 0..0);
        assert_eq!(kept_range(&[0.5; 999], RATE, both, Some(99_999..99_999)), 0..999);
    }
}
