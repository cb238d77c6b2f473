//! Odia.
//!
//! Phonology after Majumdar (1970) and Neukom & Patnaik (2003). The inherent vowel ɔ is spoken everywhere.
//! ଶ ଷ ସ are all s; ଯ is dʒ and ୟ is j; ଳ is ɭ; ଂ makes the vowel nasal.

use std::sync::LazyLock;

use super::exceptions::Exceptions;
use super::letters::{self, push};
use super::nasal;
use crate::akshara::{self, Akshara, Consonant, Nucleus, Vowel};
use crate::phone::{Phone, Symbol};

const EXCEPTIONS_TSV: &str = include_str!("../../data/or/exceptions.tsv");

static EXCEPTIONS: LazyLock<Exceptions> = LazyLock::new(|| Exceptions::read(EXCEPTIONS_TSV));

/// The phones of an Odia word.
pub fn pronounce(word: &str) -> Vec<Phone> {
    if let Some(phones) = EXCEPTIONS.get(word) {
        return phones;
    }
    let aksharas = akshara::parse(word);
    let mut phones = Vec::with_capacity(word.len() / 2);
    for (i, akshara) in aksharas.iter().enumerate() {
        let next = aksharas.get(i + 1);
        consonants(akshara, &mut phones);
        vowel(akshara, &mut phones);
        nasals(akshara, next, &mut phones);
        if akshara.visarga {
            phones.push(Phone::new(Symbol::H));
        }
    }
    nasal::assimilate(&mut phones);
    phones
}

fn consonants(akshara: &Akshara, phones: &mut Vec<Phone>) {
    for (i, &letter) in akshara.consonants.iter().enumerate() {
        let symbol = match letter {
            Consonant::Sha | Consonant::Ssa => Symbol::S,
            // ଯ begins a syllable as dʒ; joined below a consonant it is the glide
            Consonant::Ya if i > 0 => Symbol::Y,
            Consonant::Ya => Symbol::J,
            Consonant::Nya if i > 0 => Symbol::N,
            Consonant::Va => Symbol::B,
            Consonant::Wa => Symbol::W,
            Consonant::Ba if i > 0 && is_subscript_wa(&akshara.consonants[..i]) => Symbol::W,
            other => letters::consonant(other),
        };
        push(phones, symbol);
    }
}

/// ବ joined below a consonant is w (ସ୍ବର), but b below lip sounds and r (ଉର୍ବୀ, ଜମ୍ବୁ).
fn is_subscript_wa(before: &[Consonant]) -> bool {
    !matches!(before.last(), None | Some(Consonant::Ma | Consonant::Ra | Consonant::Ba | Consonant::La))
}

fn vowel(akshara: &Akshara, phones: &mut Vec<Phone>) {
    let vowel = match akshara.nucleus {
        Nucleus::None => return,
        Nucleus::Inherent => Vowel::A,
        Nucleus::Vowel(vowel) => vowel,
    };
    match vowel {
        Vowel::A | Vowel::CandraO => phones.push(Phone::new(Symbol::OpenO)),
        Vowel::Aa => phones.push(Phone::new(Symbol::A).long()),
        Vowel::I | Vowel::Ii => phones.push(Phone::new(Symbol::I)),
        Vowel::U | Vowel::Uu => phones.push(Phone::new(Symbol::U)),
        Vowel::VocalicR | Vowel::VocalicRr => {
            push(phones, Symbol::R);
            phones.push(Phone::new(Symbol::U));
        }
        Vowel::VocalicL => {
            push(phones, Symbol::L);
            phones.push(Phone::new(Symbol::U));
        }
        Vowel::CandraE | Vowel::ShortE | Vowel::E => phones.push(Phone::new(Symbol::E)),
        Vowel::Ai => phones.extend([Phone::new(Symbol::OpenO), Phone::new(Symbol::I)]),
        Vowel::ShortO | Vowel::O => phones.push(Phone::new(Symbol::O)),
        Vowel::Au => phones.extend([Phone::new(Symbol::OpenO), Phone::new(Symbol::U)]),
    }
}

/// ଁ and ଂ make the vowel nasal; ଂ before a velar, and at the end, is ŋ.
fn nasals(akshara: &Akshara, next: Option<&Akshara>, phones: &mut Vec<Phone>) {
    if akshara.candrabindu {
        return nasal::nasalise_last(phones);
    }
    if !akshara.anusvara {
        return;
    }
    match next.and_then(|next| next.consonants.first()).map(|&letter| letters::consonant(letter)) {
        None | Some(Symbol::K | Symbol::Kh | Symbol::G | Symbol::Gh) => phones.push(Phone::new(Symbol::Ng)),
        Some(_) => nasal::nasalise_last(phones),
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
            ("ଆକାଶ", "aː k aː s ɔ", "the inherent vowel stays"),
            ("ମାଂସ", "m a\u{303}ː s ɔ", "nasal vowel"),
            ("ବିଜ୍ଞାନ", "b i dʒ n aː n ɔ", "jñ"),
            ("ସ୍ୱପ୍ନ", "s w ɔ p n ɔ", "wa"),
            ("ହଳଦିଆ", "ɦ ɔ ɭ ɔ d̪ i aː", "retroflex l"),
            ("ଦିସେମ୍ବର୍", "d̪ i s e m b ɔ ɾ", "a written virama"),
        ];
        for (word, phones, why) in cases {
            assert_eq!(to_ipa(&pronounce(word)), phones, "{word}: {why}");
        }
    }
}
