//! Gujarati.
//!
//! Phonology after Cardona & Suthar (2003). The inherent vowel falls as in Hindi, but is spoken after a final
//! cluster that ends in a glide or r. Vowel length is not contrastive. ઐ and ઔ are diphthongs; h after a vowel
//! is murmur on it and no sound of its own.

use std::sync::LazyLock;

use super::exceptions::Exceptions;
use super::letters::{self, push};
use super::morphemes::Morphemes;
use super::{nasal, schwa};
use crate::akshara::{self, Akshara, Consonant, Nucleus, Vowel};
use crate::phone::{Phone, Symbol};

const EXCEPTIONS_TSV: &str = include_str!("../../data/gu/exceptions.tsv");
const MORPHEMES_TOML: &str = include_str!("../../data/gu/morphemes.toml");

static EXCEPTIONS: LazyLock<Exceptions> = LazyLock::new(|| Exceptions::read(EXCEPTIONS_TSV));
static MORPHEMES: LazyLock<Morphemes> = LazyLock::new(|| Morphemes::read(MORPHEMES_TOML));

const RULES: schwa::Rules = schwa::Rules { keeps_final, keeps_joint, falls };

/// The phones of a Gujarati word.
pub fn pronounce(word: &str) -> Vec<Phone> {
    if let Some(phones) = EXCEPTIONS.get(word) {
        return phones;
    }
    let aksharas = akshara::parse(word);
    let morphemes = MORPHEMES.of(word, &aksharas);
    let silent = schwa::silent(&aksharas, &morphemes, &RULES);
    let mut phones = Vec::with_capacity(word.len() / 2);
    for (i, akshara) in aksharas.iter().enumerate() {
        let next = aksharas.get(i + 1);
        consonants(akshara, i > 0 && !has_sound(akshara, silent[i]), &mut phones);
        vowel(akshara, next, silent[i], &mut phones);
        nasals(akshara, next, &mut phones);
    }
    nasal::assimilate(&mut phones);
    phones
}

fn has_sound(akshara: &Akshara, silent: bool) -> bool {
    akshara.nucleus != Nucleus::None && !silent
}

fn keeps_final(akshara: &Akshara, before: Option<&Akshara>) -> bool {
    use Consonant::{Ma, Na, Nna, Ra, Va, Ya};
    match akshara.consonants.as_slice() {
        [_, .., Ya | Va | Ra | Ma | Na | Nna] => true,
        [Ya] => before
            .is_some_and(|before| matches!(before.nucleus, Nucleus::Vowel(Vowel::I | Vowel::Ii | Vowel::E))),
        _ => false,
    }
}

fn keeps_joint(akshara: &Akshara, _before: Option<&Akshara>) -> bool {
    akshara.consonants.len() > 1
}

fn falls(joint: &schwa::Joint<'_>) -> bool {
    joint.is_simple()
}

fn consonants(akshara: &Akshara, in_coda: bool, phones: &mut Vec<Phone>) {
    let mut letters = akshara.consonants.as_slice();
    while let Some((&first, rest)) = letters.split_first() {
        match (first, rest) {
            (Consonant::Ja, [Consonant::Nya, after @ ..]) => {
                phones.extend([Phone::new(Symbol::G), Phone::new(Symbol::N)]);
                letters = after;
                continue;
            }
            // murmur of the vowel before
            (Consonant::Ha, []) if in_coda => {}
            (Consonant::Rra, _) => push(phones, Symbol::R),
            (Consonant::Za, _) => push(phones, Symbol::Z),
            _ => push(phones, letters::consonant(first)),
        }
        letters = rest;
    }
}

fn vowel(akshara: &Akshara, next: Option<&Akshara>, silent: bool, phones: &mut Vec<Phone>) {
    let vowel = match akshara.nucleus {
        Nucleus::None => return,
        Nucleus::Inherent if silent => return,
        Nucleus::Inherent => Vowel::A,
        Nucleus::Vowel(vowel) => vowel,
    };
    let is_final = next.is_none();
    match vowel {
        Vowel::A => phones.push(Phone::new(Symbol::Schwa)),
        Vowel::Aa => phones.push(Phone::new(Symbol::A).long()),
        Vowel::I if !is_final => phones.push(Phone::new(Symbol::IShort)),
        Vowel::I | Vowel::Ii => phones.push(Phone::new(Symbol::I).long()),
        Vowel::U if !is_final => phones.push(Phone::new(Symbol::UShort)),
        Vowel::U | Vowel::Uu => phones.push(Phone::new(Symbol::U).long()),
        Vowel::VocalicR | Vowel::VocalicRr => {
            push(phones, Symbol::R);
            phones.push(Phone::new(Symbol::UShort));
        }
        Vowel::VocalicL => {
            push(phones, Symbol::L);
            phones.push(Phone::new(Symbol::UShort));
        }
        Vowel::CandraE => phones.push(Phone::new(Symbol::OpenE)),
        Vowel::ShortE | Vowel::E => phones.push(Phone::new(Symbol::E).long()),
        Vowel::Ai => phones.extend([Phone::new(Symbol::Schwa), Phone::new(Symbol::IShort)]),
        Vowel::CandraO => phones.push(Phone::new(Symbol::OpenO)),
        Vowel::ShortO | Vowel::O => phones.push(Phone::new(Symbol::O).long()),
        Vowel::Au => phones.extend([Phone::new(Symbol::Schwa), Phone::new(Symbol::UShort)]),
    }
}

/// ં is a nasal vowel at the end and after long vowels before voiceless sounds, else the nasal of what follows.
fn nasals(akshara: &Akshara, next: Option<&Akshara>, phones: &mut Vec<Phone>) {
    if !akshara.anusvara && !akshara.candrabindu {
        return;
    }
    let Some(&letter) = next.and_then(|next| next.consonants.first()) else {
        return nasal::nasalise_last(phones);
    };
    let symbol = letters::consonant(letter);
    let long = phones.last().is_some_and(|last| last.long);
    let voiced = nasal::is_voiced_plosive(symbol);
    if akshara.candrabindu || matches!(symbol, Symbol::H | Symbol::V | Symbol::Y) || long && !voiced {
        return nasal::nasalise_last(phones);
    }
    phones.push(Phone::new(nasal::homorganic(symbol)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::to_ipa;

    #[test]
    fn tables_read() {
        super::super::exceptions::check(EXCEPTIONS_TSV);
        super::super::morphemes::check(MORPHEMES_TOML);
    }

    #[test]
    fn words_sound_as_spoken() {
        let cases = [
            ("પુસ્તક", "p ʊ s t̪ ə k", "final"),
            ("દેડકી", "d̪ eː ɖ k iː", "VC_CV"),
            ("ચંદ્ર", "tʃ ə n d̪ ɾ ə", "the vowel after a final cluster"),
            ("કાંસું", "k a\u{303}ː s u\u{303}ː", "nasal vowels"),
            ("રંગ", "ɾ ə ŋ ɡ", "homorganic nasal"),
            ("સૈનિક", "s ə ɪ n ɪ k", "diphthong"),
            ("સલાહ", "s ə l aː", "murmur"),
            ("વિજ્ઞાન", "ʋ ɪ ɡ n aː n", "jñ"),
        ];
        for (word, phones, why) in cases {
            assert_eq!(to_ipa(&pronounce(word)), phones, "{word}: {why}");
        }
    }
}
