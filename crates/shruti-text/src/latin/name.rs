//! Names of India beside romanised words: which native spelling sounds as the name does.
//!
//! People type `Priya` with the letters of प्रिय, which is a commoner word. How such names sound is known from English text
//! ([`english::is_indian_word`]); the spelling is the one that is said so.

use shruti_protocol::Language;

use crate::language::spec;
use crate::phone::{Manner, Phone, Place};
use crate::{english, g2p};

/// The first of some native spellings that is said as a name is, small differences aside.
pub(super) fn spelling<'a>(
    name: &str,
    spellings: impl Iterator<Item = String> + 'a,
    language: Language,
) -> Option<String> {
    let mut phones = english::pronounce(name).phones;
    let to_own = spec(language).name_vowels;
    for phone in &mut phones {
        let own = to_own.iter().find(|(of_name, _)| *of_name == phone.symbol);
        phone.symbol = own.map_or(phone.symbol, |&(_, own)| own);
    }
    let sounds = sounds(&phones);
    spellings.into_iter().find(|native| self::sounds(&g2p::pronounce(native, language)) == sounds)
}

/// The tongue of `ə` and `a`, which are one letter in typing.
const LOW: u8 = 1;

/// What a name cannot be mistaken in, whatever the language it is said in.
#[derive(Debug, PartialEq, Eq)]
enum Sound {
    /// By the tongue: front, low or back, and whether it is close.
    Vowel(u8, bool),
    /// A low vowel at the end, where its length tells names from other words.
    LastLow {
        long: bool,
    },
    Nasal {
        labial: bool,
    },
    Liquid {
        lateral: bool,
    },
    /// Breath at the folds alone.
    Glottal,
    /// By place, and whether the closure is complete: what is voiced or breathed depends on the language.
    Obstruent(u8, bool),
    Glide {
        palatal: bool,
    },
}

/// Phones without length, voice, breath and whether the tongue is curled.
fn sounds(phones: &[Phone]) -> Vec<Sound> {
    let mut sounds: Vec<Sound> = phones.iter().copied().map(sound).collect();
    if let (Some(last @ Sound::Vowel(LOW, _)), Some(phone)) = (sounds.last_mut(), phones.last()) {
        *last = Sound::LastLow { long: phone.long };
    }
    sounds
}

fn sound(phone: Phone) -> Sound {
    let symbol = phone.symbol;
    if let Some(vowel) = symbol.vowel() {
        let tongue = match vowel.backness {
            front if front < 0.35 && vowel.openness < 0.85 => 0,
            back if back > 0.65 && vowel.rounded => 2,
            _ => LOW,
        };
        return Sound::Vowel(tongue, tongue != LOW && vowel.openness < 0.3);
    }
    let place = match symbol.place() {
        Place::Bilabial | Place::Labiodental => 0,
        Place::Dental | Place::Alveolar => 1,
        Place::Retroflex if symbol.manner() == Manner::Stop => 1,
        Place::Retroflex | Place::Postalveolar | Place::Palatal => 2,
        Place::Velar | Place::Uvular => 3,
        Place::Glottal | Place::Open => 4,
    };
    match symbol.manner() {
        Manner::Nasal => Sound::Nasal { labial: place == 0 },
        Manner::Lateral => Sound::Liquid { lateral: true },
        Manner::Tap | Manner::Trill => Sound::Liquid { lateral: false },
        Manner::Approximant => match symbol.place() {
            Place::Palatal => Sound::Glide { palatal: true },
            Place::Alveolar | Place::Retroflex => Sound::Liquid { lateral: false },
            _ => Sound::Glide { palatal: false },
        },
        Manner::Fricative if place == 4 => Sound::Glottal,
        Manner::Fricative => Sound::Obstruent(place, false),
        Manner::Stop | Manner::Affricate | Manner::Vowel => Sound::Obstruent(place, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_spelt_as_it_sounds() {
        let cases = [
            ("priya", Language::Hindi, vec!["प्रिय", "प्रिया"], Some("प्रिया")),
            ("kavya", Language::Marathi, vec!["काव्य", "काव्या"], Some("काव्या")),
            ("lakshmi", Language::Malayalam, vec!["ലക്ഷ്മി"], Some("ലക്ഷ്മി")),
            ("ramesh", Language::Kannada, vec!["ರಮೇಶ್"], Some("ರಮೇಶ್")),
            ("priya", Language::Tamil, vec!["பெரிய"], None),
        ];
        for (name, language, spellings, wanted) in cases {
            let spellings = spellings.into_iter().map(str::to_owned);
            assert_eq!(spelling(name, spellings, language).as_deref(), wanted, "{name} in {language}");
        }
    }
}
