//! The melody of questions that yes or no answers. The teacher of the networks ends them as it ends statements, so the F0 that the network gives is moved.

use std::ops::Range;

use shruti_lang::Language;

use crate::prosody::UNVOICED_BELOW;

/// The longest end of an utterance that is moved, in frames of 12.5 ms: a long last syllable.
const LENGTH: usize = 24;

/// Places in the end, as shares of it, and semitones there above the utterance's median. The rule-based voice has the same.
const RISE: &[(f32, f32)] = &[(0.75, 6.5), (1.0, 6.5)];
/// Low, high, low (Hayes & Lahiri 1991).
const BENGALI: &[(f32, f32)] = &[(0.55, 8.5), (1.0, -0.5)];

/// Moves the end of an utterance's F0 as a question in this language ends, given the frames of its last word.
pub(crate) fn raise(f0: &mut [f32], word: Range<usize>, language: Language) {
    let mut heights: Vec<f32> = f0.iter().copied().filter(|&f0| f0 > UNVOICED_BELOW).collect();
    heights.sort_unstable_by(f32::total_cmp);
    let Some(&median) = heights.get(heights.len() / 2) else { return };
    let voiced: Vec<usize> = word.filter(|&frame| f0[frame] > UNVOICED_BELOW).collect();
    let Some(&last) = voiced.last() else { return };
    let first = last.saturating_sub(LENGTH);
    let frames: Vec<usize> = voiced.into_iter().filter(|&frame| frame >= first).collect();
    let length = (last - frames[0]).max(1) as f32;
    let share = |frame: usize| (frame - frames[0]) as f32 / length;
    let points = if language == Language::Bengali { BENGALI } else { RISE };
    let heights = points.iter().map(|&(place, height)| (place, median * 2f32.powf(height / 12.0)));
    let line: Vec<(f32, f32)> = std::iter::once((0.0, f0[frames[0]])).chain(heights).collect();
    for &frame in &frames {
        let place = share(frame);
        let part = line.windows(2).find(|pair| place <= pair[1].0);
        if let Some(&[(from, low), (to, high)]) = part {
            let wanted = low + (high - low) * (place - from) / (to - from);
            // from its own movement to the question's
            f0[frame] += (wanted - f0[frame]) * (place / points[0].0).min(1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fall from 200 to 150 Hz with an unvoiced frame, of 100 frames; the last word has the last 60, the last 8 of them unvoiced.
    fn fall() -> Vec<f32> {
        let mut f0: Vec<f32> = (0..100).map(|frame| 200.0 - frame as f32 / 2.0).collect();
        f0[80] = 0.0;
        f0[92..].fill(0.0);
        f0
    }

    fn raised(language: Language) -> Vec<f32> {
        let mut f0 = fall();
        raise(&mut f0, 40..100, language);
        f0
    }

    #[test]
    fn a_question_ends_highest() {
        let f0 = raised(Language::Hindi);
        let highest = f0.iter().copied().fold(0.0, f32::max);
        assert_eq!(f0[91], highest);
        assert!((f0[91] / 177.5 - 2f32.powf(6.5 / 12.0)).abs() < 0.01, "{}", f0[91]);
        assert_eq!(f0[..=67], fall()[..=67], "nothing moves before the end");
        assert!(f0[80] == 0.0 && f0[92..].iter().all(|&f0| f0 == 0.0));
    }

    #[test]
    fn a_question_in_bengali_peaks_and_falls() {
        let f0 = raised(Language::Bengali);
        let peak = (0..100).max_by(|&one, &other| f0[one].total_cmp(&f0[other])).unwrap();
        assert!((79..=84).contains(&peak), "{peak}");
        assert!(f0[peak] > 1.5 * f0[91] && f0[91] > 150.0, "{} {}", f0[peak], f0[91]);
    }

    #[test]
    fn a_short_or_voiceless_word_is_moved_or_left() {
        let mut f0 = vec![180.0];
        raise(&mut f0, 0..1, Language::Tamil);
        assert!(f0[0].is_finite());
        let mut f0 = vec![180.0, 0.0, 0.0];
        raise(&mut f0, 1..3, Language::Tamil);
        assert_eq!(f0, [180.0, 0.0, 0.0]);
        raise(&mut [], 0..0, Language::Tamil);
    }
}
