//! Kannada.
//!
//! Phonology after Sridhar (1990). Every letter is spoken; e and o are short and long; the anusvara takes the place
//! of the next consonant and is m at the end of a word; vocalic r is ru.

use std::sync::LazyLock;

use super::dravidian::{self, Letter, ShortVowels};
use super::exceptions::Exceptions;
use super::letters::{self, push};
use crate::akshara::Consonant;
use crate::phone::{Phone, Symbol};

const EXCEPTIONS_TSV: &str = include_str!("../../data/kn/exceptions.tsv");

static EXCEPTIONS: LazyLock<Exceptions> = LazyLock::new(|| Exceptions::read(EXCEPTIONS_TSV));

const VOWELS: ShortVowels =
    ShortVowels { a: Symbol::CentralA, i: Symbol::I, u: Symbol::U, e: Symbol::E, o: Symbol::O };

/// The phones of a Kannada word.
pub fn pronounce(word: &str) -> Vec<Phone> {
    if let Some(phones) = EXCEPTIONS.get(word) {
        return phones;
    }
    let letters = dravidian::letters(word);
    let mut phones = Vec::with_capacity(letters.len());
    for (i, &letter) in letters.iter().enumerate() {
        let next = letters.get(i + 1).and_then(|next| next.consonant());
        match letter {
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
            ("ಕನ್ನಡ", "k ɐ nː ɐ ɖ ɐ", "geminate"),
            ("ಬೆಂಗಳೂರು", "b e ŋ ɡ ɐ ɭ uː ɾ u", "anusvara before a velar; ḷ"),
            ("ದೇಶ", "d̪ eː ʃ ɐ", "long e, final a"),
            ("ಸಂಸಾರ", "s ɐ m s aː ɾ ɐ", "anusvara before a sibilant"),
            ("ಸಂತೋಷ", "s ɐ n̪ t̪ oː ʂ ɐ", "before a dental"),
            ("ಕೃಷಿ", "k ɾ u ʂ i", "vocalic r"),
            ("ದುಃಖ", "d̪ u kʰː ɐ", "visarga"),
            ("ಕಾಫ಼ಿ", "k aː f i", "nukta"),
            ("ಮೌನ", "m ɐ w n ɐ", "au"),
            ("ಜ್ಞಾನ", "dʒ ɲ aː n ɐ", "jñ"),
        ];
        for (word, phones, why) in cases {
            assert_eq!(to_ipa(&pronounce(word)), phones, "{word}: {why}");
        }
    }
}
