//! Urdu (beta).
//!
//! Urdu has the sounds of Hindi, and its script omits most short vowels. A word is respelled in Devanagari, by the
//! lexicon `words.tsv` or else by the letter rules of [`letters`], and pronounced by Hindi's rules.

mod letters;

use std::borrow::Cow;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use super::{LanguageSpec, Pronouncing, Romanisation, hindi};
use crate::data::text;
use crate::g2p::PhoneticDetail;
use crate::phone::Phone;
use crate::script::Script;
use crate::syllable::{DefaultStress, Onsets, Rules};
use crate::table::Table;

pub(super) const SPEC: LanguageSpec = LanguageSpec {
    script: Script::Arabic,
    pronouncing: Pronouncing::ByRule(pronounce),
    stems: Some(|| &hindi::STEMS),
    allophones: None,
    tones: None,
    by_position: None,
    syllables: Rules { onsets: Onsets::TwoConsonants, stress: DefaultStress::Heaviest },
    name_vowels: &[],
    romanisation: Romanisation { short_e_and_o: false, final_schwa_falls: true, handicap: 0.0 },
    naming_words: Some(|| text!("ur/naming-words.tsv")),
};

/// Words with their respelling, by their letters as [`plain`] returns them.
static WORDS: LazyLock<Table<String, &'static str>> =
    LazyLock::new(|| entries().map(|(word, respelled)| (plain(word).into_owned(), respelled)).collect());

/// Returns the words of the lexicon with their respelling.
fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = text!("ur/words.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once('\t'))
}

/// Returns the phones of a word in Arabic script, or of one that is already in Devanagari.
fn pronounce(word: &str, detail: PhoneticDetail) -> Vec<Phone> {
    let respelled = respell(word);
    hindi::pronounce_respelled(&hindi::STEMS.respell(&respelled), &hindi::MORPHEMES, detail)
}

/// Returns the word in Devanagari.
fn respell(word: &str) -> Cow<'_, str> {
    if !word.chars().any(|c| Script::of(c) == Some(Script::Arabic)) {
        return Cow::Borrowed(word);
    }
    let word = plain(word);
    if let Some(&respelled) = WORDS.get(word.as_ref()) {
        return Cow::Borrowed(respelled);
    }
    // a word with vowel marks is listed without them, but its marks are more reliable if it is not listed
    let bare: String = word.chars().filter(|&c| !letters::is_optional(c)).collect();
    match WORDS.get(bare.as_str()) {
        Some(&respelled) => Cow::Borrowed(respelled),
        None => Cow::Owned(letters::respell(&word)),
    }
}

/// Returns a word with the letters that Urdu uses: without presentation forms, tatweel, joiners and Quranic signs, and
/// with the Urdu letters for those of other keyboards.
fn plain(word: &str) -> Cow<'_, str> {
    let letter = |c: char| match c {
        'ي' | 'ى' | 'ې' | 'ۍ' => Some('ی'),
        'ك' | 'ڪ' => Some('ک'),
        'ه' | 'ە' => Some('ہ'),
        'ة' => Some('ۃ'),
        'ٱ' => Some('ا'),
        '\u{640}' | '\u{200c}' | '\u{200d}' | '\u{610}'..='\u{61a}' | '\u{6d6}'..='\u{6ed}' => None,
        c => Some(c),
    };
    Cow::Owned(word.nfkc().filter_map(letter).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_respelled_by_the_lexicon_or_by_letters() {
        let cases = [
            ("اردو", "उर्दू"),
            ("نہیں", "नहीं"),
            ("سلام", "सलाम"),
            ("دوست", "दोस्त"),
            ("کراچی", "कराची"),
            ("علی", "अली"),
            ("ﺳﻼم", "सलाम"),
            ("سـلام", "सलाम"),
            ("مُحَمَّد", "मुहम्मद"),
            ("بھائی", "भाई"),
            ("كتابي", "कताबी"),
            ("नमस्ते", "नमस्ते"),
        ];
        for (word, respelled) in cases {
            assert_eq!(respell(word), respelled, "{word}");
        }
    }

    #[test]
    fn each_line_of_the_lexicon_is_an_urdu_word_in_devanagari() {
        for (word, respelled) in entries() {
            assert!(word.chars().any(|c| Script::of(c) == Some(Script::Arabic)), "{word}");
            assert!(
                respelled.chars().all(|c| c == ' ' || Script::of(c) == Some(Script::Devanagari)),
                "{word}: {respelled}"
            );
        }
    }
}
