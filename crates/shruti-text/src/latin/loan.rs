//! English words that an Indian language has borrowed: `film` in romanised Hindi is read as फ़िल्म, the Hindi
//! pronunciation of the word.
//!
//! The native word is the lexicon word that sounds like the English one; if there is none, the word stays English.

use shruti_lang::Language;

use super::distance::distance;
use crate::phone::{Manner, Phonation, Phone, Place, Symbol};
use crate::{english, word};

/// Maximum distance between an English word and its borrowed form: a constant, plus an amount per sound of the English
/// word.
const MAX_DISTANCE: f32 = 0.2;
const MAX_DISTANCE_PER_SOUND: f32 = 0.1;

/// Returns the native spelling that sounds most like an English word, if one of `spellings` is close enough.
pub(super) fn spelling(
    word: &str,
    spellings: impl Iterator<Item = String>,
    language: Language,
) -> Option<String> {
    let english = english::pronounce(word).phones;
    let most = MAX_DISTANCE + MAX_DISTANCE_PER_SOUND * english.len() as f32;
    let apart = |native: String| {
        let phones = word::pronounce(&native, language);
        (distance(&english, &phones, alone, differs), native)
    };
    let near = spellings.map(apart).filter(|(apart, _)| *apart <= most);
    near.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, native)| native)
}

/// Returns the cost of a phone that occurs in only one of the words.
fn alone(phone: Phone) -> f32 {
    match phone.symbol {
        Symbol::Schwa | Symbol::CentralA => 0.4,
        Symbol::Y | Symbol::V => 0.6,
        _ => 1.0,
    }
}

/// Returns the cost of a substitution of one phone for another.
fn differs(one: Phone, other: Phone) -> f32 {
    match (vowel(one.symbol), vowel(other.symbol)) {
        (Some(one_class), Some(other_class)) => {
            let length = if one.long == other.long || one_class != Vowel::Low { 0.0 } else { 0.2 };
            let quality = if one.symbol == other.symbol { 0.0 } else { 0.1 };
            length + quality + vowels_differ(one_class, other_class).max(other_word(one.symbol, other.symbol))
        }
        (None, None) => consonants_differ(one.symbol, other.symbol),
        _ => match (one.symbol, other.symbol) {
            // the second half of ai or au may be a vowel or a glide
            (Symbol::I | Symbol::IShort, Symbol::Y)
            | (Symbol::Y, Symbol::I | Symbol::IShort)
            | (Symbol::U | Symbol::UShort, Symbol::V)
            | (Symbol::V, Symbol::U | Symbol::UShort) => 0.1,
            _ => 1.5,
        },
    }
}

/// Vowel class, at the level of detail that Indian languages distinguish.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Vowel {
    Close,
    Front,
    /// The vowel æ.
    OpenFront,
    Low,
    Back,
    CloseBack,
}

fn vowel(symbol: Symbol) -> Option<Vowel> {
    let shape = symbol.vowel()?;
    Some(match (shape.openness, shape.backness) {
        (open, back) if open < 0.3 && back < 0.7 => Vowel::Close,
        (open, _) if open < 0.3 => Vowel::CloseBack,
        (open, back) if back < 0.3 && open < 0.8 => Vowel::Front,
        (_, back) if back < 0.3 => Vowel::OpenFront,
        (_, back) if back > 0.9 && shape.rounded => Vowel::Back,
        _ => Vowel::Low,
    })
}

/// Returns the minimum cost of a vowel difference that distinguishes words in English: plan and plane, close and class.
fn other_word(one: Symbol, other: Symbol) -> f32 {
    match (one, other) {
        (Symbol::Ae, Symbol::E) | (Symbol::O, Symbol::A) => 0.8,
        _ => 0.0,
    }
}

fn vowels_differ(one: Vowel, other: Vowel) -> f32 {
    match (one, other) {
        _ if one == other => 0.0,
        (Vowel::OpenFront, Vowel::Front) | (Vowel::Front, Vowel::OpenFront) => 0.2,
        (Vowel::OpenFront | Vowel::Back, Vowel::Low) | (Vowel::Low, Vowel::OpenFront | Vowel::Back) => 0.3,
        _ => 0.8,
    }
}

/// Returns the cost of a consonant substitution. The cost is low for f and pʰ, z and dʒ, and d̪ and ɖ, and zero for
/// consonants that Latin letters do not distinguish.
fn consonants_differ(one: Symbol, other: Symbol) -> f32 {
    let kind = |symbol: Symbol| match symbol.manner() {
        Manner::Tap | Manner::Trill => Manner::Trill,
        Manner::Approximant if matches!(symbol.place(), Place::Alveolar | Place::Retroflex) => Manner::Trill,
        manner => manner,
    };
    let front = |place: Place| matches!(place, Place::Dental | Place::Alveolar | Place::Retroflex);
    let lips = |place: Place| matches!(place, Place::Bilabial | Place::Labiodental);
    let (place, other_place) = (one.place(), other.place());
    let near = place == other_place || front(place) && front(other_place) || lips(place) && lips(other_place);
    let is_voiced = |symbol: Symbol| matches!(symbol.phonation(), Phonation::Voiced | Phonation::Breathy);
    let voice = if is_voiced(one) == is_voiced(other) { 0.0 } else { 0.6 };
    match (kind(one), kind(other)) {
        _ if one == other => 0.0,
        (Manner::Trill, Manner::Trill) => 0.0,
        (Manner::Stop, Manner::Stop) if near && place != other_place => 0.3 + voice,
        (same, like) if same == like && near => voice,
        (Manner::Fricative, Manner::Fricative) if !lips(place) && !lips(other_place) => 0.4 + voice,
        (Manner::Fricative, Manner::Stop) | (Manner::Stop, Manner::Fricative) if lips(place) && near => {
            0.2 + voice
        }
        (Manner::Fricative, Manner::Affricate) | (Manner::Affricate, Manner::Fricative) => 0.3 + voice,
        (Manner::Nasal, Manner::Nasal) => 0.3,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_loans_by_sound() {
        let cases = [
            ("film", Language::Hindi, vec!["फ़िल्म", "फ़ल्म"], Some("फ़िल्म")),
            ("cancel", Language::Hindi, vec!["कंसल", "कैंसल"], Some("कैंसल")),
            ("party", Language::Bengali, vec!["পার্টি"], Some("পার্টি")),
            // the native words are different words with a similar spelling
            ("seen", Language::Bengali, vec!["সাইন"], None),
            ("try", Language::Gujarati, vec!["ટ્રી"], None),
            ("treat", Language::Telugu, vec!["ట్రేడ్"], None),
            ("mood", Language::Telugu, vec!["మోడ్"], None),
            ("plan", Language::Hindi, vec!["प्लेन"], None),
            ("close", Language::Hindi, vec!["क्लास"], None),
            ("choose", Language::Hindi, vec!["चूस"], None),
            ("plane", Language::Hindi, vec!["प्लेन"], Some("प्लेन")),
            ("class", Language::Hindi, vec!["क्लास"], Some("क्लास")),
            ("do", Language::Punjabi, vec!["ਦੋ"], None),
            ("me", Language::Hindi, vec!["में"], None),
        ];
        for (word, language, spellings, wanted) in cases {
            let spellings = spellings.into_iter().map(str::to_owned);
            assert_eq!(spelling(word, spellings, language).as_deref(), wanted, "{word} in {language}");
        }
    }
}
