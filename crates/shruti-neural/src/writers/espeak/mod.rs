//! `kind = "espeak"`: IPA as espeak-ng writes it, with stress marks, one code point a symbol.
//!
//! The phones are this project's; a dialect says only in what form espeak-ng writes such sounds. Where the two read a
//! word differently, what is said stays as this project reads it.

mod english;
mod hindi;
mod malayalam;
mod telugu;

use shruti_text::phone::{Phone, Symbol};
use shruti_text::utterance::{Stress, Word};
use unicode_normalization::UnicodeNormalization;

use super::WriterError;
use super::units::{Unit, units};

/// The ways of espeak-ng that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Its voice `te`.
    Telugu,
    /// Its voice `hi`.
    Hindi,
    /// Its voice `ml`.
    Malayalam,
    /// Its voices `en-us` and those of its kind.
    American,
    /// Its voices `en-gb` and those of its kind.
    British,
}

impl Dialect {
    /// The dialect of a voice of espeak-ng, as a Piper file names it.
    pub fn from_name(name: &str) -> Result<Self, WriterError> {
        match name {
            "te" => Ok(Self::Telugu),
            "hi" => Ok(Self::Hindi),
            "ml" => Ok(Self::Malayalam),
            "en-us" => Ok(Self::American),
            "en" | "en-gb" | "en-gb-x-rp" => Ok(Self::British),
            other => Err(WriterError::Dialect {
                found: other.to_owned(),
                known: "\"te\", \"hi\", \"ml\", \"en-us\", \"en\", \"en-gb\" and \"en-gb-x-rp\"".to_owned(),
            }),
        }
    }
}

/// A word's symbols. `before` is the last phone of the word before it in the clause.
pub(super) fn write(word: &Word, before: Option<Phone>, dialect: Dialect) -> Vec<String> {
    ipa(word, before, dialect).nfd().map(String::from).collect()
}

fn ipa(word: &Word, before: Option<Phone>, dialect: Dialect) -> String {
    let letters = || units(&word.text, &word.phones);
    match dialect {
        Dialect::Telugu => telugu::ipa(&letters()),
        Dialect::Hindi => hindi::ipa(&letters(), &word.text),
        Dialect::Malayalam => malayalam::ipa(&letters(), before),
        Dialect::American => english::ipa(word, true),
        Dialect::British => english::ipa(word, false),
    }
}

/// The mark that stands before a stressed vowel.
const fn mark(stress: Stress) -> &'static str {
    match stress {
        Stress::None => "",
        Stress::Secondary => "ˌ",
        Stress::Primary => "ˈ",
    }
}

/// The stress of a syllable where the main one is followed by others on every second syllable but the last.
const fn falling(at: usize, primary: usize, count: usize) -> Stress {
    match at {
        _ if at == primary => Stress::Primary,
        _ if at > primary && (at - primary).is_multiple_of(2) && at + 1 < count => Stress::Secondary,
        _ => Stress::None,
    }
}

/// Stresses of so many syllables: the main one, and others on every second one from the first on that stands beside
/// no stressed one.
fn alternating(count: usize, primary: usize) -> Vec<Stress> {
    let mut stresses = vec![Stress::None; count];
    if let Some(main) = stresses.get_mut(primary) {
        *main = Stress::Primary;
    }
    for at in 0..count {
        let is_free = |at: usize| stresses.get(at).is_none_or(|&stress| stress == Stress::None);
        if is_free(at) && is_free(at + 1) && (at == 0 || is_free(at - 1)) {
            stresses[at] = Stress::Secondary;
        }
    }
    stresses
}

/// How a consonant of India is written.
const fn consonant(symbol: Symbol) -> &'static str {
    use Symbol as S;
    match symbol {
        S::T | S::AlvT => "t",
        S::Th => "tʰ",
        S::D | S::AlvD => "d",
        S::Dh => "dʰ",
        S::Bh => "bʰ",
        S::Ddh => "ɖʰ",
        S::C => "c",
        S::Ch => "cʰ",
        S::J => "ɟ",
        S::Jh | S::Dzh => "ɟʰ",
        S::Gh => "ɡʰ",
        S::Dz | S::Zh => "z",
        S::DentN => "n",
        S::H | S::VlH => "h",
        S::W => "ʋ",
        S::Rd => "r.",
        S::Rdh => "r.h",
        S::Ar => "ɾ",
        other => other.ipa(),
    }
}

fn is_stop(phone: Phone) -> bool {
    use shruti_text::phone::Manner;
    matches!(phone.symbol.manner(), Manner::Stop | Manner::Affricate)
}

/// The first consonant behind a unit's vowel.
fn next_consonant(units: &[Unit], at: usize) -> Option<Phone> {
    let next = units.get(at + 1)?;
    next.onset.first().copied()
}
