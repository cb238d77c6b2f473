//! Syllabification and stress assignment.
//!
//! A vowel takes as many of the preceding consonants as can begin a syllable (maximal onsets). English stress comes
//! from the lexicon. The Indian languages have weak stress that depends on the weight and position of syllables.

use std::ops::Range;

use crate::phone::{Manner, Phonation, Phone, Symbol};
use crate::utterance::{Stress, Syllable};

/// Syllabification rules of a language, with its default stress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Clusters that can begin a syllable.
    pub onsets: Onsets,
    /// Syllable that is stressed by default.
    pub stress: DefaultStress,
}

impl Rules {
    /// Rules for English. The stress of a word in the English lexicon comes from the lexicon instead.
    pub const ENGLISH: Self = Self { onsets: Onsets::English, stress: DefaultStress::First };
    /// Rules for words of Indian origin in English, which are stressed by weight as in Hindi.
    pub const INDIAN_WORDS: Self = Self { onsets: Onsets::TwoConsonants, stress: DefaultStress::Heaviest };
}

/// Clusters that can begin a word-internal syllable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onsets {
    /// At most an obstruent and a liquid or glide, as in the languages of India. The first consonant of a cluster
    /// closes the preceding syllable (Ohala 1983: pat.ra).
    TwoConsonants,
    /// English clusters of up to three consonants.
    English,
}

/// Default stress position in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultStress {
    /// First syllable: Bengali and Odia (Hayes & Lahiri 1991), Tamil, Telugu and Kannada (Keane 2006).
    First,
    /// First syllable, or the second syllable if only the second has a long vowel: Malayalam (Mohanan 1986).
    FirstOrLongSecond,
    /// Heaviest syllable, without counting the last mora of the word. Among equals, the last one that is not final
    /// (Pandey 1989 for Hindi).
    Heaviest,
}

/// Returns the nuclei of a word: its vowels and diphthongs.
///
/// Two vowels form a diphthong if both are short, the second is a close vowel (i, ɪ, u, ʊ) and the first is not (aɪ,
/// aʊ, ɔɪ, əi, oi). A long vowel forms its own syllable (Hindi आई, English *saying*).
pub fn nuclei(phones: &[Phone]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + phones.get(at..)?.iter().position(|phone| phone.is_vowel())?;
        let second = phones.get(start + 1).filter(|second| second.is_vowel());
        let diphthong = second.is_some_and(|&second| is_diphthong(phones[start], second));
        at = start + 1 + usize::from(diphthong);
        Some(start..at)
    })
}

fn is_diphthong(first: Phone, second: Phone) -> bool {
    let is_close =
        |phone: Phone| matches!(phone.symbol, Symbol::I | Symbol::IShort | Symbol::U | Symbol::UShort);
    !first.long && !second.long && !is_close(first) && is_close(second)
}

/// Returns the syllables of a word with the stress that the rules assign. The syllables cover the phones without gaps;
/// a word without a vowel is one syllable.
pub fn syllables(phones: &[Phone], rules: Rules) -> Vec<Syllable> {
    let mut syllables = cut(phones, rules.onsets);
    let stressed = default_stress(phones, &syllables, rules.stress);
    if let Some(stressed) = stressed.and_then(|index| syllables.get_mut(index)) {
        stressed.stress = Stress::Primary;
    }
    syllables
}

/// Returns the syllables of a word whose nuclei have the given stresses, in order. Nuclei after the end of the list are
/// unstressed.
pub fn with_stresses(phones: &[Phone], onsets: Onsets, stresses: &[Stress]) -> Vec<Syllable> {
    let mut syllables = cut(phones, onsets);
    for (syllable, &stress) in syllables.iter_mut().zip(stresses) {
        syllable.stress = stress;
    }
    syllables
}

/// Splits a word into unstressed syllables, one per nucleus.
fn cut(phones: &[Phone], onsets: Onsets) -> Vec<Syllable> {
    if phones.is_empty() {
        return Vec::new();
    }
    let syllable = |phones| Syllable { phones, stress: Stress::None, tone: None };
    let mut syllables = Vec::with_capacity(phones.len().div_ceil(2));
    let mut start = 0;
    let mut nuclei = nuclei(phones);
    let mut end_before = nuclei.next().map_or(phones.len(), |first| first.end);
    for nucleus in nuclei {
        let between = end_before..nucleus.start;
        let cut = between.end - onset_length(&phones[between], onsets);
        syllables.push(syllable(start..cut));
        start = cut;
        end_before = nucleus.end;
    }
    syllables.push(syllable(start..phones.len()));
    syllables
}

/// Returns the number of consonants between two vowels that belong to the second vowel.
fn onset_length(consonants: &[Phone], onsets: Onsets) -> usize {
    let (longest, available) = match (onsets, consonants.len()) {
        (Onsets::TwoConsonants, many @ 2..) => (2, many - 1),
        (Onsets::TwoConsonants, many) => (2, many),
        (Onsets::English, many) => (3, many),
    };
    (1..=longest.min(available))
        .rev()
        .find(|&size| is_onset(&consonants[consonants.len() - size..], onsets))
        .unwrap_or(available.min(1))
}

fn is_onset(cluster: &[Phone], onsets: Onsets) -> bool {
    let obstruent =
        |phone: Phone| matches!(phone.symbol.manner(), Manner::Stop | Manner::Affricate | Manner::Fricative);
    let glide =
        |phone: Phone| matches!(phone.symbol.manner(), Manner::Approximant | Manner::Tap | Manner::Trill);
    let liquid = |phone: Phone| glide(phone) || phone.symbol == Symbol::L;
    match *cluster {
        [only] => onsets != Onsets::English || only.symbol != Symbol::Ng,
        _ if cluster.iter().any(|phone| phone.long) => false,
        [first, second] if onsets == Onsets::English => {
            let s_cluster = first.symbol == Symbol::S
                && (matches!(second.symbol, Symbol::M | Symbol::N | Symbol::L | Symbol::V)
                    || is_voiceless_stop(second));
            let coronal_l = second.symbol == Symbol::L
                && matches!(first.symbol, Symbol::Tt | Symbol::Dd | Symbol::T | Symbol::D | Symbol::Th);
            let with_yod = second.symbol == Symbol::Y && !glide(first);
            s_cluster
                || with_yod
                || (obstruent(first)
                    && liquid(second)
                    && !coronal_l
                    && !matches!(first.symbol, Symbol::S | Symbol::Z | Symbol::VlH | Symbol::H | Symbol::Zh)
                    && first.symbol.manner() != Manner::Affricate)
        }
        [first, second] => obstruent(first) && liquid(second),
        [first, second, third] => {
            first.symbol == Symbol::S
                && is_voiceless_stop(second)
                && (liquid(third) || third.symbol == Symbol::Y)
        }
        _ => false,
    }
}

fn is_voiceless_stop(phone: Phone) -> bool {
    phone.symbol.manner() == Manner::Stop && phone.symbol.phonation() == Phonation::Voiceless
}

/// Returns the index of the syllable that is stressed by default, or `None` for a word without syllables.
fn default_stress(phones: &[Phone], syllables: &[Syllable], stress: DefaultStress) -> Option<usize> {
    let last = syllables.len().checked_sub(1)?;
    match stress {
        DefaultStress::First => Some(0),
        DefaultStress::FirstOrLongSecond => {
            let second_wins = last >= 1
                && !has_long_vowel(&phones[syllables[0].phones.clone()])
                && has_long_vowel(&phones[syllables[1].phones.clone()]);
            Some(usize::from(second_wins))
        }
        DefaultStress::Heaviest => {
            let weight = |index: usize| moras(phones, syllables, index) - usize::from(index == last);
            let heaviest = (0..=last).map(weight).max()?;
            (0..last).rev().find(|&index| weight(index) == heaviest).or(Some(last))
        }
    }
}

/// Returns whether a syllable with these phones has a long vowel or a diphthong.
fn has_long_vowel(phones: &[Phone]) -> bool {
    let vowels = phones.iter().filter(|phone| phone.is_vowel());
    vowels.clone().any(|phone| phone.long) || vowels.count() > 1
}

/// Returns the number of moras of a syllable, from 1 to 3: two for a long vowel or a diphthong, one for a short vowel,
/// and one for each consonant that closes the syllable.
fn moras(phones: &[Phone], syllables: &[Syllable], index: usize) -> usize {
    let place = &syllables[index].phones;
    let own = &phones[place.clone()];
    let vowel = 1 + usize::from(has_long_vowel(own));
    let coda = own.iter().rev().take_while(|phone| !phone.is_vowel()).count();
    // a geminate is in the onset of the next syllable and also closes this one
    let next_is_geminate = phones.get(place.end).is_some_and(|phone| phone.long && !phone.is_vowel());
    (vowel + coda + usize::from(next_is_geminate)).min(3)
}

#[cfg(test)]
mod tests {
    use shruti_lang::Language;

    use super::*;
    use crate::language::spec;
    use crate::phone::parse_ipa;

    fn shown(ipa: &str, language: Language) -> String {
        let phones = parse_ipa(ipa).unwrap();
        let mut text = String::new();
        for syllable in syllables(&phones, spec(language).syllables) {
            if !text.is_empty() {
                text.push('.');
            }
            if syllable.stress == Stress::Primary {
                text.push('ˈ');
            }
            for phone in &phones[syllable.phones] {
                text.push_str(&phone.to_string());
            }
        }
        text
    }

    #[test]
    fn english_onsets_are_maximal_and_legal() {
        for (ipa, expected) in [
            ("ɛkspɹɛs", "ˈɛk.spɹɛs"),
            ("æpəl", "ˈæ.pəl"),
            ("sɪŋɡɪŋ", "ˈsɪŋ.ɡɪŋ"),
            ("æʈləs", "ˈæʈ.ləs"),
            ("saɪəns", "ˈsaɪ.əns"),
            ("seːɪŋ", "ˈseː.ɪŋ"),
            ("ɪnsʈɪʈjuːʈ", "ˈɪn.sʈɪ.ʈjuːʈ"),
            ("ɖɪfɪkəlʈ", "ˈɖɪ.fɪ.kəlʈ"),
            ("pst", "ˈpst"),
        ] {
            assert_eq!(shown(ipa, Language::English), expected);
        }
    }

    #[test]
    fn hindi_stresses_the_heaviest_syllable() {
        for (ipa, expected, why) in [
            ("kəmləm", "ˈkəm.ləm", "equals: the last that is not final"),
            ("kəmaːl", "kə.ˈmaːl", "a superheavy final keeps two moras"),
            ("pət̪ɾə", "ˈpət̪.ɾə", "a cluster closes the syllable before"),
            ("səmɪt̪ɪ", "sə.ˈmɪ.t̪ɪ", "all light: the penultimate"),
            ("d̪eːʋnaːɡəɾiː", "ˈd̪eːʋ.naː.ɡə.ɾiː", "superheavy first"),
            ("aːiː", "ˈaː.iː", "two long vowels are two syllables"),
            ("bət͡ʃtʃaː", "ˈbətʃ.tʃaː", "closed by its affricate"),
        ] {
            assert_eq!(shown(ipa, Language::Hindi), expected, "{why}");
        }
    }

    #[test]
    fn each_language_has_its_own_stress_position() {
        for (ipa, language, expected) in [
            ("kobita", Language::Bengali, "ˈko.bi.ta"),
            ("ʋəɳəkːəm", Language::Tamil, "ˈʋə.ɳə.kːəm"),
            ("kəʋaːɖəm", Language::Malayalam, "kə.ˈʋaː.ɖəm"),
            ("kaːɾəɳəm", Language::Malayalam, "ˈkaː.ɾə.ɳəm"),
            ("boi", Language::Bengali, "ˈboi"),
        ] {
            assert_eq!(shown(ipa, language), expected);
        }
    }

    #[test]
    fn syllables_cover_all_phones() {
        let all: Vec<Phone> = Symbol::ALL.iter().map(|&symbol| symbol.into()).collect();
        for language in Language::ALL {
            for step in 1..all.len() {
                let phones: Vec<Phone> =
                    (0..40).map(|index| all[index * step * 7 % all.len()]).take(step % 41).collect();
                let syllables = cut(&phones, spec(language).syllables.onsets);
                let covered: Vec<usize> =
                    syllables.iter().flat_map(|syllable| syllable.phones.clone()).collect();
                assert_eq!(covered, (0..phones.len()).collect::<Vec<_>>(), "{language} {step}");
                assert_eq!(syllables.len(), nuclei(&phones).count().max(usize::from(!phones.is_empty())));
            }
        }
    }

    #[test]
    fn keeps_explicit_stress() {
        let phones = parse_ipa("kəmpjuːʈəɹ").unwrap();
        let stresses = [Stress::None, Stress::Primary];
        let found: Vec<Stress> =
            with_stresses(&phones, Onsets::English, &stresses).iter().map(|s| s.stress).collect();
        assert_eq!(found, [Stress::None, Stress::Primary, Stress::None]);
    }
}
