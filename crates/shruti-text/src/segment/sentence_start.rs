//! Full stops of English abbreviations and measures that also end a sentence. The abbreviation and the next word are the
//! evidence.

use shruti_lang::Language;

use super::Segmenter;
use super::boundaries::ends_in_digit;
use crate::chars::is_numeric;
use crate::data::{kept_marks, keywords};
use crate::english;

/// Maximum number of characters of white space between a sentence and the next one.
const LONGEST_GAP: usize = 8;

/// Frequency with which a sentence ends with an abbreviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finality {
    /// A sentence does not end with this word, such as its first word, or other rules decide whether it does.
    Never,
    /// A sentence ends only if the next word cannot be part of the same sentence: the dept. They
    Seldom,
    /// Any English word that may start a sentence is enough: 8% p.a. Apply
    Often,
}

impl Segmenter {
    /// Returns whether a sentence starts after the white space that follows the dot at `at`, so that the dot of an
    /// abbreviation or of a measure also ends its sentence. Returns `None` if more text is needed.
    pub(super) fn sentence_starts_after(&mut self, at: usize, all: bool) -> Option<bool> {
        let finality = self.finality();
        if finality == Finality::Never {
            return Some(false);
        }
        let mut start = at + 2;
        while start < at + LONGEST_GAP && self.after(start - 1, all)?.is_some_and(char::is_whitespace) {
            start += 1;
        }
        let word = self.word_from(start, all)?;
        if !is_titled(&word) {
            return Some(false);
        }
        if kept_marks::begins_sentence(&word) {
            return Some(true);
        }
        if finality != Finality::Often || !may_start_sentence(&word) {
            return Some(false);
        }
        // No. Of seats
        if self.word_alone().eq_ignore_ascii_case("no") && keywords::follows_number_sign(&word) {
            return Some(false);
        }
        let end = start + word.chars().count();
        // a letter that is not a word is part of a code: No. D/1234
        if word.len() == 1
            && !(matches!(word.as_str(), "I" | "A")
                && self.after(end - 1, all)?.is_some_and(char::is_whitespace))
        {
            return Some(false);
        }
        // two capitalised words are more likely a name: 15 Aug. Independence Day
        Some(!self.after(end, all)?.is_some_and(char::is_uppercase))
    }

    /// Returns how often a sentence ends with the word before a dot. Only an English text has capital letters at the
    /// start of its sentences.
    fn finality(&self) -> Finality {
        if self.language.is_some_and(|language| language != Language::English) {
            return Finality::Never;
        }
        let word = self.word_alone();
        let first = self.previous_word.is_empty();
        if self.ends_measure() {
            // an ingredient may follow its measure: 1 tsp. Turmeric powder
            let measured = self.words == 1 && kept_marks::is_unit(word);
            return if measured { Finality::Seldom } else { Finality::Often };
        }
        // as the first word, "no" is more often an answer than the word for "number": No. I will stay
        if first && word.eq_ignore_ascii_case("no") {
            return Finality::Often;
        }
        let starts_sentence = first && !self.in_sentence;
        // a digit is the number of a list item, and a letter is a label or an initial: A. The following
        let item =
            word.chars().all(is_numeric) || word.len() == 1 && (first || self.previous_word.ends_with('.'));
        if starts_sentence || item || kept_marks::is_never_final(word) || !self.word_is_abbreviated() {
            return Finality::Never;
        }
        if kept_marks::is_often_final(word) { Finality::Often } else { Finality::Seldom }
    }

    /// Returns whether the word is an English abbreviation of a month or of a unit, or AM or PM with dots, after its
    /// number: 11 Nov, 13th Sept, 12 km, 10 min, 9 p.m.
    fn ends_measure(&self) -> bool {
        let number = self.previous_word.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let word = self.word.as_str();
        word.is_ascii()
            && ends_in_digit(number)
            && (kept_marks::is_month(word, Some(Language::English))
                || kept_marks::is_latin_unit(word)
                || kept_marks::is_unit(word) && self.word_is_abbreviated()
                || matches!(word, "a.m" | "p.m"))
    }
}

/// Returns whether only the first letter of a word is a capital.
fn is_titled(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_uppercase())
        && !word.chars().skip(1).any(|c| !c.is_ascii_lowercase())
}

/// Returns whether a capitalised word is an English word that is not also an Indian word, a weekday or a month. Such a
/// word is more likely the start of a sentence than a name.
fn may_start_sentence(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    english::is_word(&lower) && !english::is_indian_word(&lower) && !kept_marks::is_in_calendar(word)
}
