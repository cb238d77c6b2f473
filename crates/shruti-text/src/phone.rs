//! The inventory of phones: one for all languages, spelled in IPA.
//!
//! A [`Phone`] is a [`Symbol`] with length and nasality. Length is a long vowel or a geminate consonant;
//! `nasal` is for vowels only. Breathy-voiced sonorants (Hindi म्ह, Marathi ल्ह) are two phones: the sonorant
//! and [`Symbol::H`].

use std::fmt;
use std::sync::LazyLock;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfd_quick};

use crate::table::Table;

/// How the airstream is shaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Manner {
    /// Complete closure and release.
    Stop,
    /// Closure released into friction.
    Affricate,
    /// Friction.
    Fricative,
    /// Oral closure with an open velum.
    Nasal,
    /// Air passes at the sides of the tongue.
    Lateral,
    /// One ballistic contact (ɾ) or a curled tongue slapping down (ɽ).
    Tap,
    /// Two or more contacts driven by the airstream.
    Trill,
    /// Narrowed without friction.
    Approximant,
    /// Open tract.
    Vowel,
}

/// Where a consonant is made. Vowels are [`Place::Open`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Both lips.
    Bilabial,
    /// Lower lip and upper teeth.
    Labiodental,
    /// Tongue tip at the upper teeth.
    Dental,
    /// Tongue tip at the ridge.
    Alveolar,
    /// Tongue blade behind the ridge.
    Postalveolar,
    /// Curled tongue tip behind the ridge.
    Retroflex,
    /// Tongue body at the hard palate.
    Palatal,
    /// Tongue body at the soft palate.
    Velar,
    /// Tongue body at the uvula.
    Uvular,
    /// The vocal folds alone.
    Glottal,
    /// No constriction: vowels.
    Open,
}

/// What the vocal folds do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phonation {
    /// No voice.
    Voiceless,
    /// No voice, and a breath after the release.
    Aspirated,
    /// Voice.
    Voiced,
    /// Voice with breath after the release.
    Breathy,
}

/// The tongue and lips of a vowel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VowelShape {
    /// 0.0 close (i, u) to 1.0 open (a).
    pub openness: f32,
    /// 0.0 front (i) to 1.0 back (u).
    pub backness: f32,
    /// Whether the lips are rounded.
    pub rounded: bool,
}

macro_rules! inventory {
    (
        consonants { $($c:ident $cipa:literal $manner:ident $place:ident $phonation:ident;)* }
        vowels { $($v:ident $vipa:literal $open:literal $back:literal $round:literal;)* }
    ) => {
        /// A phone's quality, without length and nasality. The name is the sound's usual romanisation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Symbol {
            $(#[doc = concat!("IPA `", $cipa, "`.")] $c,)*
            $(#[doc = concat!("IPA `", $vipa, "`.")] $v,)*
        }

        impl Symbol {
            /// Every symbol, consonants first.
            pub const ALL: &'static [Self] = &[$(Self::$c,)* $(Self::$v,)*];

            /// Its IPA spelling.
            pub const fn ipa(self) -> &'static str {
                match self { $(Self::$c => $cipa,)* $(Self::$v => $vipa,)* }
            }

            /// How the airstream is shaped.
            pub const fn manner(self) -> Manner {
                match self { $(Self::$c => Manner::$manner,)* $(Self::$v)|* => Manner::Vowel }
            }

            /// Where it is made.
            pub const fn place(self) -> Place {
                match self { $(Self::$c => Place::$place,)* $(Self::$v)|* => Place::Open }
            }

            /// What the vocal folds do.
            pub const fn phonation(self) -> Phonation {
                match self { $(Self::$c => Phonation::$phonation,)* $(Self::$v)|* => Phonation::Voiced }
            }

            /// Tongue and lips, of vowels only.
            pub const fn vowel(self) -> Option<VowelShape> {
                match self {
                    $(Self::$v => Some(VowelShape { openness: $open, backness: $back, rounded: $round }),)*
                    $(Self::$c)|* => None,
                }
            }

            /// Whether it is a vowel.
            pub const fn is_vowel(self) -> bool {
                matches!(self.manner(), Manner::Vowel)
            }
        }
    };
}

inventory! {
    consonants {
        P "p" Stop Bilabial Voiceless;
        Ph "pʰ" Stop Bilabial Aspirated;
        B "b" Stop Bilabial Voiced;
        Bh "bʱ" Stop Bilabial Breathy;
        T "t̪" Stop Dental Voiceless;
        Th "t̪ʰ" Stop Dental Aspirated;
        D "d̪" Stop Dental Voiced;
        Dh "d̪ʱ" Stop Dental Breathy;
        AlvT "t" Stop Alveolar Voiceless;
        AlvD "d" Stop Alveolar Voiced;
        Tt "ʈ" Stop Retroflex Voiceless;
        Tth "ʈʰ" Stop Retroflex Aspirated;
        Dd "ɖ" Stop Retroflex Voiced;
        Ddh "ɖʱ" Stop Retroflex Breathy;
        C "tʃ" Affricate Postalveolar Voiceless;
        Ch "tʃʰ" Affricate Postalveolar Aspirated;
        J "dʒ" Affricate Postalveolar Voiced;
        Jh "dʒʱ" Affricate Postalveolar Breathy;
        Ts "ts" Affricate Alveolar Voiceless;
        Dz "dz" Affricate Alveolar Voiced;
        Dzh "dzʱ" Affricate Alveolar Breathy;
        K "k" Stop Velar Voiceless;
        Kh "kʰ" Stop Velar Aspirated;
        G "ɡ" Stop Velar Voiced;
        Gh "ɡʱ" Stop Velar Breathy;
        Q "q" Stop Uvular Voiceless;
        M "m" Nasal Bilabial Voiced;
        DentN "n̪" Nasal Dental Voiced;
        N "n" Nasal Alveolar Voiced;
        Nn "ɳ" Nasal Retroflex Voiced;
        Ny "ɲ" Nasal Palatal Voiced;
        Ng "ŋ" Nasal Velar Voiced;
        F "f" Fricative Labiodental Voiceless;
        S "s" Fricative Alveolar Voiceless;
        Z "z" Fricative Alveolar Voiced;
        Sh "ʃ" Fricative Postalveolar Voiceless;
        Zh "ʒ" Fricative Postalveolar Voiced;
        Ss "ʂ" Fricative Retroflex Voiceless;
        X "x" Fricative Velar Voiceless;
        Gamma "ɣ" Fricative Velar Voiced;
        H "ɦ" Fricative Glottal Breathy;
        VlH "h" Fricative Glottal Voiceless;
        V "ʋ" Approximant Labiodental Voiced;
        Y "j" Approximant Palatal Voiced;
        W "w" Approximant Velar Voiced;
        R "ɾ" Tap Alveolar Voiced;
        Rr "r" Trill Alveolar Voiced;
        Rd "ɽ" Tap Retroflex Voiced;
        Rdh "ɽʱ" Tap Retroflex Breathy;
        Zr "ɻ" Approximant Retroflex Voiced;
        Ar "ɹ" Approximant Alveolar Voiced;
        L "l" Lateral Alveolar Voiced;
        Ll "ɭ" Lateral Retroflex Voiced;
    }
    vowels {
        I "i" 0.0 0.0 false;
        IShort "ɪ" 0.15 0.15 false;
        E "e" 0.35 0.05 false;
        OpenE "ɛ" 0.65 0.1 false;
        Ae "æ" 0.85 0.15 false;
        Schwa "ə" 0.55 0.5 false;
        CentralA "ɐ" 0.8 0.5 false;
        Caret "ʌ" 0.65 0.65 false;
        A "a" 1.0 0.5 false;
        BackA "ɑ" 1.0 0.8 false;
        OpenO "ɔ" 0.65 0.95 true;
        RoundA "ɒ" 0.95 0.95 true;
        O "o" 0.35 0.95 true;
        UShort "ʊ" 0.15 0.85 true;
        U "u" 0.0 1.0 true;
        Ii "ɨ" 0.1 0.5 false;
        ErLong "ɜ" 0.6 0.45 false;
    }
}

/// One phone of an utterance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Phone {
    /// Its quality.
    pub symbol: Symbol,
    /// A long vowel or a geminate consonant.
    pub long: bool,
    /// A nasal vowel.
    pub nasal: bool,
}

impl Phone {
    /// A short, oral phone.
    pub const fn new(symbol: Symbol) -> Self {
        Self { symbol, long: false, nasal: false }
    }

    /// The same phone, long.
    #[must_use]
    pub const fn long(mut self) -> Self {
        self.long = true;
        self
    }

    /// The same phone, nasal.
    #[must_use]
    pub const fn nasal(mut self) -> Self {
        self.nasal = true;
        self
    }

    /// Whether it is a vowel.
    pub const fn is_vowel(self) -> bool {
        self.symbol.is_vowel()
    }
}

impl From<Symbol> for Phone {
    fn from(symbol: Symbol) -> Self {
        Self::new(symbol)
    }
}

impl fmt::Display for Phone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol.ipa())?;
        if self.nasal {
            f.write_str("\u{303}")?;
        }
        if self.long {
            f.write_str("ː")?;
        }
        Ok(())
    }
}

/// An IPA spelling that the inventory does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no phone begins at '{rest}'")]
pub struct UnknownPhone {
    /// The spelling from the place on that could not be read.
    pub rest: String,
}

/// Other spellings of the same sounds, as people and dictionaries write them.
const SPELLING_VARIANTS: &[(&str, Symbol)] = &[
    ("g", Symbol::G),
    ("gʱ", Symbol::Gh),
    ("v", Symbol::V),
    ("c", Symbol::C),
    ("tɕ", Symbol::C),
    ("tɕʰ", Symbol::Ch),
    ("ɟ", Symbol::J),
    ("dʑ", Symbol::J),
    ("dʑʱ", Symbol::Jh),
    ("ɕ", Symbol::Sh),
    ("ɯ", Symbol::Ii),
    ("θ", Symbol::Th),
    ("ð", Symbol::D),
];

/// Every spelling of a sound by its first letter, the longest first.
static SPELLINGS: LazyLock<Table<char, Vec<(&'static str, Symbol)>>> = LazyLock::new(|| {
    let mut by_letter: Table<char, Vec<(&'static str, Symbol)>> = Table::default();
    let spellings = Symbol::ALL.iter().map(|symbol| (symbol.ipa(), *symbol));
    for spelling in spellings.chain(SPELLING_VARIANTS.iter().copied()) {
        if let Some(first) = spelling.0.chars().next() {
            by_letter.entry(first).or_default().push(spelling);
        }
    }
    for spellings in by_letter.values_mut() {
        spellings.sort_by_key(|(spelling, _)| std::cmp::Reverse(spelling.len()));
    }
    by_letter
});

/// Reads a string of IPA, with or without spaces; stress marks, tie bars, slashes and syllable dots are passed
/// over.
pub fn parse_ipa(ipa: &str) -> Result<Vec<Phone>, UnknownPhone> {
    let is_sound = |c: &char| {
        !matches!(c, 'ˈ' | 'ˌ' | '.' | '/' | '[' | ']' | '\u{361}' | '\u{35c}') && !c.is_whitespace()
    };
    let cleaned: String = if is_nfd_quick(ipa.chars()) == IsNormalized::Yes {
        ipa.chars().filter(is_sound).collect()
    } else {
        ipa.nfd().filter(is_sound).collect()
    };
    let mut phones: Vec<Phone> = Vec::new();
    let mut rest = cleaned.as_str();
    while let Some(first) = rest.chars().next() {
        let modifier = match first {
            'ː' | ':' => phones.last_mut().map(|last| last.long = true),
            '\u{303}' => phones.last_mut().map(|last| last.nasal = true),
            _ => None,
        };
        if modifier.is_some() {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let fitting = SPELLINGS.get(&first).into_iter().flatten();
        let Some((spelling, symbol)) = fitting.copied().find(|(spelling, _)| rest.starts_with(spelling))
        else {
            return Err(UnknownPhone { rest: rest.to_owned() });
        };
        phones.push(Phone::new(symbol));
        rest = &rest[spelling.len()..];
    }
    Ok(phones)
}

/// The phones as IPA, separated by spaces.
pub fn to_ipa(phones: &[Phone]) -> String {
    phones.iter().map(Phone::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_reads_back_from_its_spelling() {
        for &symbol in Symbol::ALL {
            for phone in [Phone::new(symbol), Phone::new(symbol).long(), Phone::new(symbol).nasal()] {
                assert_eq!(parse_ipa(&phone.to_string()), Ok(vec![phone]), "{phone}");
            }
        }
    }

    #[test]
    fn a_word_reads_without_spaces_and_with_marks() {
        let phones = parse_ipa("/ˈb̪ʱaː.rət̪/").map_err(|e| e.rest);
        assert_eq!(phones, Err("\u{32a}ʱaːrət̪".to_owned()), "a dental b does not exist");
        assert_eq!(to_ipa(&parse_ipa("/ˈbʱaː.ɾət̪/").unwrap()), "bʱ aː ɾ ə t̪");
        assert_eq!(to_ipa(&parse_ipa("t͡ʃãːd̪").unwrap()), "tʃ a\u{303}ː d̪");
    }
}
