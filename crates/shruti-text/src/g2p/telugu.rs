//! Telugu.
//!
//! Phonology after Krishnamurti & Gwynn (1985). Every letter is spoken; e and o are short and long; the anusvara
//! takes the place of the next consonant and is m at the end of a word; ఱ is today's ర.

use std::sync::LazyLock;

use super::dravidian::{self, Letter, ShortVowels};
use super::exceptions::Exceptions;
use super::letters::{self, push};
use crate::akshara::Consonant;
use crate::phone::{Phone, Symbol};

const EXCEPTIONS_TSV: &str = include_str!("../../data/te/exceptions.tsv");

static EXCEPTIONS: LazyLock<Exceptions> = LazyLock::new(|| Exceptions::read(EXCEPTIONS_TSV));

const VOWELS: ShortVowels =
    ShortVowels { a: Symbol::CentralA, i: Symbol::I, u: Symbol::U, e: Symbol::E, o: Symbol::O };

/// The phones of a Telugu word.
pub fn pronounce(word: &str) -> Vec<Phone> {
    if let Some(phones) = EXCEPTIONS.get(word) {
        return phones;
    }
    let letters = dravidian::letters(word);
    let mut phones = Vec::with_capacity(letters.len());
    for (i, &letter) in letters.iter().enumerate() {
        let next = letters.get(i + 1).and_then(|next| next.consonant());
        match letter {
            // ర్ర is one trill
            Letter::Consonant(first) if is_r(first) && next.is_some_and(is_r) => {}
            Letter::Consonant(second)
                if is_r(second) && i > 0 && letters[i - 1].consonant().is_some_and(is_r) =>
            {
                phones.push(Phone::new(Symbol::Rr));
            }
            Letter::Consonant(consonant) => push(&mut phones, sound(consonant, next)),
            Letter::Vowel(vowel) => dravidian::push_vowel(&mut phones, vowel, VOWELS, Symbol::U),
            Letter::Anusvara => push(&mut phones, dravidian::homorganic(next)),
            Letter::Visarga if next.is_some_and(dravidian::is_doubled_by_visarga) => {
                phones.extend(next.map(|next| Phone::new(sound(next, None))));
            }
            Letter::Visarga => push(&mut phones, Symbol::H),
        }
    }
    phones
}

fn is_r(consonant: Consonant) -> bool {
    matches!(consonant, Consonant::Ra | Consonant::Rra)
}

fn sound(consonant: Consonant, next: Option<Consonant>) -> Symbol {
    match consonant {
        Consonant::Na | Consonant::Nnna if next.is_some_and(dravidian::is_dental) => Symbol::DentN,
        Consonant::Rra => Symbol::R,
        other => letters::consonant(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::to_ipa;

    #[test]
    fn tables_read() {
        super::super::exceptions::check(EXCEPTIONS_TSV);
    }

    #[test]
    fn words_sound_as_spoken() {
        let cases = [
            ("తెలుగు", "t̪ e l u ɡ u", "short e"),
            ("చెఱువు", "tʃ e ɾ u ʋ u", "the old r"),
            ("తేనె", "t̪ eː n e", "long e"),
            ("పుస్తకం", "p u s t̪ ɐ k ɐ m", "anusvara at the end"),
            ("కుందేలు", "k u n̪ d̪ eː l u", "anusvara before a dental"),
            ("పండుగ", "p ɐ ɳ ɖ u ɡ ɐ", "before a retroflex"),
            ("సంసారం", "s ɐ m s aː ɾ ɐ m", "before a sibilant"),
            ("అమ్మ", "ɐ mː ɐ", "geminate"),
            ("దుఃఖం", "d̪ u kʰː ɐ m", "visarga before a stop"),
            ("గుఱ్ఱం", "ɡ u r ɐ m", "a double r is a trill"),
            ("కృష్ణా", "k ɾ u ʂ ɳ aː", "vocalic r"),
            ("సైనికుడు", "s ɐ j n i k u ɖ u", "ai"),
            ("జ్ఞానం", "dʒ ɲ aː n ɐ m", "jñ"),
            ("వాఁడు", "ʋ aː ɖ u", "the arasunna is silent"),
        ];
        for (word, phones, why) in cases {
            assert_eq!(to_ipa(&pronounce(word)), phones, "{word}: {why}");
        }
    }
}
