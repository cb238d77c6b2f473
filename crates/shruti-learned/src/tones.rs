//! Lexical tones of Punjabi. Kokoro, the teacher of the networks, does not model the tones, so they are added to the
//! predicted F0.

use std::ops::Range;

use shruti_text::utterance::Tone;

/// Time by which a tone begins before its vowel, in frames of 12.5 ms.
const BEFORE: f32 = 2.0;
/// Time by which a tone ends after its vowel, in frames of 12.5 ms.
const AFTER: f32 = 3.0;

/// Low tone, which dips and rises within the vowel: positions in the vowel, as fractions of its duration, with the
/// pitch change at each position in semitones. The rule-based voices use the same values for both tones.
const LOW: [(f32, f32); 3] = [(0.25, -3.5), (0.6, -3.5), (1.0, 1.0)];
/// High tone, which rises and falls within the vowel, in the same format as [`LOW`].
const HIGH: [(f32, f32); 3] = [(0.45, 3.5), (0.8, 3.5), (1.0, 1.5)];

/// Returns the pitch change of each frame in semitones, given the frames of each vowel with a tone.
pub(crate) fn semitones(tones: impl Iterator<Item = (Range<usize>, Tone)>, frames: usize) -> Vec<f32> {
    let mut semitones = vec![0.0; frames];
    for (vowel, tone) in tones {
        let (first, length) = (vowel.start as f32, vowel.len() as f32);
        let shape = match tone {
            Tone::Low => LOW,
            Tone::High => HIGH,
        };
        let inner = shape.map(|(share, height)| (first + share * length, height));
        let points = [&[(first - BEFORE, 0.0)], &inner[..], &[(first + length + AFTER, 0.0)]].concat();
        for pair in points.windows(2) {
            let [(from, low), (to, high)] = *pair else { continue };
            let covered = from.ceil().max(0.0) as usize..(to.ceil() as usize).min(frames);
            for frame in covered {
                semitones[frame] += low + (high - low) * (frame as f32 - from) / (to - from);
            }
        }
    }
    semitones
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_low_tone_dips_and_the_high_tone_rises_and_both_end() {
        let of = |tone| semitones(std::iter::once((10..20, tone)), 30);
        let (low, high) = (of(Tone::Low), of(Tone::High));
        assert_eq!((low[14], high[16]), (-3.5, 3.5));
        assert!(low[19] > low[15] && high[19] < high[16]);
        for tone in [low, high] {
            assert!(tone[..9].iter().chain(&tone[23..]).all(|&semitones| semitones == 0.0), "{tone:?}");
        }
    }

    #[test]
    fn a_tone_at_an_edge_stays_within_the_frames() {
        assert_eq!(semitones(std::iter::once((0..3, Tone::High)), 3).len(), 3);
    }
}
