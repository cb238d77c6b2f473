//! Shared rules of the Indo-Aryan languages. The aksharas of a word are pronounced in order, and some inherent vowels
//! are silent.

use super::letters::{self, push};
use super::morphemes::Morphemes;
use super::vowels::{Vowels, long, short};
use super::{nasal, schwa};
use crate::akshara::{self, Akshara, Consonant, Nucleus, Vowel};
use crate::phone::{Phone, Symbol};

/// Word, split into aksharas.
pub(crate) struct Word {
    /// Aksharas of the word.
    pub(crate) aksharas: Vec<Akshara>,
    /// `true` for each akshara whose inherent vowel is silent.
    pub(crate) silent: Vec<bool>,
}

impl Word {
    /// Parses a word and applies schwa deletion with the given morphemes and rules.
    pub(crate) fn parse(word: &str, morphemes: &Morphemes, rules: &schwa::Rules) -> Self {
        let aksharas = akshara::parse(word);
        let morphemes = morphemes.of(word, &aksharas);
        let silent = schwa::silent(&aksharas, &morphemes, rules);
        Self { aksharas, silent }
    }

    /// Parses a word without schwa deletion.
    pub(crate) fn with_every_vowel(word: &str) -> Self {
        let aksharas = akshara::parse(word);
        Self { silent: vec![false; aksharas.len()], aksharas }
    }

    /// Returns the akshara after the one at `i`.
    pub(crate) fn next(&self, i: usize) -> Option<&Akshara> {
        self.aksharas.get(i + 1)
    }

    /// Returns the first consonant of the akshara after the one at `i`.
    pub(crate) fn next_consonant(&self, i: usize) -> Option<Consonant> {
        self.next(i)?.consonants.first().copied()
    }

    /// Returns the vowel of the akshara at `i`, or `None` if no vowel is spoken.
    pub(crate) fn vowel(&self, i: usize) -> Option<Vowel> {
        match self.aksharas[i].nucleus {
            Nucleus::None => None,
            Nucleus::Inherent => (!self.silent[i]).then_some(Vowel::A),
            Nucleus::Vowel(vowel) => Some(vowel),
        }
    }
}

/// Pronunciation of the parts of an akshara in one language, or in one word. Each method appends to, or changes, the
/// phones of the word so far.
pub(crate) trait Sounds {
    /// Appends the consonants of the akshara at `i`.
    fn consonants(&self, word: &Word, i: usize, phones: &mut Vec<Phone>);

    /// Appends the spoken vowel of the akshara at `i`.
    fn vowel(&self, word: &Word, i: usize, vowel: Vowel, phones: &mut Vec<Phone>);

    /// Applies the anusvara or candrabindu of the akshara at `i` before a consonant whose usual sound is `next`.
    fn nasal_before(&self, next: Symbol, word: &Word, i: usize, phones: &mut Vec<Phone>);

    /// Applies the anusvara or candrabindu of the akshara at `i` if no consonant follows. The default implementation
    /// nasalises the vowel.
    fn final_nasal(&self, _word: &Word, _i: usize, phones: &mut Vec<Phone>) {
        nasal::nasalise_last(phones);
    }

    /// Appends the visarga of the akshara at `i`.
    fn visarga(&self, _word: &Word, _i: usize, phones: &mut Vec<Phone>) {
        phones.push(Phone::new(Symbol::H));
    }
}

/// Returns the phones of a word.
pub(crate) fn phones(word: &Word, sounds: &impl Sounds) -> Vec<Phone> {
    let mut phones = Vec::with_capacity(word.aksharas.len() * 2);
    for (i, akshara) in word.aksharas.iter().enumerate() {
        let start = phones.len();
        sounds.consonants(word, i, &mut phones);
        nasal::assimilate(&mut phones[start..]);
        if let Some(vowel) = word.vowel(i) {
            sounds.vowel(word, i, vowel, &mut phones);
        }
        if akshara.anusvara || akshara.candrabindu {
            match word.next_consonant(i).map(consonant) {
                Some(next) => sounds.nasal_before(next, word, i, &mut phones),
                None => sounds.final_nasal(word, i, &mut phones),
            }
        }
        if akshara.visarga {
            sounds.visarga(word, i, &mut phones);
        }
    }
    phones
}

/// Vowels of Hindi; the related languages differ in some of them.
pub(crate) const VOWELS: Vowels = Vowels {
    a: short(Symbol::Schwa),
    aa: long(Symbol::A),
    i: short(Symbol::IShort),
    ii: long(Symbol::I),
    u: short(Symbol::UShort),
    uu: long(Symbol::U),
    vocalic: short(Symbol::IShort),
    vocalic_long: short(Symbol::IShort),
    candra_e: short(Symbol::Ae),
    short_e: long(Symbol::E),
    e: long(Symbol::E),
    ai: &[long(Symbol::OpenE)],
    candra_o: short(Symbol::OpenO),
    short_o: long(Symbol::O),
    o: long(Symbol::O),
    au: &[long(Symbol::OpenO)],
};

/// Appends the phones of a vowel from the table of the language.
pub(crate) fn push_vowel(phones: &mut Vec<Phone>, vowels: &Vowels, vowel: Vowel) {
    let (liquid, vowel) = vowels.sound(vowel);
    // श्रृ is an alternative spelling of शृ, so the liquid is not repeated
    if let Some(liquid) = liquid
        && phones.last().is_none_or(|last| last.symbol != liquid)
    {
        push(phones, liquid);
    }
    phones.extend_from_slice(vowel);
}

/// Appends the sounds of consonants; `jny` is the pronunciation of ज्ञ.
pub(crate) fn push_consonants(phones: &mut Vec<Phone>, consonants: &[Consonant], jny: [Symbol; 2]) {
    let mut left = consonants;
    while let Some((&first, rest)) = left.split_first() {
        if let (Consonant::Ja, [Consonant::Nya, after @ ..]) = (first, rest) {
            phones.extend(jny.map(Phone::new));
            left = after;
        } else {
            push(phones, consonant(first));
            left = rest;
        }
    }
}

/// Returns the usual sound of a consonant; ऱ is a tap in these languages.
pub(crate) fn consonant(letter: Consonant) -> Symbol {
    if letter == Consonant::Rra { Symbol::R } else { letters::consonant(letter) }
}
