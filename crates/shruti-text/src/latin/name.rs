//! Native spellings of Indian names among romanised words, chosen by similarity of pronunciation.
//!
//! People type `Priya` with the letters of the more frequent word प्रिय. The pronunciation of Indian names is known
//! from English text ([`english::is_indian_word`]), so the native spelling is the one with that pronunciation.

use shruti_lang::Language;

use super::distance::distance;
use crate::language::spec;
use crate::phone::{Manner, Phone, Place};
use crate::{english, word};

/// Maximum distance between a name and its spelling: a constant, plus an amount per sound of the name. At a larger
/// distance, the spelling belongs to a different word.
const MAX_DISTANCE: f32 = 0.3;
const MAX_DISTANCE_PER_SOUND: f32 = 0.12;
/// Cost per rank of a spelling: a less likely spelling must be closer by this amount to be preferred to the spelling
/// before it.
const LESS_LIKELY: f32 = 0.1;

/// Returns the native spelling that sounds most like a name, if one is close enough; `spellings` are in descending
/// order of likelihood.
pub(super) fn spelling(
    name: &str,
    spellings: impl Iterator<Item = String>,
    language: Language,
) -> Option<String> {
    let mut phones = english::pronounce(name).phones;
    let to_own = spec(language).name_vowels;
    for phone in &mut phones {
        let own = to_own.iter().find(|(of_name, _)| *of_name == phone.symbol);
        phone.symbol = own.map_or(phone.symbol, |&(_, own)| own);
    }
    let name = sounds(&phones, language);
    let mut best: Option<(f32, String)> = None;
    for (rank, native) in spellings.enumerate() {
        let native_sounds = sounds(&word::pronounce(&native, language), language);
        let apart = distance(&name, &native_sounds, Sound::left_out, Sound::differs);
        let cost = apart + rank as f32 * LESS_LIKELY;
        let is_near = apart <= MAX_DISTANCE + MAX_DISTANCE_PER_SOUND * name.len() as f32;
        if is_near && best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, native));
        }
    }
    best.map(|(_, native)| native)
}

/// Tongue position of `ə` and `a`, which are one letter in typed text.
const LOW: u8 = 1;

/// Sound class in which a name and its spelling must agree in every language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sound {
    /// Tongue position (front, low or back), and whether the vowel is close.
    Vowel(u8, bool),
    /// A final low vowel, whose length distinguishes names from other words.
    LastLow {
        long: bool,
    },
    Nasal {
        labial: bool,
    },
    Liquid {
        lateral: bool,
    },
    /// The glottal fricative.
    Glottal,
    /// Place of articulation, and whether the closure is complete. Voicing and aspiration depend on the language and do
    /// not count.
    Obstruent(u8, bool),
    Glide {
        palatal: bool,
    },
}

impl Sound {
    /// Returns the cost of a sound that occurs in only one of the words. The cost is low for `ə`, which is often
    /// deleted, and for a palatal glide, which is hardly audible between vowels.
    const fn left_out(self) -> f32 {
        match self {
            Self::Vowel(LOW, false) | Self::Glide { palatal: true } => 0.3,
            Self::Glottal => 0.6,
            _ => 1.0,
        }
    }

    /// Returns the cost of replacing the sound with `other`.
    fn differs(self, other: Self) -> f32 {
        match (self, other) {
            _ if self == other => 0.0,
            // the second half of ai may be a vowel or a glide
            (Self::Vowel(0, true), Self::Glide { palatal: true })
            | (Self::Glide { palatal: true }, Self::Vowel(0, true)) => 0.1,
            (Self::Vowel(tongue, _), Self::Vowel(other, _)) if tongue == other => 0.3,
            (Self::Vowel(..), Self::Vowel(..)) => 0.7,
            (Self::Nasal { .. }, Self::Nasal { .. }) => 0.5,
            _ => 1.0,
        }
    }
}

/// Converts phones to sound classes, without length, voicing, aspiration and retroflexion.
fn sounds(phones: &[Phone], language: Language) -> Vec<Sound> {
    let mut sounds: Vec<Sound> = phones.iter().copied().map(sound).collect();
    // in a language that drops a final short vowel, the length of a final low vowel distinguishes words
    if spec(language).romanisation.final_schwa_falls
        && let (Some(last @ Sound::Vowel(LOW, _)), Some(phone)) = (sounds.last_mut(), phones.last())
    {
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
    fn matches_names_by_sound() {
        let cases = [
            ("priya", Language::Hindi, vec!["प्रिय", "प्रिया"], Some("प्रिया")),
            ("kavya", Language::Marathi, vec!["काव्य", "काव्या"], Some("काव्या")),
            ("lakshmi", Language::Malayalam, vec!["ലക്ഷ്മി"], Some("ലക്ഷ്മി")),
            ("ramesh", Language::Kannada, vec!["ರಮೇಶ್"], Some("ರಮೇಶ್")),
            ("priya", Language::Tamil, vec!["பெரிய"], None),
            ("priya", Language::Hindi, vec!["प्रिय"], None),
            ("mumbai", Language::Telugu, vec!["ముంబై"], Some("ముంబై")),
            ("hyderabad", Language::Hindi, vec!["हैदराबाद"], Some("हैदराबाद")),
            ("pooja", Language::Malayalam, vec!["പൂജ"], Some("പൂജ")),
            ("kamal", Language::Bengali, vec!["কমল", "কামাল"], Some("কমল")),
        ];
        for (name, language, spellings, wanted) in cases {
            let spellings = spellings.into_iter().map(str::to_owned);
            assert_eq!(spelling(name, spellings, language).as_deref(), wanted, "{name} in {language}");
        }
    }
}
