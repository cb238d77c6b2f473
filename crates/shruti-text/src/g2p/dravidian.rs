//! What the four Dravidian languages share: no vowel is ever silent, so a word is its letters in order.

use super::letters;
use crate::akshara::{self, Consonant, Nucleus, Vowel};
use crate::phone::{Phone, Place, Symbol};

/// One letter of a word, in the order of speech.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Letter {
    /// A consonant alone.
    Consonant(Consonant),
    /// A vowel; the inherent one is [`Vowel::A`].
    Vowel(Vowel),
    /// ం, ಂ, ം: a nasal made where the next consonant is.
    Anusvara,
    /// ః, ಃ, ഃ.
    Visarga,
}

impl Letter {
    pub(super) fn consonant(self) -> Option<Consonant> {
        match self {
            Self::Consonant(consonant) => Some(consonant),
            _ => None,
        }
    }

    pub(super) fn is_vowel(self) -> bool {
        matches!(self, Self::Vowel(_))
    }
}

/// The letters of a word. The candrabindu (Telugu arasunna) is silent today and left out.
pub(super) fn letters(word: &str) -> Vec<Letter> {
    let mut letters = Vec::with_capacity(word.len() / 2);
    for akshara in akshara::parse(word) {
        letters.extend(akshara.consonants.iter().map(|&consonant| Letter::Consonant(consonant)));
        match akshara.nucleus {
            Nucleus::Inherent => letters.push(Letter::Vowel(Vowel::A)),
            Nucleus::Vowel(vowel) => letters.push(Letter::Vowel(vowel)),
            Nucleus::None => {}
        }
        if akshara.anusvara {
            letters.push(Letter::Anusvara);
        }
        if akshara.visarga {
            letters.push(Letter::Visarga);
        }
    }
    letters
}

/// The short vowels of a language; the long ones are made from them.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortVowels {
    pub(super) a: Symbol,
    pub(super) i: Symbol,
    pub(super) u: Symbol,
    pub(super) e: Symbol,
    pub(super) o: Symbol,
}

/// Adds a vowel. The diphthongs end in glides, and vocalic r is r with `vocalic`.
pub(super) fn push_vowel(phones: &mut Vec<Phone>, vowel: Vowel, short: ShortVowels, vocalic: Symbol) {
    match vowel {
        Vowel::A => phones.push(Phone::new(short.a)),
        Vowel::Aa => phones.push(Phone::new(Symbol::A).long()),
        Vowel::I => phones.push(Phone::new(short.i)),
        Vowel::Ii => phones.push(Phone::new(Symbol::I).long()),
        Vowel::U => phones.push(Phone::new(short.u)),
        Vowel::Uu => phones.push(Phone::new(Symbol::U).long()),
        Vowel::VocalicR => phones.extend([Phone::new(Symbol::R), Phone::new(vocalic)]),
        Vowel::VocalicRr => phones.extend([Phone::new(Symbol::R), Phone::new(vocalic).long()]),
        Vowel::VocalicL => phones.extend([Phone::new(Symbol::L), Phone::new(vocalic)]),
        Vowel::ShortE => phones.push(Phone::new(short.e)),
        Vowel::E => phones.push(Phone::new(Symbol::E).long()),
        Vowel::CandraE => phones.push(Phone::new(Symbol::Ae).long()),
        Vowel::ShortO => phones.push(Phone::new(short.o)),
        Vowel::O | Vowel::CandraO => phones.push(Phone::new(Symbol::O).long()),
        Vowel::Ai => phones.extend([Phone::new(short.a), Phone::new(Symbol::Y)]),
        Vowel::Au => phones.extend([Phone::new(short.a), Phone::new(Symbol::W)]),
    }
}

/// The nasal consonant made where `next` is made: m before lips, h, sibilants, glides and at the end of a word.
pub(super) fn homorganic(next: Option<Consonant>) -> Symbol {
    let Some(next) = next.map(letters::consonant) else { return Symbol::M };
    match next {
        Symbol::N | Symbol::Ts | Symbol::Dz => return Symbol::N,
        Symbol::Nn => return Symbol::Nn,
        _ => {}
    }
    if !super::nasal::is_plosive(next) {
        return Symbol::M;
    }
    match next.place() {
        Place::Dental => Symbol::DentN,
        Place::Alveolar => Symbol::N,
        Place::Postalveolar | Place::Palatal => Symbol::Ny,
        Place::Retroflex => Symbol::Nn,
        Place::Velar | Place::Uvular => Symbol::Ng,
        _ => Symbol::M,
    }
}

/// Whether a consonant is made with the tongue at the teeth.
pub(super) fn is_dental(consonant: Consonant) -> bool {
    matches!(consonant, Consonant::Ta | Consonant::Tha | Consonant::Da | Consonant::Dha)
}

/// What a written visarga repeats: the voiceless consonant after it (దుఃఖము, അന്തഃപുരം).
pub(super) fn is_doubled_by_visarga(next: Consonant) -> bool {
    use Consonant::{Ca, Cha, Ka, Kha, Pa, Pha, Sa, Sha, Ssa, Ta, Tha, Tta, Ttha};
    matches!(next, Ka | Kha | Ca | Cha | Tta | Ttha | Ta | Tha | Pa | Pha | Sha | Ssa | Sa)
}
