//! Sounds of Indian English, encoded in one byte each for the lexicon and the letter-to-sound model.
//!
//! A sound is a consonant, or a whole syllable nucleus (a diphthong is one sound of two phones) with its stress. The
//! inventory is General Indian English as described by Bansal (1969), CIEFL (1972), Wells (1982, vol. 3, §8.7) and
//! Sailaja (2009): retroflex ʈ ɖ, dental t̪ʰ d̪ for *th*, one ʋ for *v* and *w*, monophthongs eː oː, and *r* wherever
//! it is written. ʌ and ə differ in stress only.

use crate::phone::{Phone, Symbol};
use crate::utterance::Stress;

/// Code of a sound of Indian English.
///
/// `0..CONSONANTS.len()` are consonants; nucleus `v` with stress `s` (0 none, 1 primary, 2 secondary) is
/// `CONSONANTS.len() + 3 * v + s`. Bit 7 is always clear, so that the lexicon can use it to mark the last sound of a
/// word.
pub type Code = u8;

const fn short(symbol: Symbol) -> Phone {
    Phone::new(symbol)
}

const fn long(symbol: Symbol) -> Phone {
    Phone::new(symbol).long()
}

/// Consonants in the order of their codes, each with the name that the program under `train/english` uses for it.
pub const CONSONANTS: &[(&str, Phone)] = &[
    ("p", short(Symbol::P)),
    ("b", short(Symbol::B)),
    ("ʈ", short(Symbol::Tt)),
    ("ɖ", short(Symbol::Dd)),
    ("k", short(Symbol::K)),
    ("ɡ", short(Symbol::G)),
    ("tʃ", short(Symbol::C)),
    ("dʒ", short(Symbol::J)),
    ("f", short(Symbol::F)),
    ("ʋ", short(Symbol::V)),
    ("t̪ʰ", short(Symbol::Th)),
    ("d̪", short(Symbol::D)),
    ("s", short(Symbol::S)),
    ("z", short(Symbol::Z)),
    ("ʃ", short(Symbol::Sh)),
    ("ʒ", short(Symbol::Zh)),
    ("h", short(Symbol::VlH)),
    ("m", short(Symbol::M)),
    ("n", short(Symbol::N)),
    ("ŋ", short(Symbol::Ng)),
    ("l", short(Symbol::L)),
    // an approximant or a tap, depending on the adjacent sounds: see `phones`
    ("ɹ", short(Symbol::Ar)),
    ("j", short(Symbol::Y)),
];

/// Syllable nuclei in the order of their codes, each with its name and its phones.
pub const NUCLEI: &[(&str, &[Phone])] = &[
    ("ɪ", &[short(Symbol::IShort)]),
    ("iː", &[long(Symbol::I)]),
    ("ʊ", &[short(Symbol::UShort)]),
    ("uː", &[long(Symbol::U)]),
    ("ɛ", &[short(Symbol::OpenE)]),
    ("eː", &[long(Symbol::E)]),
    ("oː", &[long(Symbol::O)]),
    ("æ", &[short(Symbol::Ae)]),
    ("aː", &[long(Symbol::A)]),
    ("a", &[short(Symbol::A)]),
    ("ɔː", &[long(Symbol::OpenO)]),
    ("ɒ", &[short(Symbol::RoundA)]),
    ("ʌ", &[short(Symbol::Caret)]),
    ("ə", &[short(Symbol::Schwa)]),
    ("əː", &[long(Symbol::Schwa)]),
    ("aɪ", &[short(Symbol::A), short(Symbol::IShort)]),
    ("aʊ", &[short(Symbol::A), short(Symbol::UShort)]),
    ("ɔɪ", &[short(Symbol::OpenO), short(Symbol::IShort)]),
];

/// Number of codes.
pub const CODES: usize = CONSONANTS.len() + 3 * NUCLEI.len();

/// Returns the code of a consonant by its name.
pub fn consonant(name: &str) -> Option<Code> {
    CONSONANTS.iter().position(|(ipa, _)| *ipa == name).map(|index| index as Code)
}

/// Returns the code of a nucleus by its name.
pub fn nucleus(name: &str, stress: Stress) -> Option<Code> {
    let index = NUCLEI.iter().position(|(ipa, _)| *ipa == name)?;
    Some((CONSONANTS.len() + 3 * index) as Code + stress_digit(stress))
}

const fn stress_digit(stress: Stress) -> u8 {
    match stress {
        Stress::None => 0,
        Stress::Primary => 1,
        Stress::Secondary => 2,
    }
}

/// Returns whether the code is a nucleus.
pub fn is_nucleus(code: Code) -> bool {
    usize::from(code) >= CONSONANTS.len()
}

/// Returns the stress of a nucleus, or [`Stress::None`] for a consonant.
pub fn stress(code: Code) -> Stress {
    match usize::from(code).checked_sub(CONSONANTS.len()).map(|index| index % 3) {
        Some(1) => Stress::Primary,
        Some(2) => Stress::Secondary,
        _ => Stress::None,
    }
}

/// Returns the same nucleus with another stress; a consonant is returned unchanged.
#[must_use]
pub fn with_stress(code: Code, stress: Stress) -> Code {
    let first = CONSONANTS.len() as Code;
    if code < first { code } else { code - (code - first) % 3 + stress_digit(stress) }
}

/// Returns the name of a code, without stress.
pub fn name(code: Code) -> &'static str {
    let index = usize::from(code);
    match CONSONANTS.get(index) {
        Some((ipa, _)) => ipa,
        None => NUCLEI.get((index - CONSONANTS.len()) / 3).map_or("", |(ipa, _)| ipa),
    }
}

/// Converts the codes of a word to phones and applies context rules: *r* is pronounced as a tap before a vowel if it
/// follows a vowel or a dental stop, and otherwise as an approximant (CIEFL 1972); ŋ before a vowel is pronounced ŋɡ
/// (Bansal 1969).
pub fn phones(codes: &[Code]) -> Vec<Phone> {
    let mut phones: Vec<Phone> = Vec::with_capacity(codes.len() + 4);
    for (position, &code) in codes.iter().enumerate() {
        let index = usize::from(code);
        let before_vowel = codes.get(position + 1).is_some_and(|&next| is_nucleus(next));
        let Some((_, consonant)) = CONSONANTS.get(index) else {
            if let Some((_, nucleus)) = NUCLEI.get((index - CONSONANTS.len()) / 3) {
                phones.extend_from_slice(nucleus);
            }
            continue;
        };
        match consonant.symbol {
            Symbol::Ar => {
                let after_vowel_or_dental = phones
                    .last()
                    .is_some_and(|last| last.is_vowel() || matches!(last.symbol, Symbol::Th | Symbol::D));
                let symbol = if before_vowel && after_vowel_or_dental { Symbol::R } else { Symbol::Ar };
                phones.push(symbol.into());
            }
            Symbol::Ng if before_vowel => phones.extend([short(Symbol::Ng), short(Symbol::G)]),
            _ => phones.push(*consonant),
        }
    }
    phones
}

/// Returns the stress of each nucleus in the codes of a word.
pub fn stresses(codes: &[Code]) -> Vec<Stress> {
    codes.iter().filter(|&&code| is_nucleus(code)).map(|&code| stress(code)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phone::to_ipa;

    #[test]
    fn every_code_round_trips_by_name() {
        for code in 0..CODES as Code {
            let found =
                if is_nucleus(code) { nucleus(name(code), stress(code)) } else { consonant(name(code)) };
            assert_eq!(found, Some(code), "{}", name(code));
        }
        const { assert!(CODES <= 128, "bit 7 belongs to the containers") };
    }

    #[test]
    fn r_is_tapped_and_ng_hardens_by_context() {
        let spell = |names: &[&str]| -> String {
            let codes: Vec<Code> = names
                .iter()
                .map(|name| consonant(name).or_else(|| nucleus(name, Stress::None)).unwrap())
                .collect();
            to_ipa(&phones(&codes))
        };
        assert_eq!(spell(&["ʋ", "ɛ", "ɹ", "iː"]), "ʋ ɛ ɾ iː");
        assert_eq!(spell(&["t̪ʰ", "ɹ", "iː"]), "t̪ʰ ɾ iː");
        assert_eq!(spell(&["k", "aː", "ɹ"]), "k aː ɹ");
        assert_eq!(spell(&["s", "ɪ", "ŋ", "ɪ", "ŋ"]), "s ɪ ŋ ɡ ɪ ŋ");
        assert_eq!(spell(&["ɹ", "aɪ", "ʈ"]), "ɹ a ɪ ʈ");
    }

    #[test]
    fn reads_and_replaces_stress() {
        let code = nucleus("aɪ", Stress::Secondary).unwrap();
        assert_eq!(stress(code), Stress::Secondary);
        assert_eq!(name(with_stress(code, Stress::Primary)), "aɪ");
        assert_eq!(stress(with_stress(code, Stress::Primary)), Stress::Primary);
        let p = consonant("p").unwrap();
        assert_eq!(with_stress(p, Stress::Primary), p);
    }
}
