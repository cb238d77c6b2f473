//! `kind = "espeak"`: IPA in the notation of espeak-ng, with stress marks, one code point per symbol.
//!
//! The phones are those of this project. A dialect determines only the notation of the phones. If espeak-ng pronounces
//! a word differently, the pronunciation of this project is kept.

mod english;
mod hindi;
mod malayalam;
mod telugu;

use shruti_text::phone::{Phone, Symbol};
use shruti_text::utterance::{Stress, Word};
use unicode_normalization::UnicodeNormalization;

use super::WriterError;
use super::units::{Unit, units};

/// Supported notations of espeak-ng.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Voice `te`.
    Telugu,
    /// Voice `hi`.
    Hindi,
    /// Voice `ml`.
    Malayalam,
    /// Voice `en-us` and similar ones.
    American,
    /// Voice `en-gb` and similar ones.
    British,
}

impl Dialect {
    /// Returns the dialect for the name of an espeak-ng voice, as written in a Piper file.
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

/// Returns the symbols of a word. `before` is the last phone of the preceding word in the clause.
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

/// Returns the stress mark that precedes a vowel with the given stress.
const fn mark(stress: Stress) -> &'static str {
    match stress {
        Stress::None => "",
        Stress::Secondary => "ˌ",
        Stress::Primary => "ˈ",
    }
}

/// Returns the stress of the syllable at index `at` in a word of `count` syllables. Every second syllable after the
/// primary stress, except the last syllable, has a secondary stress.
const fn falling(at: usize, primary: usize, count: usize) -> Stress {
    match at {
        _ if at == primary => Stress::Primary,
        _ if at > primary && (at - primary).is_multiple_of(2) && at + 1 < count => Stress::Secondary,
        _ => Stress::None,
    }
}

/// Returns the stresses of `count` syllables. The syllable at index `primary` has the primary stress. Then, from the
/// first syllable to the last, each syllable gets a secondary stress if neither it nor an adjacent syllable is
/// stressed.
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

/// Returns the notation of a consonant of an Indian language.
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

/// Returns the first consonant in the onset of the next unit.
fn next_consonant(units: &[Unit], at: usize) -> Option<Phone> {
    let next = units.get(at + 1)?;
    next.onset.first().copied()
}
