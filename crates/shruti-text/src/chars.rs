//! Unicode character properties, with a fast path for the scripts of the supported languages.
//!
//! The standard tables are optimised for size: they need a search per character. Properties that are checked several
//! times for every character of a text are stored here for the Brahmic blocks, in one byte per character. Other
//! characters use the standard tables.

use std::borrow::Cow;
use std::sync::LazyLock;

use unicode_normalization::char::{canonical_combining_class, compose, is_combining_mark};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// First code point of the blocks from Devanagari to Malayalam.
const FIRST: u32 = 0x0900;
const COUNT: usize = 0x480;

const MARK: u8 = 1;
const ALPHABETIC: u8 = 2;
const NUMERIC: u8 = 4;
/// Flag of a character that has combining class 0 and is in normal form C regardless of its neighbours.
const SETTLED: u8 = 8;

static BRAHMIC: LazyLock<[u8; COUNT]> = LazyLock::new(|| {
    std::array::from_fn(|place| {
        let c = char::from_u32(FIRST + place as u32).unwrap_or_default();
        let settled = canonical_combining_class(c) == 0 && quick(c) == IsNormalized::Yes;
        [
            (is_combining_mark(c), MARK),
            (c.is_alphabetic(), ALPHABETIC),
            (c.is_numeric(), NUMERIC),
            (settled, SETTLED),
        ]
        .into_iter()
        .filter_map(|(has, property)| has.then_some(property))
        .sum()
    })
});

fn brahmic(c: char) -> Option<u8> {
    brahmic_place(c).and_then(|place| BRAHMIC.get(place)).copied()
}

/// Returns the index of a code point in the Brahmic blocks (0 for U+0900), or `None` for other code points.
pub(crate) fn brahmic_place(c: char) -> Option<usize> {
    let place = (c as usize).wrapping_sub(FIRST as usize);
    (place < COUNT).then_some(place)
}

/// Returns whether a code point is in the Brahmic blocks, assigned or not.
pub(crate) fn is_brahmic(c: char) -> bool {
    brahmic_place(c).is_some()
}

/// Returns whether a character is a combining mark, which modifies the preceding letter: a vowel sign, a virama or an
/// accent.
pub(crate) fn is_mark(c: char) -> bool {
    match brahmic(c) {
        Some(properties) => properties & MARK != 0,
        None => c >= '\u{300}' && is_combining_mark(c),
    }
}

/// Equivalent of [`char::is_alphabetic`].
pub(crate) fn is_alphabetic(c: char) -> bool {
    brahmic(c).map_or_else(|| c.is_alphabetic(), |properties| properties & ALPHABETIC != 0)
}

/// Equivalent of [`char::is_numeric`].
pub(crate) fn is_numeric(c: char) -> bool {
    brahmic(c).map_or_else(|| c.is_numeric(), |properties| properties & NUMERIC != 0)
}

/// Equivalent of [`char::is_alphanumeric`].
pub(crate) fn is_alphanumeric(c: char) -> bool {
    is_alphabetic(c) || is_numeric(c)
}

/// Returns whether a character ends a sentence or closes a pair of marks (quotation marks, brackets). Closing
/// punctuation belongs to the preceding text, regardless of what follows.
pub fn is_closing_punctuation(c: char) -> bool {
    matches!(
        c,
        '.' | '?' | '!' | '…' | '।' | '॥' | '۔' | '؟' | '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '}'
    )
}

/// Converts a word to lower case; borrows it if nothing changes.
pub(crate) fn lowercase(word: &str) -> Cow<'_, str> {
    // beyond ASCII, no character up to U+00BF or from U+0800 to U+0FFF (which includes the Indian scripts) is an
    // upper-case letter; characters with other lead bytes may be
    let may_have = |byte: u8| matches!(byte, b'A'..=b'Z' | 0xC3..=0xDF | 0xE1..);
    if word.bytes().any(may_have) { Cow::Owned(word.to_lowercase()) } else { Cow::Borrowed(word) }
}

fn quick(c: char) -> IsNormalized {
    is_nfc_quick(std::iter::once(c))
}

/// Converts a word to normal form C.
pub(crate) fn nfc(word: &str) -> Cow<'_, str> {
    if is_nfc(word.chars()) { Cow::Borrowed(word) } else { Cow::Owned(word.nfc().collect()) }
}

/// Returns whether a text is in normal form C. This is a quick check, so `false` can be a false negative.
///
/// The standard quick check reports only that ণা, கா and ड़ *may* compose, so it is inconclusive for many words. In the
/// Brahmic scripts, two characters compose only if they are adjacent, so this function checks each adjacent pair.
pub(crate) fn is_nfc(text: impl IntoIterator<Item = char>) -> bool {
    let mut before = '\0';
    let mut class_before = 0;
    for c in text {
        let settled = brahmic(c).map_or(c < '\u{300}', |properties| properties & SETTLED != 0);
        let mut class = 0;
        if !settled {
            class = canonical_combining_class(c);
            let stays = match quick(c) {
                IsNormalized::Yes => true,
                IsNormalized::Maybe => {
                    brahmic(c).is_some() && class_before == 0 && compose(before, c).is_none()
                }
                IsNormalized::No => false,
            };
            if !stays || class != 0 && class < class_before {
                return false;
            }
        }
        (before, class_before) = (c, class);
    }
    true
}

/// Returns whether `c` counts as punctuation, which can cause a pause or affect the intonation. Markup characters (`*`,
/// `#`, `<`) and some other signs do not count.
pub(crate) fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() && !matches!(c, '$' | '*' | '_' | '`' | '|' | '\\' | '#' | '~' | '^' | '<' | '>')
        || matches!(
            c as u32,
            0x964 | 0x965 | 0x2010..=0x2027 | 0x2030..=0x205E | 0x6D4 | 0x61F | 0x60C | 0xAB | 0xBB | 0xB7 | 0xA1 | 0xBF
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn character_properties_match_unicode() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_mark(c), is_combining_mark(c), "{c:?}");
            assert_eq!(is_alphabetic(c), c.is_alphabetic(), "{c:?}");
            assert_eq!(is_numeric(c), c.is_numeric(), "{c:?}");
            assert_eq!(is_alphanumeric(c), c.is_alphanumeric(), "{c:?}");
            assert_eq!(lowercase(c.encode_utf8(&mut [0; 4])), c.to_lowercase().collect::<String>(), "{c:?}");
        }
    }

    #[test]
    fn detects_composed_letters() {
        let mut decided = 0;
        for block in (FIRST..FIRST + COUNT as u32).step_by(0x80) {
            let of_block = |keep: fn(char) -> bool| {
                (block..block + 0x80).filter_map(char::from_u32).filter(move |&c| keep(c))
            };
            for first in of_block(|_| true) {
                for second in of_block(|_| true) {
                    for third in of_block(is_mark) {
                        let text = [first, second, third];
                        let composed = text.into_iter().nfc().eq(text);
                        let known = is_nfc(text);
                        assert!(composed || !known, "{text:?}");
                        decided += u32::from(known);
                    }
                }
            }
        }
        assert!(decided > 100_000, "{decided}");
        for (text, known) in [
            ("কাজ", true),
            ("க\u{bc6}\u{bbe}", false),
            ("लड\u{93c}का", true),
            ("लन\u{93c}", false),
            ("क\u{958}", false),
            ("e\u{301}", false),
            ("é, “क” ₹5", true),
        ] {
            assert_eq!(is_nfc(text.chars()), known, "{text}");
            assert_eq!(nfc(text), text.nfc().collect::<String>());
        }
    }

    #[test]
    fn lowercases_only_words_with_capitals() {
        for (word, lower) in
            [("SBI", "sbi"), ("Éclair", "éclair"), ("don't", "don't"), ("क्या", "क्या"), ("कAΣ", "कaς")]
        {
            assert_eq!(lowercase(word), lower);
        }
        assert!(matches!(lowercase("क्या a"), Cow::Borrowed(_)));
    }
}
