//! Every letter as it stands, the inherent vowel always spoken: for a language whose rules are not written yet.

use super::letters;
use crate::akshara::{self, Nucleus, Vowel};
use crate::phone::{Phone, Symbol};

/// The phones of a word as it is spelled.
pub(super) fn pronounce(word: &str) -> Vec<Phone> {
    let mut phones = Vec::new();
    for akshara in akshara::parse(word) {
        phones.extend(akshara.consonants.iter().map(|&letter| Phone::new(letters::consonant(letter))));
        match akshara.nucleus {
            Nucleus::Inherent => phones.push(Phone::new(Symbol::Schwa)),
            Nucleus::Vowel(letter) => phones.push(vowel(letter)),
            Nucleus::None => {}
        }
        if akshara.anusvara || akshara.candrabindu {
            phones.push(Phone::new(Symbol::N));
        }
    }
    phones
}

fn vowel(vowel: Vowel) -> Phone {
    match vowel {
        Vowel::A => Phone::new(Symbol::Schwa),
        Vowel::Aa => Phone::new(Symbol::A).long(),
        Vowel::I | Vowel::VocalicR | Vowel::VocalicRr | Vowel::VocalicL => Phone::new(Symbol::IShort),
        Vowel::Ii => Phone::new(Symbol::I).long(),
        Vowel::U => Phone::new(Symbol::UShort),
        Vowel::Uu => Phone::new(Symbol::U).long(),
        Vowel::CandraE => Phone::new(Symbol::Ae),
        Vowel::ShortE => Phone::new(Symbol::E),
        Vowel::E => Phone::new(Symbol::E).long(),
        Vowel::Ai => Phone::new(Symbol::OpenE).long(),
        Vowel::CandraO | Vowel::Au => Phone::new(Symbol::OpenO).long(),
        Vowel::ShortO => Phone::new(Symbol::O),
        Vowel::O => Phone::new(Symbol::O).long(),
    }
}
