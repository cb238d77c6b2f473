//! Native words as sequences of letters with explicit vowels.
//!
//! The nine Brahmic blocks of Unicode have the same layout, so a letter is stored as its position in its block. A
//! consonant is followed by its vowel, including [`INHERENT`]; a consonant without a vowel is followed by the next
//! letter. A virama is a separate letter only at the end of a word.

use shruti_lang::Language;

/// Letter: position in the block of its script, 1 to 127.
pub type Unit = u8;

/// Boundary before the first and after the last letter of a word.
pub const EDGE: Unit = 0;
/// Number of units, including [`EDGE`].
pub(crate) const UNITS: usize = 128;
/// Inherent vowel of a consonant without a vowel sign; also its independent letter.
pub const INHERENT: Unit = 0x05;
/// Virama after the last consonant of a word. In some languages, it stands for a hardly audible vowel that is typed
/// `u`.
pub const LAST_VIRAMA: Unit = 0x4D;
/// Nasal after a vowel.
pub const ANUSVARA: Unit = 0x02;
/// Maximum length of a word, in letters.
pub const MAX_UNITS: usize = 48;

const VIRAMA: u32 = 0x4D;
const NUKTA: u32 = 0x3C;
const MALAYALAM: u32 = 0x0D00;
const BENGALI: u32 = 0x0980;
const GURMUKHI: u32 = 0x0A00;
const ODIA: u32 = 0x0B00;
const DEVANAGARI: u32 = 0x0900;

/// Consonants that can have a nukta, each with its precomposed form, as positions in any block.
const WITH_NUKTA: [(u32, Unit); 8] = [
    (0x15, 0x58),
    (0x16, 0x59),
    (0x17, 0x5A),
    (0x1C, 0x5B),
    (0x21, 0x5C),
    (0x22, 0x5D),
    (0x2B, 0x5E),
    (0x2F, 0x5F),
];

/// Returns the first code point of the block of a language's script, or `None` for English. For Urdu, this is the block
/// of Devanagari, because Urdu uses the tables of Hindi.
pub fn block_of(language: Language) -> Option<u32> {
    Some(match language {
        Language::Hindi | Language::Marathi | Language::Nepali | Language::Konkani | Language::Urdu => {
            DEVANAGARI
        }
        Language::Bengali | Language::Assamese => BENGALI,
        Language::Punjabi => GURMUKHI,
        Language::Gujarati => 0x0A80,
        Language::Odia => ODIA,
        Language::Tamil => 0x0B80,
        Language::Telugu => 0x0C00,
        Language::Kannada => 0x0C80,
        Language::Malayalam => MALAYALAM,
        Language::English => return None,
    })
}

/// Malayalam consonants, each with its chillu form. A chillu is a consonant without a vowel.
const CHILLUS: [(Unit, Unit); 5] = [(0x23, 0x7A), (0x28, 0x7B), (0x30, 0x7C), (0x32, 0x7D), (0x33, 0x7E)];

/// Returns whether a unit is a consonant that can have a vowel.
pub fn is_consonant(unit: Unit, block: u32) -> bool {
    matches!(unit, 0x15..=0x39 | 0x58..=0x5F) || unit == 0x71 && block == ODIA
}

/// Returns whether a unit is a vowel.
pub fn is_vowel(unit: Unit) -> bool {
    matches!(unit, 0x05..=0x14 | 0x60 | 0x61)
}

/// Returns whether a unit is a sign after a vowel, or in place of one: a nasal, visarga, chillu or similar sign.
fn is_sign(unit: Unit, block: u32) -> bool {
    matches!(unit, 0x01..=0x03)
        || matches!(unit, 0x70 | 0x71) && block == GURMUKHI
        || matches!(unit, 0x7A..=0x7F) && block == MALAYALAM
        || unit == 0x4E && block == BENGALI
}

/// Returns the letters of a word, or `None` if it has characters that do not belong to its script, or more than
/// [`MAX_UNITS`] letters.
pub fn units(word: &str, block: u32) -> Option<Vec<Unit>> {
    let mut units: Vec<Unit> = Vec::with_capacity(word.len() / 2);
    // `open`: the last unit is a consonant whose vowel is not known yet; `joined`: the last unit is a consonant with a
    // virama
    let (mut open, mut joined) = (false, false);
    for c in word.chars() {
        if matches!(c, '\u{200c}' | '\u{200d}') {
            let last = units.last_mut().filter(|_| c == '\u{200d}' && joined && block == MALAYALAM);
            if let Some(last) = last
                && let Some((_, chillu)) = CHILLUS.iter().find(|(plain, _)| plain == last)
            {
                *last = *chillu;
                joined = false;
            }
            continue;
        }
        let place = (c as u32).checked_sub(block).filter(|place| *place < 0x80)?;
        if place == NUKTA {
            let last = units.last_mut().filter(|_| open)?;
            *last = match (*last, block) {
                (0x38, GURMUKHI) => 0x36,
                (0x32, GURMUKHI) => 0x33,
                (plain, _) => WITH_NUKTA
                    .iter()
                    .find(|(base, _)| *base == u32::from(plain))
                    .map_or(plain, |found| found.1),
            };
            continue;
        }
        if place == VIRAMA {
            if !open {
                return None;
            }
            (open, joined) = (false, true);
            continue;
        }
        if let Some(vowel) = of_sign(place, block) {
            if !open {
                return None;
            }
            open = false;
            units.push(vowel);
            continue;
        }
        if open {
            units.push(INHERENT);
            open = false;
        }
        let unit = place as Unit;
        if is_consonant(unit, block) {
            open = true;
        } else if place == 0x72 && block == DEVANAGARI {
            units.push(0x0D);
            joined = false;
            continue;
        } else if joined || !(is_vowel(unit) || is_sign(unit, block)) {
            // the avagraha is silent
            if place == 0x3D {
                continue;
            }
            return None;
        }
        joined = false;
        units.push(unit);
    }
    if open {
        units.push(INHERENT);
    } else if joined {
        units.push(LAST_VIRAMA);
    }
    (!units.is_empty() && units.len() <= MAX_UNITS).then_some(units)
}

/// Returns the vowel of a vowel sign, or `None` if the character is not a vowel sign.
fn of_sign(place: u32, block: u32) -> Option<Unit> {
    match place {
        0x3E..=0x42 | 0x45..=0x4C => Some((place - 0x38) as Unit),
        0x43 => Some(0x0B),
        0x44 => Some(0x60),
        0x57 if block == MALAYALAM => Some(0x14),
        0x62 => Some(0x0C),
        _ => None,
    }
}

/// Returns the word that the letters spell.
pub fn native(units: &[Unit], block: u32) -> String {
    let mut word = String::with_capacity(units.len() * 4);
    let mut push = |place: u32| word.extend(char::from_u32(block + place));
    let mut open = false;
    for &unit in units {
        let place = u32::from(unit);
        if is_consonant(unit, block) {
            if open {
                push(VIRAMA);
            }
            match unit {
                // Unicode normal forms do not contain these composed letters
                0x58..=0x5F if matches!(block, DEVANAGARI | BENGALI | GURMUKHI | ODIA) => {
                    push(WITH_NUKTA[usize::from(unit) - 0x58].0);
                    push(NUKTA);
                }
                0x36 if block == GURMUKHI => {
                    push(0x38);
                    push(NUKTA);
                }
                0x33 if block == GURMUKHI => {
                    push(0x32);
                    push(NUKTA);
                }
                _ => push(place),
            }
            open = true;
        } else if unit == LAST_VIRAMA {
            if open {
                push(VIRAMA);
            }
            open = false;
        } else if is_vowel(unit) && open {
            match unit {
                INHERENT => {}
                0x0B => push(0x43),
                0x60 => push(0x44),
                0x0C => push(0x62),
                0x14 if block == MALAYALAM => push(0x57),
                _ => push(place + 0x38),
            }
            open = false;
        } else {
            push(if unit == 0x0D && block == DEVANAGARI { 0x72 } else { place });
            open = false;
        }
    }
    if open {
        push(VIRAMA);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        let words = [
            (DEVANAGARI, "नमस्ते"),
            (DEVANAGARI, "लड़कियाँ"),
            (DEVANAGARI, "गई"),
            (DEVANAGARI, "ॲप"),
            (BENGALI, "হঠাৎ"),
            (BENGALI, "বড়ো"),
            (GURMUKHI, "ਸ਼ਹਿਰ"),
            (GURMUKHI, "ਪੰਜਾਬੀ"),
            (GURMUKHI, "ਬੱਚਾ"),
            (0x0A80, "કૃપા"),
            (ODIA, "ଓଡ଼ିଶା"),
            (0x0B80, "தமிழ்"),
            (0x0C00, "తెలుగు"),
            (0x0C80, "ಕನ್ನಡ"),
            (MALAYALAM, "അവൻ"),
            (MALAYALAM, "മൗനം"),
            (MALAYALAM, "അത്"),
        ];
        for (block, word) in words {
            let units = units(word, block).unwrap_or_else(|| panic!("{word}"));
            assert_eq!(native(&units, block), word);
        }
    }

    #[test]
    fn every_vowel_is_written_out() {
        assert_eq!(units("कमल", DEVANAGARI), Some(vec![0x15, 5, 0x2E, 5, 0x32, 5]));
        assert_eq!(units("க்", 0x0B80), Some(vec![0x15, LAST_VIRAMA]));
        assert_eq!(units("അവന്\u{200d}", MALAYALAM), units("അവൻ", MALAYALAM));
    }

    #[test]
    fn invalid_words_are_rejected() {
        for word in ["", "abc", "ा", "१२", "क१", "्क"] {
            assert_eq!(units(word, DEVANAGARI), None, "{word}");
        }
    }
}
