//! Urdu (beta).
//!
//! The phonology follows Kachru (1990) and Hussain (1997). The sounds are those of Hindi, with q, x, ɣ, z and f, which
//! every speaker distinguishes; ع is silent or lengthens the preceding vowel, and the letters ط ص ض ظ ث ذ ح sound like
//! ت س ز ہ. A short ə next to h is pronounced ɛ, as in Hindi.
//!
//! The script omits most short vowels. A word is respelled in Devanagari by the first of these that applies: the
//! lexicon `words.tsv`, the rules for inflected forms and compounds of words in the lexicon ([`affixes`]), and the
//! letter rules of `letters.tsv` ([`letters`]). A respelling contains all vowels: every inherent vowel is pronounced,
//! except the last one of a word.

mod affixes;
mod letters;
mod respelling;

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use super::position::Positions;
use super::{LanguageSpec, Pronouncing, Romanisation, hindi};
use crate::akshara::{Nucleus, Vowel};
use crate::files::text;
use crate::g2p::indo_aryan::{self, Sounds, Word};
use crate::g2p::nasal;
use crate::phone::PhoneticDetail;
use crate::phone::{Phone, Symbol};
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};
use crate::table::Table;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Arabic,
    pronouncing: Pronouncing::ByRule(pronounce),
    stems: Some(|| &hindi::STEMS),
    allophones: None,
    tones: None,
    by_position: Some(|context| POSITIONS.respell(context)),
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::Heaviest },
    name_vowels: &[],
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: true, handicap: 0.0 },
    keywords: Some(|| text!("ur/keywords.tsv")),
};

/// Words whose reading depends on their position.
static POSITIONS: LazyLock<Positions> = LazyLock::new(|| Positions::read(text!("ur/position.toml")));

/// Words of the lexicon with their respelling in Devanagari.
static WORDS: LazyLock<Table<&'static str, &'static str>> = LazyLock::new(|| entries().collect());

/// Returns the words of the lexicon with their respelling.
fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = text!("ur/words.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t'))
}

/// Returns the phones of a word in Arabic script, or of a romanised word, which has been converted to Devanagari.
fn pronounce(word: &str, detail: PhoneticDetail) -> Vec<Phone> {
    if !word.chars().any(|c| Script::of(c) == Some(Script::Arabic)) {
        return hindi::pronounce(word, detail);
    }
    let mut word = Word::with_every_vowel(&respell(word));
    let last_is_inherent =
        word.aksharas.last().is_some_and(|last| last.nucleus == Nucleus::Inherent && !last.candrabindu);
    if word.aksharas.len() > 1
        && last_is_inherent
        && let Some(last) = word.silent.last_mut()
    {
        *last = true;
    }
    let mut phones = indo_aryan::phones(&word, &Urdu);
    if detail == PhoneticDetail::Spoken {
        hindi::realise(&mut phones);
    }
    phones
}

/// Returns the word in Devanagari.
fn respell(word: &str) -> String {
    let word = plain(word);
    if let Some(respelled) = listed(&word) {
        return respelled.to_owned();
    }
    match letters::without_izafat(&word) {
        Some(stem) => respelling::join(&respell_stem(&stem), "ए"),
        None => respell_stem(&word),
    }
}

/// Returns the respelling of a word without an izafat.
fn respell_stem(word: &str) -> String {
    // a word with vowel signs is usually listed without them
    let bare: String = word.chars().filter(|&c| !letters::is_sign(c)).collect();
    if let Some(respelled) = listed(word).or_else(|| listed(&bare)) {
        return respelled.to_owned();
    }
    affixes::respell(&bare).unwrap_or_else(|| letters::respell(word))
}

/// Returns the respelling of a word that the lexicon contains.
fn listed(word: &str) -> Option<&'static str> {
    WORDS.get(word).copied()
}

/// Returns a word with the letters that Urdu uses: without presentation forms, tatweel, joiners and Quranic signs, and
/// with Urdu letters in place of the corresponding letters of other keyboard layouts.
fn plain(word: &str) -> String {
    let letter = |c: char| match c {
        'ي' | 'ى' | 'ې' | 'ۍ' => Some('ی'),
        'ك' | 'ڪ' => Some('ک'),
        'ه' | 'ە' => Some('ہ'),
        'ة' => Some('ۃ'),
        'ۀ' => Some('ۂ'),
        'ٱ' | 'إ' => Some('ا'),
        '\u{640}' | '\u{200c}' | '\u{200d}' | '\u{610}'..='\u{61a}' | '\u{6d6}'..='\u{6ed}' => None,
        c => Some(c),
    };
    word.nfkc().filter_map(letter).nfc().collect()
}

struct Urdu;

impl Sounds for Urdu {
    fn consonants(&self, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        indo_aryan::push_consonants(phones, &word.aksharas[i].consonants, [Symbol::G, Symbol::Y]);
    }

    fn vowel(&self, _word: &Word, _i: usize, vowel: Vowel, phones: &mut Vec<Phone>) {
        indo_aryan::push_vowel(phones, &indo_aryan::VOWELS, vowel);
    }

    /// Applies a nasal sign. ँ nasalises the vowel unless a voiced stop or affricate follows; ं represents a nasal
    /// consonant.
    fn nasal_before(&self, next: Symbol, word: &Word, i: usize, phones: &mut Vec<Phone>) {
        if word.aksharas[i].candrabindu && !nasal::is_voiced_plosive(next) {
            nasal::nasalise_last(phones);
        } else {
            phones.push(Phone::new(nasal::homorganic(next)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::WordContext;

    #[test]
    fn words_are_respelled() {
        let cases = [
            ("کتاب", "किताब", "lexicon"),
            ("كتاب", "किताब", "keyboard of another language"),
            ("ﺳﻼﻡ", "सलाम", "presentation forms"),
            ("سـلام", "सलाम", "tatweel"),
            ("مُحَمَّد", "मुहम्मद", "vowel signs"),
            ("حکومتِ", "हुकूमते", "izafat"),
            ("اُس", "उस", "the vowel sign distinguishes two words"),
        ];
        for (word, respelled, why) in cases {
            assert_eq!(respell(word), respelled, "{word}: {why}");
        }
    }

    #[test]
    fn each_line_of_the_lexicon_is_an_urdu_word_in_devanagari() {
        let mut count = 0;
        for (word, respelled) in entries() {
            count += 1;
            assert_eq!(plain(word), word);
            assert!(word.chars().all(|c| Script::of(c) == Some(Script::Arabic)), "{word}");
            assert!(
                respelled.chars().all(|c| Script::of(c) == Some(Script::Devanagari)),
                "{word}: {respelled}"
            );
        }
        assert!(count > 10_000, "{count} words");
        assert_eq!(WORDS.len(), count, "a word is listed twice");
    }

    #[test]
    fn readings_follow_from_the_neighbours() {
        let cases = [
            ("", "میں", "گھر", Some("مَیں"), "the pronoun at the start"),
            ("گھر", "میں", "ہے", None, "the postposition"),
            ("اور", "میں", "نے", Some("مَیں"), "the pronoun"),
            ("", "اس", "نے", Some("اُس"), "that one"),
            ("", "اس", "وقت", None, "this"),
            ("", "ان", "دنوں", Some("اِن"), "these"),
            ("", "ان", "کے", None, "those"),
            ("گرفتار", "کیا", "گیا", Some("کِیا"), "the past of کرنا"),
            ("اعلان", "کیا", "ہے", Some("کِیا"), "the past of کرنا"),
            ("نام", "کیا", "ہے", None, "the question word"),
            ("", "کیا", "آپ", None, "the question word at the start"),
            ("کے", "سوا", "چار", None, "a quarter past"),
            ("کے", "سوا", "کوئی", Some("سِوا"), "except"),
            ("", "ہوا", "کی", Some("ہَوا"), "the wind"),
            ("پیدا", "ہوا", "", None, "the past of ہونا"),
            ("کھڑے", "ہوں", "", Some("ہُوں"), "the subjunctive"),
            ("صلى", "الله", "عليه", Some("اللہُ"), "part of a formula"),
            ("", "کیا", "", None, "alone"),
        ];
        for (before, word, after, respelled, why) in cases {
            let neighbour = |word| Some(word).filter(|word: &&str| !word.is_empty());
            let context = WordContext {
                word,
                before: neighbour(before),
                after: neighbour(after),
                ends_phrase: after.is_empty(),
            };
            assert_eq!(POSITIONS.respell(&context).as_deref(), respelled, "{before} {word} {after}: {why}");
        }
    }
}
