//! Words in Latin letters: which language each is in, and how romanised words are spelt in their own script.
//!
//! `aapka OTP 4582 hai` is Hindi with one English word, `मेरा order कब deliver होगा` too, and neither says so.
//! [`identify()`] decides for each word by what it costs in each language (`shruti-translit`), the lists of frequent words
//! (`data/<code>/romanised.tsv`), the English lexicon and the neighbours within the segment. [`read`] then spells romanised
//! words in the script of their language: each as the reading that is likeliest beside the words before and after it. The
//! language's own rules speak them, so that a text sounds the same in both scripts. A binary without the feature
//! `romanised` has the lists, letters in rows of three and a context model trained by `train/mixed/train.py` in their place.

mod ambiguous;
mod diacritics;
mod distance;
mod identify;
mod lists;
mod loan;
mod model;
mod name;
mod spelling;
mod tokens;
mod trigrams;
mod why;
mod word;

use shruti_lang::Language;
use shruti_translit::Roman;

pub use identify::identify;
pub(crate) use identify::{Found, languages, prevailing, read};
pub(crate) use trigrams::is_frequent_english;
pub(crate) use why::why;
pub use why::{RunnerUp, Source, Why};

use crate::language::spec;
use crate::script::Script;

/// Longer words are not looked up or transliterated in one go, but in parts of this many letters.
const LONGEST_PART: usize = 64;

/// Whether a word is written in Latin letters, diacritics included.
pub fn is_latin(word: &str) -> bool {
    let mut letters = word.chars().filter_map(Script::of).peekable();
    letters.peek().is_some() && letters.all(|script| script == Script::Latin)
}

/// Whether a word of lower-case letters stands in the list of a language's frequent words, as it is typed.
pub(crate) fn is_listed(word: &str, language: Language) -> bool {
    lists::Key::new(plain_letters(word)).is_exact(language)
}

/// How a text is romanised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Romanisation {
    /// As people type: `nahi`, `achchha`, `thamizh`, or with doubled vowels, `naheen`.
    #[default]
    Typed,
    /// ISO 15919 or IAST with their diacritics: `nahīṁ`. A word without a diacritic is exact too.
    Diacritics,
}

impl Romanisation {
    /// What the words of a segment are in: with diacritics if any of them has its diacritics.
    pub fn of(words: &[&str]) -> Self {
        if words.iter().any(|word| diacritics::has_diacritics(word)) { Self::Diacritics } else { Self::Typed }
    }
}

/// A romanised word in the script of its language. English words stay as they are. Linear in the length of the word.
pub fn to_native(word: &str, language: Language, romanisation: Romanisation) -> String {
    if spec(language).script == Script::Latin {
        return word.to_owned();
    }
    if romanisation == Romanisation::Diacritics || diacritics::has_diacritics(word) {
        return spelling::spell(&diacritics::letters(word, language), language);
    }
    let plain = plain_letters(word);
    let model = shruti_translit::model(language);
    if let Some((model, roman)) = model.zip(Roman::new(&plain))
        && let Some(reading) = model.readings(&roman).first()
    {
        return model.native(reading);
    }
    by_letter_rules(plain, language)
}

/// A word of lower-case letters in the script of a language, by the lists and by what the letters beside each letter say: where
/// there are no tables of romanised words.
fn by_letter_rules(plain: String, language: Language) -> String {
    let key = lists::Key::new(plain);
    if let Some(native) = key.native(language) {
        return native.to_owned();
    }
    let mut native = String::new();
    let mut rest = key.letters();
    while !rest.is_empty() {
        // the letters are ASCII
        let (part, after) = rest.split_at(rest.len().min(LONGEST_PART));
        rest = after;
        let spelt = model::letters(&tokens::tokenize(part), language);
        native.push_str(&spelling::spell(&spelt, language));
    }
    native
}

/// The ASCII letters of a word in lower case, diacritics taken away, everything else dropped.
fn plain_letters(word: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    if word.is_ascii() {
        let mut letters = word.to_ascii_lowercase();
        letters.retain(|c| c.is_ascii_lowercase());
        return letters;
    }
    word.nfd().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests;
