//! Scripts of the supported languages: the script of a character, and the layout of the Brahmic blocks.
//!
//! Unicode gives the nine Brahmic blocks the same layout (after ISCII): corresponding letters have the same position in
//! their blocks.

use serde::{Serialize, Serializer};

use crate::chars::is_mark;

/// A writing system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Script {
    /// Script of several languages, including Hindi and Marathi.
    Devanagari,
    /// Script of Bengali and Assamese.
    Bengali,
    /// Script of Punjabi.
    Gurmukhi,
    /// Script of Gujarati.
    Gujarati,
    /// Script of Odia.
    Odia,
    /// Script of Tamil.
    Tamil,
    /// Script of Telugu.
    Telugu,
    /// Script of Kannada.
    Kannada,
    /// Script of Malayalam.
    Malayalam,
    /// Script of Urdu.
    Arabic,
    /// Script of English and of all romanised text.
    Latin,
}

/// Serialises the script as its ISO 15924 code.
impl Serialize for Script {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl Script {
    /// The Brahmic scripts, in the order of their Unicode blocks.
    pub const BRAHMIC: [Self; 9] = [
        Self::Devanagari,
        Self::Bengali,
        Self::Gurmukhi,
        Self::Gujarati,
        Self::Odia,
        Self::Tamil,
        Self::Telugu,
        Self::Kannada,
        Self::Malayalam,
    ];

    /// Returns the first code point of the 128-character block of a Brahmic script, or `None` for Arabic and Latin.
    pub const fn block(self) -> Option<u32> {
        match self {
            Self::Devanagari => Some(0x0900),
            Self::Bengali => Some(0x0980),
            Self::Gurmukhi => Some(0x0A00),
            Self::Gujarati => Some(0x0A80),
            Self::Odia => Some(0x0B00),
            Self::Tamil => Some(0x0B80),
            Self::Telugu => Some(0x0C00),
            Self::Kannada => Some(0x0C80),
            Self::Malayalam => Some(0x0D00),
            Self::Arabic | Self::Latin => None,
        }
    }

    /// Returns the script of a letter, a vowel sign or a native digit. Returns `None` for characters that scripts
    /// share: the danda, joiners, punctuation and European digits.
    pub fn of(c: char) -> Option<Self> {
        let code = c as u32;
        if matches!(code, 0x0964 | 0x0965) {
            return None;
        }
        if (0x0900..0x0D80).contains(&code) {
            let block = ((code - 0x0900) / 0x80) as usize;
            return Self::BRAHMIC.get(block).copied();
        }
        if is_arabic(c) {
            return Some(Self::Arabic);
        }
        let latin =
            c.is_ascii_alphabetic() || matches!(code, 0xC0..=0x24F | 0x1E00..=0x1EFF) && c.is_alphabetic();
        latin.then_some(Self::Latin)
    }

    /// Returns the English name of the script.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Devanagari => "Devanagari",
            Self::Bengali => "Bengali",
            Self::Gurmukhi => "Gurmukhi",
            Self::Gujarati => "Gujarati",
            Self::Odia => "Odia",
            Self::Tamil => "Tamil",
            Self::Telugu => "Telugu",
            Self::Kannada => "Kannada",
            Self::Malayalam => "Malayalam",
            Self::Arabic => "Arabic",
            Self::Latin => "Latin",
        }
    }

    /// Returns the ISO 15924 code of the script, as used in language tags: `Deva`, `Latn`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Devanagari => "Deva",
            Self::Bengali => "Beng",
            Self::Gurmukhi => "Guru",
            Self::Gujarati => "Gujr",
            Self::Odia => "Orya",
            Self::Tamil => "Taml",
            Self::Telugu => "Telu",
            Self::Kannada => "Knda",
            Self::Malayalam => "Mlym",
            Self::Arabic => "Arab",
            Self::Latin => "Latn",
        }
    }
}

/// Returns whether a character is a letter, a vowel mark or a digit of the Arabic script (Unicode 16, blocks Arabic to
/// Arabic Extended-A, and the presentation forms).
fn is_arabic(c: char) -> bool {
    let in_block = matches!(c as u32,
        0x600..=0x6FF | 0x750..=0x77F | 0x870..=0x8FF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFC);
    in_block && (c.is_alphanumeric() || is_mark(c)) && c != TATWEEL
}

/// Arabic sign that lengthens the connection between two letters.
pub(crate) const TATWEEL: char = '\u{640}';

/// Returns the value of a European or Arabic decimal digit, or of a decimal digit of a Brahmic script.
pub fn digit_value(c: char) -> Option<u32> {
    if let Some(value) = c.to_digit(10) {
        return Some(value);
    }
    if let '\u{660}'..='\u{669}' | '\u{6f0}'..='\u{6f9}' = c {
        return Some(c as u32 & 0xF);
    }
    let place = (c as u32) & 0x7F;
    let brahmic = matches!(Script::of(c), Some(script) if script.block().is_some());
    // every Brahmic block has its digits at positions 0x66 to 0x6F
    (brahmic && (0x66..=0x6F).contains(&place)).then(|| place - 0x66)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_the_script_of_characters() {
        let cases = [
            ('क', Some(Script::Devanagari)),
            ('ক', Some(Script::Bengali)),
            ('ਕ', Some(Script::Gurmukhi)),
            ('ક', Some(Script::Gujarati)),
            ('କ', Some(Script::Odia)),
            ('க', Some(Script::Tamil)),
            ('క', Some(Script::Telugu)),
            ('ಕ', Some(Script::Kannada)),
            ('ൺ', Some(Script::Malayalam)),
            ('ے', Some(Script::Arabic)),
            ('\u{650}', Some(Script::Arabic)),
            ('ﻼ', Some(Script::Arabic)),
            ('۷', Some(Script::Arabic)),
            ('،', None),
            ('۔', None),
            ('\u{640}', None),
            ('é', Some(Script::Latin)),
            ('।', None),
            ('7', None),
            ('×', None),
            ('\u{200d}', None),
        ];
        for (c, script) in cases {
            assert_eq!(Script::of(c), script, "{c}");
        }
    }

    #[test]
    fn digits_of_every_script_have_values() {
        for (text, value) in [
            ("७", 7),
            ("৭", 7),
            ("੭", 7),
            ("૭", 7),
            ("୭", 7),
            ("௭", 7),
            ("౭", 7),
            ("೭", 7),
            ("൭", 7),
            ("۷", 7),
            ("٧", 7),
        ] {
            assert_eq!(text.chars().next().and_then(digit_value), Some(value), "{text}");
        }
        assert_eq!(digit_value('ॐ'), None);
    }
}
