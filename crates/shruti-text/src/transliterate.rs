//! Letter-by-letter transliteration between Brahmic scripts, based on the layout that their Unicode blocks share.

use crate::script::Script;

/// Transliterates a word to `target`. Letters of other Brahmic scripts are replaced by their counterparts. All
/// characters of other scripts, or of no script, are kept.
///
/// Digits become digits of the target. A letter that the target lacks becomes the nearest letter that it has (Tamil ख →
/// க). Signs of one script that have no counterpart are dropped. If the target is not Brahmic, the word does not
/// change. The time is linear in the length of the word.
pub fn transliterate(word: &str, target: Script) -> String {
    let Some(block) = target.block() else { return word.to_owned() };
    let same =
        word.chars().all(|c| Script::of(c).is_none_or(|script| script == target || script == Script::Latin));
    if same {
        return word.to_owned();
    }
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        let source = Script::of(c).filter(|script| *script != target);
        let Some((source, base)) = source.and_then(|script| Some((script, script.block()?))) else {
            out.push(c);
            continue;
        };
        for c in common_letters(source, c as u32 - base) {
            for place in fitted(target, c) {
                out.extend(char::from_u32(block + place));
            }
        }
    }
    out
}

/// Returns the positions in the shared layout for a position in the block of `source`. The result differs from `place`
/// only for characters outside the shared layout.
fn common_letters(source: Script, place: u32) -> impl Iterator<Item = u32> {
    const VIRAMA: u32 = 0x4D;
    let places: [Option<u32>; 2] = match (source, place) {
        (Script::Bengali, 0x4E) => [Some(0x24), Some(VIRAMA)],
        (Script::Bengali, 0x70) => [Some(0x30), None],
        (Script::Bengali | Script::Odia, 0x71) => [Some(0x35), None],
        (Script::Gurmukhi, 0x70) => [Some(0x02), None],
        (Script::Gurmukhi, 0x72) => [Some(0x07), None],
        (Script::Gurmukhi, 0x73) => [Some(0x09), None],
        (Script::Malayalam, 0x7A) => [Some(0x23), Some(VIRAMA)],
        (Script::Malayalam, 0x7B) => [Some(0x28), Some(VIRAMA)],
        (Script::Malayalam, 0x7C | 0x4E) => [Some(0x30), Some(VIRAMA)],
        (Script::Malayalam, 0x7D) => [Some(0x32), Some(VIRAMA)],
        (Script::Malayalam, 0x7E) => [Some(0x33), Some(VIRAMA)],
        (Script::Malayalam, 0x7F) => [Some(0x15), Some(VIRAMA)],
        (Script::Devanagari, 0x72) => [Some(0x0D), None],
        (Script::Telugu, 0x58) => [Some(0x1A), None],
        (Script::Telugu, 0x59) => [Some(0x1C), None],
        (Script::Kannada, 0x5E) => [Some(0x34), None],
        (_, 0x57) => [Some(0x4C), None],
        // the other signs after the digits differ between the scripts, so they are dropped: a missing letter is less
        // audible than a wrong one
        (_, 0x70..) => [None, None],
        (_, place) => [Some(place), None],
    };
    places.into_iter().flatten()
}

/// Returns the positions in the block of the target script that are nearest to a letter of the shared layout.
fn fitted(target: Script, place: u32) -> impl Iterator<Item = u32> {
    use Script::{Bengali, Devanagari, Gujarati, Gurmukhi, Malayalam, Odia, Tamil};
    let dravidian = matches!(target, Tamil | Script::Telugu | Script::Kannada | Malayalam);
    let nearest: [Option<u32>; 2] = match place {
        // nukta letters: scripts without a nukta use the plain letter
        0x3C if dravidian => [None, None],
        0x58..=0x5F => {
            const BASES: [u32; 8] = [0x15, 0x16, 0x17, 0x1C, 0x21, 0x22, 0x2B, 0x2F];
            let base = BASES[place as usize - 0x58];
            return finish(target, [Some(base), (!dravidian).then_some(0x3C)]);
        }
        // scripts without short e and o, or without the vowels of English loans, use the nearest vowel
        0x0E if !dravidian => [Some(0x0F), None],
        0x12 if !dravidian => [Some(0x13), None],
        0x46 if !dravidian => [Some(0x47), None],
        0x4A if !dravidian => [Some(0x4B), None],
        0x0D if !matches!(target, Devanagari | Gujarati) => [Some(0x0F), None],
        0x11 if !matches!(target, Devanagari | Gujarati) => [Some(0x06), None],
        0x45 if !matches!(target, Devanagari | Gujarati) => [Some(0x47), None],
        0x49 if !matches!(target, Devanagari | Gujarati) => [Some(0x3E), None],
        // scripts without vocalic r use r and i for its letter, and virama and r for its sign
        0x0B if matches!(target, Tamil | Gurmukhi) => [Some(0x30), Some(0x3F)],
        0x43 if matches!(target, Tamil | Gurmukhi) => [Some(0x4D), Some(0x30)],
        // scripts without one of these consonants use the nearest one
        0x29 if !matches!(target, Devanagari | Tamil | Malayalam) => [Some(0x28), None],
        0x31 if !(dravidian || target == Devanagari) => [Some(0x30), None],
        0x33 if target == Bengali => [Some(0x32), None],
        0x34 if matches!(target, Bengali | Gurmukhi | Gujarati | Odia | Script::Kannada) => {
            [Some(0x33), None]
        }
        0x35 if target == Bengali => [Some(0x2C), None],
        0x37 if target == Gurmukhi => [Some(0x36), None],
        0x01 if dravidian => [Some(0x02), None],
        place => [Some(place), None],
    };
    finish(target, nearest)
}

fn finish(target: Script, places: [Option<u32>; 2]) -> impl Iterator<Item = u32> {
    places.into_iter().flatten().map(move |place| if target == Script::Tamil { tamil(place) } else { place })
}

/// Returns the position of the Tamil letter for a position. Tamil has one stop letter per place of articulation.
fn tamil(place: u32) -> u32 {
    match place {
        0x16..=0x18 => 0x15,
        0x1B | 0x1D => 0x1A,
        0x20..=0x22 => 0x1F,
        0x25..=0x27 => 0x24,
        0x2B..=0x2D => 0x2A,
        0x36 => 0x37,
        place => place,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_keep_their_position() {
        let cases = [
            ("नमस्ते", Script::Bengali, "নমস্তে"),
            ("नमस्ते", Script::Telugu, "నమస్తే"),
            ("मेरा घर", Script::Gurmukhi, "ਮੇਰਾ ਘਰ"),
            ("भारत", Script::Tamil, "பாரத"),
            ("कृपा", Script::Tamil, "க்ரபா"),
            ("অবস্থা", Script::Devanagari, "अबस्था"),
            ("அவன்", Script::Malayalam, "അവഩ്"),
            ("അവൻ", Script::Devanagari, "अवन्"),
            ("४२", Script::Odia, "୪୨"),
            ("ફ્રેન્ચ cafe", Script::Devanagari, "फ्रेन्च cafe"),
            ("ਸਿੰਘ", Script::Devanagari, "सिंघ"),
            ("ॲप", Script::Gujarati, "ઍપ"),
            // a Gujarati sign at the position of a Telugu fraction digit is dropped
            ("શ\u{afa}", Script::Telugu, "శ"),
        ];
        for (word, script, expected) in cases {
            assert_eq!(transliterate(word, script), expected, "{word}");
        }
    }

    #[test]
    fn keeps_letters_without_counterpart() {
        assert_eq!(transliterate("नमस्ते", Script::Latin), "नमस्ते");
        assert_eq!(transliterate("abc 12", Script::Tamil), "abc 12");
    }
}
