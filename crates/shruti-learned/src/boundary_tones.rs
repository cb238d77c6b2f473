//! Boundary tones. Kokoro, the teacher of the networks, speaks questions and non-final phrases like statements, so the
//! predicted F0 is adjusted here.

use std::ops::Range;

use shruti_lang::Language;
use shruti_text::utterance::{Break, Contour, Utterance};

use crate::prosody::{UNVOICED_BELOW, median};

/// Maximum duration of a boundary tone, in frames of 12.5 ms: the duration of a long last syllable.
const LENGTH: usize = 24;

/// Boundary tone: a list of points. Each point is a position, as a fraction of the tone's duration, and the pitch at
/// this position, in semitones above the median of the utterance.
type Tone = &'static [(f32, f32)];

/// Tone of yes–no questions in languages other than Bengali and Assamese. The rule-based voices use the same pitches
/// for this tone and for the tones below.
const QUESTION: Tone = &[(0.75, 6.5), (1.0, 6.5)];
/// Tone of yes–no questions in Bengali and Assamese: low, high, low (Hayes & Lahiri 1991).
const BENGALI_QUESTION: Tone = &[(0.55, 8.5), (1.0, -0.5)];
const CONTINUATION: Tone = &[(0.75, 2.5), (1.0, 2.5)];
/// Tone of each alternative of a question, except the last one (Bartels 1999).
const ALTERNATIVE: Tone = &[(0.75, 5.0), (1.0, 5.0)];

/// Returns the index and the tone of each word that ends with a boundary tone.
pub(crate) fn of(utterance: &Utterance) -> Vec<(usize, Tone)> {
    let count = utterance.words.len();
    let end = |tone| count.checked_sub(1).map(|last| vec![(last, tone)]).unwrap_or_default();
    if utterance.words.last().is_some_and(|word| word.aside) {
        return Vec::new();
    }
    match utterance.contour {
        Contour::YesNoQuestion if utterance.language.base() == Language::Bengali => end(BENGALI_QUESTION),
        Contour::YesNoQuestion => end(QUESTION),
        Contour::Continuation => end(CONTINUATION),
        Contour::AlternativeQuestion => {
            let words = utterance.words.iter().take(count.saturating_sub(1)).enumerate();
            let edges = words
                .filter(|(_, word)| matches!(word.break_after, Break::Phrase | Break::Breath | Break::Comma));
            edges.map(|(place, _)| (place, ALTERNATIVE)).collect()
        }
        Contour::Statement | Contour::WhQuestion | Contour::Exclamation => Vec::new(),
    }
}

/// Applies a boundary tone to a word, given the F0 of its utterance and the frames of the word. The tone ends before
/// `sonorous_end`, because it would be inaudible in the obstruents after it. The obstruents get the final pitch of the
/// tone.
pub(crate) fn apply(f0: &mut [f32], word: Range<usize>, sonorous_end: usize, tone: Tone) {
    let Some(median) = median(f0) else { return };
    let voiced: Vec<usize> = word.filter(|&frame| f0[frame] > UNVOICED_BELOW).collect();
    let sonorous = voiced.iter().rfind(|&&frame| frame < sonorous_end);
    let Some(&last) = sonorous.or(voiced.last()) else { return };
    let first = last.saturating_sub(LENGTH);
    let frames: Vec<usize> = voiced.into_iter().filter(|&frame| frame >= first).collect();
    let length = (last - frames[0]).max(1) as f32;
    let heights = tone.iter().map(|&(place, height)| (place, median * 2f32.powf(height / 12.0)));
    let line: Vec<(f32, f32)> = std::iter::once((0.0, f0[frames[0]])).chain(heights).collect();
    for &frame in &frames {
        let place = ((frame - frames[0]) as f32 / length).min(1.0);
        let part = line.windows(2).find(|pair| place <= pair[1].0);
        if let Some(&[(from, low), (to, high)]) = part {
            let wanted = low + (high - low) * (place - from) / (to - from);
            // blend from the predicted pitch to the tone
            f0[frame] += (wanted - f0[frame]) * (place / tone[0].0).min(1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns 100 frames that fall from 200 to 150 Hz, with one unvoiced frame. The last word consists of the last 60
    /// frames, of which the last 8 are unvoiced.
    fn fall() -> Vec<f32> {
        let mut f0: Vec<f32> = (0..100).map(|frame| 200.0 - frame as f32 / 2.0).collect();
        f0[80] = 0.0;
        f0[92..].fill(0.0);
        f0
    }

    fn ended(sonorous_end: usize, tone: Tone) -> Vec<f32> {
        let mut f0 = fall();
        apply(&mut f0, 40..100, sonorous_end, tone);
        f0
    }

    #[test]
    fn a_question_ends_highest() {
        let f0 = ended(100, QUESTION);
        let highest = f0.iter().copied().fold(0.0, f32::max);
        assert_eq!(f0[91], highest);
        assert!((f0[91] / 177.5 - 2f32.powf(6.5 / 12.0)).abs() < 0.01, "{}", f0[91]);
        assert_eq!(f0[..=67], fall()[..=67], "the beginning does not change");
        assert!(f0[80] == 0.0 && f0[92..].iter().all(|&f0| f0 == 0.0));
    }

    #[test]
    fn a_question_in_bengali_peaks_and_falls() {
        let f0 = ended(100, BENGALI_QUESTION);
        let peak = (0..100).max_by(|&one, &other| f0[one].total_cmp(&f0[other])).unwrap();
        assert!((79..=84).contains(&peak), "{peak}");
        assert!(f0[peak] > 1.5 * f0[91] && f0[91] > 150.0, "{} {}", f0[peak], f0[91]);
    }

    #[test]
    fn short_voiceless_and_empty_words_are_handled() {
        let mut f0 = vec![180.0];
        apply(&mut f0, 0..1, 1, QUESTION);
        assert!(f0[0].is_finite());
        let mut f0 = vec![180.0, 0.0, 0.0];
        apply(&mut f0, 1..3, 3, QUESTION);
        assert_eq!(f0, [180.0, 0.0, 0.0]);
        apply(&mut [], 0..0, 0, QUESTION);
    }

    #[test]
    fn the_tone_is_reached_in_the_sonorous_part() {
        let f0 = ended(80, QUESTION);
        let high = f0[79];
        assert!((high / 177.5 - 2f32.powf(6.5 / 12.0)).abs() < 0.01, "{high}");
        assert!(f0[81..92].iter().all(|&f0| (f0 - high).abs() < 0.01), "{:?}", &f0[80..92]);
    }
}
