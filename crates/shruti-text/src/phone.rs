//! Phone inventory shared by all languages, with IPA symbols.
//!
//! A [`Phone`] is a [`Symbol`] with length and nasality. Length means a long vowel or a geminate consonant; `nasal`
//! applies to vowels only. A breathy-voiced sonorant (Hindi म्ह, Marathi ल्ह) is two phones: the sonorant and
//! [`Symbol::H`].

use std::fmt;
use std::sync::LazyLock;

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfd_quick};

use crate::table::Table;
use crate::utterance::Stress;

/// Manner of articulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Manner {
    /// Complete closure with a release.
    Stop,
    /// Closure with a fricative release.
    Affricate,
    /// Friction.
    Fricative,
    /// Oral closure with a lowered velum.
    Nasal,
    /// Airflow along the sides of the tongue.
    Lateral,
    /// One ballistic contact (ɾ) or a flap of the curled tongue (ɽ).
    Tap,
    /// Two or more contacts driven by the airstream.
    Trill,
    /// Narrowing without friction.
    Approximant,
    /// Open vocal tract.
    Vowel,
}

/// Place of articulation of a consonant. Vowels are [`Place::Open`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Both lips.
    Bilabial,
    /// Lower lip and upper teeth.
    Labiodental,
    /// Tongue tip at the upper teeth.
    Dental,
    /// Tongue tip at the alveolar ridge.
    Alveolar,
    /// Tongue blade behind the alveolar ridge.
    Postalveolar,
    /// Curled tongue tip behind the alveolar ridge.
    Retroflex,
    /// Tongue body at the hard palate.
    Palatal,
    /// Tongue body at the soft palate.
    Velar,
    /// Tongue body at the uvula.
    Uvular,
    /// Vocal folds only.
    Glottal,
    /// No constriction: vowels.
    Open,
}

/// Phonation: the state of the vocal folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phonation {
    /// No vocal fold vibration.
    Voiceless,
    /// No vocal fold vibration, with aspiration after the release.
    Aspirated,
    /// Vocal fold vibration.
    Voiced,
    /// Vocal fold vibration, with breathy voice after the release.
    Breathy,
}

/// Position of tongue and lips in a vowel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VowelShape {
    /// Openness, from 0.0 for close vowels (i, u) to 1.0 for open vowels (a).
    pub openness: f32,
    /// Backness, from 0.0 for front vowels (i) to 1.0 for back vowels (u).
    pub backness: f32,
    /// `true` if the lips are rounded.
    pub rounded: bool,
}

macro_rules! inventory {
    (
        consonants { $($c:ident $cipa:literal $manner:ident $place:ident $phonation:ident;)* }
        vowels { $($v:ident $vipa:literal $open:literal $back:literal $round:literal;)* }
    ) => {
        /// Quality of a phone, without length and nasality. Most names are based on the usual romanisation of the
        /// sound.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Symbol {
            $(#[doc = concat!("IPA `", $cipa, "`.")] $c,)*
            $(#[doc = concat!("IPA `", $vipa, "`.")] $v,)*
        }

        impl Symbol {
            /// All symbols, consonants first.
            pub const ALL: &'static [Self] = &[$(Self::$c,)* $(Self::$v,)*];

            /// Returns the IPA symbol.
            pub const fn ipa(self) -> &'static str {
                match self { $(Self::$c => $cipa,)* $(Self::$v => $vipa,)* }
            }

            /// Returns the manner of articulation.
            pub const fn manner(self) -> Manner {
                match self { $(Self::$c => Manner::$manner,)* $(Self::$v)|* => Manner::Vowel }
            }

            /// Returns the place of articulation.
            pub const fn place(self) -> Place {
                match self { $(Self::$c => Place::$place,)* $(Self::$v)|* => Place::Open }
            }

            /// Returns the phonation.
            pub const fn phonation(self) -> Phonation {
                match self { $(Self::$c => Phonation::$phonation,)* $(Self::$v)|* => Phonation::Voiced }
            }

            /// Returns the vowel shape, or `None` for a consonant.
            pub const fn vowel(self) -> Option<VowelShape> {
                match self {
                    $(Self::$v => Some(VowelShape { openness: $open, backness: $back, rounded: $round }),)*
                    $(Self::$c)|* => None,
                }
            }

            /// Returns whether the symbol is a vowel.
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

/// Single sound of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Phone {
    /// Quality of the phone.
    pub symbol: Symbol,
    /// `true` for a long vowel or a geminate consonant.
    pub long: bool,
    /// `true` for a nasal vowel.
    pub nasal: bool,
}

impl Phone {
    /// Creates a short, oral phone.
    pub const fn new(symbol: Symbol) -> Self {
        Self { symbol, long: false, nasal: false }
    }

    /// Returns the phone with `long` set.
    #[must_use]
    pub const fn long(mut self) -> Self {
        self.long = true;
        self
    }

    /// Returns the phone with `nasal` set.
    #[must_use]
    pub const fn nasal(mut self) -> Self {
        self.nasal = true;
        self
    }

    /// Returns whether the phone is a vowel.
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

/// Error for an IPA transcription with a symbol that is not in the inventory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{symbol}', at character {place}, is not a supported phone")]
pub struct UnknownPhone {
    /// Unknown symbol, with its diacritics.
    pub symbol: String,
    /// Position in the transcription, in Unicode scalar values from 1.
    pub place: usize,
}

/// Alternative notations for the same sounds, as used by people and dictionaries.
const SPELLING_VARIANTS: &[(&str, Symbol)] = &[
    ("g", Symbol::G),
    ("gʱ", Symbol::Gh),
    ("v", Symbol::V),
    ("bʰ", Symbol::Bh),
    ("d̪ʰ", Symbol::Dh),
    ("ɖʰ", Symbol::Ddh),
    ("dʒʰ", Symbol::Jh),
    ("ɡʰ", Symbol::Gh),
    ("gʰ", Symbol::Gh),
    ("ɽʰ", Symbol::Rdh),
    ("ʧ", Symbol::C),
    ("ʧʰ", Symbol::Ch),
    ("ʤ", Symbol::J),
    ("ʤʱ", Symbol::Jh),
    ("ʦ", Symbol::Ts),
    ("ʣ", Symbol::Dz),
    ("c", Symbol::C),
    ("cʰ", Symbol::Ch),
    ("tɕ", Symbol::C),
    ("tɕʰ", Symbol::Ch),
    ("ɟ", Symbol::J),
    ("ɟʱ", Symbol::Jh),
    ("dʑ", Symbol::J),
    ("dʑʱ", Symbol::Jh),
    ("ɕ", Symbol::Sh),
    ("ɯ", Symbol::Ii),
    ("θ", Symbol::Th),
    ("ð", Symbol::D),
];

/// All notations for sounds, by first character, longest first.
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

/// Phones and stress marks of an IPA string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcription {
    /// Phones of the transcription.
    pub phones: Vec<Phone>,
    /// Stress marks, each with the index of the phone after it.
    pub stresses: Vec<(usize, Stress)>,
}

impl Transcription {
    /// Parses an IPA string, with or without spaces. Tie bars, slashes, square brackets and syllable dots are skipped.
    pub fn from_ipa(ipa: &str) -> Result<Self, UnknownPhone> {
        let spelling: String = if is_nfd_quick(ipa.chars()) == IsNormalized::Yes {
            ipa.chars().filter(|&c| is_significant(c)).collect()
        } else {
            ipa.nfd().filter(|&c| is_significant(c)).collect()
        };
        let mut transcription = Self::default();
        let mut rest = spelling.as_str();
        while let Some(first) = rest.chars().next() {
            if transcription.take_mark(first) {
                rest = &rest[first.len_utf8()..];
                continue;
            }
            let Some((spelling_of, symbol)) = longest_symbol(rest) else {
                return Err(unknown(ipa, &spelling, spelling.len() - rest.len()));
            };
            transcription.phones.push(Phone::new(symbol));
            rest = &rest[spelling_of.len()..];
        }
        Ok(transcription)
    }

    /// Consumes a stress mark, or a mark that modifies the preceding phone. Returns whether `mark` is one of these.
    fn take_mark(&mut self, mark: char) -> bool {
        match (mark, self.phones.last_mut()) {
            ('ˈ', _) => self.stresses.push((self.phones.len(), Stress::Primary)),
            ('ˌ', _) => self.stresses.push((self.phones.len(), Stress::Secondary)),
            ('ː' | ':', Some(last)) => last.long = true,
            ('\u{303}', Some(last)) => last.nasal = true,
            _ => return false,
        }
        true
    }
}

/// Returns the longest notation for a phone at the start of `rest`, and its symbol.
fn longest_symbol(rest: &str) -> Option<(&'static str, Symbol)> {
    let fitting = SPELLINGS.get(&rest.chars().next()?)?;
    fitting.iter().copied().find(|(spelling, _)| rest.starts_with(spelling))
}

/// Returns whether a character of a transcription is significant: not a tie bar, slash, square bracket, syllable dot or
/// white space.
fn is_significant(c: char) -> bool {
    !matches!(c, '.' | '/' | '[' | ']' | '\u{361}' | '\u{35c}') && !c.is_whitespace()
}

/// Returns the error for the symbol at byte `at` of `significant`, the significant part of `ipa`. The error contains a
/// letter together with its marks.
fn unknown(ipa: &str, significant: &str, at: usize) -> UnknownPhone {
    let is_mark = |c: char| is_combining_mark(c) || matches!(c as u32, 0x2B0..=0x2FF);
    let (before, rest) = significant.split_at(at);
    let marked = rest.starts_with(is_mark);
    let start = if marked { before.rfind(|c| !is_mark(c)).unwrap_or(at) } else { at };
    let mut letters = significant[start..].char_indices().skip(1);
    let end = letters.find(|&(_, c)| !is_mark(c)).map_or(significant.len(), |(length, _)| start + length);
    let mut passed = 0;
    let place = ipa.chars().position(|c| {
        passed += std::iter::once(c).nfd().filter(|&c| is_significant(c)).map(char::len_utf8).sum::<usize>();
        passed > start
    });
    UnknownPhone { symbol: significant[start..end].to_owned(), place: place.map_or(1, |before| before + 1) }
}

/// Parses an IPA string as [`Transcription::from_ipa`] does, and ignores its stress marks.
pub fn parse_ipa(ipa: &str) -> Result<Vec<Phone>, UnknownPhone> {
    Transcription::from_ipa(ipa).map(|said| said.phones)
}

/// Returns the phones as IPA, separated by spaces.
pub fn to_ipa(phones: &[Phone]) -> String {
    phones.iter().map(Phone::to_string).collect::<Vec<_>>().join(" ")
}

/// Level of phonetic detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PhoneticDetail {
    /// Dictionary notation, which stays close to the spelling.
    Phonemic,
    /// Running speech: dictionaries write Tamil அரசு with tʃ, but speakers say s (Keane, 2004).
    Spoken,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_round_trips() {
        for &symbol in Symbol::ALL {
            for phone in [Phone::new(symbol), Phone::new(symbol).long(), Phone::new(symbol).nasal()] {
                assert_eq!(parse_ipa(&phone.to_string()), Ok(vec![phone]), "{phone}");
            }
        }
    }

    #[test]
    fn parses_words_without_spaces_and_with_marks() {
        assert_eq!(to_ipa(&parse_ipa("/ˈbʱaː.ɾət̪/").unwrap()), "bʱ aː ɾ ə t̪");
        assert_eq!(to_ipa(&parse_ipa("t͡ʃãːd̪").unwrap()), "tʃ a\u{303}ː d̪");
        assert_eq!(to_ipa(&parse_ipa("d̪ʰuːp").unwrap()), "d̪ʱ uː p", "as many write it");
    }

    #[test]
    fn stress_marks_apply_to_the_next_syllable() {
        let transcription =
            Transcription::from_ipa("ˌɪnʈəˈneʃ(ə)n".replace(['(', ')'], "").as_str()).unwrap();
        assert_eq!(transcription.stresses, [(0, Stress::Secondary), (4, Stress::Primary)]);
        assert_eq!(transcription.phones.len(), 9);
    }

    #[test]
    fn errors_show_the_unknown_phone_and_position() {
        let cases = [
            ("/ˈb̪ʱaː.rət̪/", "b̪ʱ", 3, "a dental b does not exist"),
            ("k a !", "!", 5, "spaces count"),
            ("ɥi", "ɥ", 1, "a sound that no language here has"),
            ("çi", "ç", 1, "a composed letter"),
            ("ʰa", "ʰ", 1, "a mark on nothing"),
            ("ː", "ː", 1, "length of nothing"),
            ("a\u{301}", "a\u{301}", 1, "a tone mark"),
        ];
        for (ipa, symbol, place, why) in cases {
            let unknown = parse_ipa(ipa).unwrap_err();
            let symbol: String = symbol.nfd().collect();
            assert_eq!((unknown.symbol, unknown.place), (symbol, place), "{why}: {ipa}");
        }
    }
}
