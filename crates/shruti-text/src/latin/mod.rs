//! Words in Latin letters: language identification, and conversion of romanised words to their native script.
//!
//! `aapka OTP 4582 hai` and `मेरा order कब deliver होगा` are Hindi with English words, but nothing in the text marks
//! the language of each word. [`identify()`] decides the language of each word from its cost in each language
//! (`shruti-translit`), the lists of frequent words (`data/<code>/romanised.tsv`), the English lexicon and the
//! neighbours within the segment. [`read`] then converts romanised words to the script of their language, with the
//! reading that is likeliest between the preceding and following words. The converted words are pronounced by the rules
//! of their language, so that a text sounds the same in both scripts. A binary without the feature `romanised` uses the
//! lists, letter trigrams and a context model trained by `train/mixed/train.py` instead.

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
pub(crate) use identify::{IdentifiedWord, languages, prevailing, read};
pub(crate) use why::why;
pub use why::{RunnerUp, Source, Why};

use crate::language::spec;
use crate::script::Script;

/// Maximum number of letters that are looked up or transliterated at a time; longer words are split into parts of this
/// length.
const LONGEST_PART: usize = 64;

/// Returns whether a word is written in Latin letters, including letters with diacritics.
pub fn is_latin(word: &str) -> bool {
    let mut letters = word.chars().filter_map(Script::of).peekable();
    letters.peek().is_some() && letters.all(|script| script == Script::Latin)
}

/// Returns whether a lower-case word is in the list of a language's frequent words, in exactly this form.
pub(crate) fn is_listed(word: &str, language: Language) -> bool {
    lists::Key::new(plain_letters(word)).is_exact(language)
}

/// Returns the native spelling of a word that is in the list of a language's frequent words, in exactly this form.
pub(crate) fn listed(word: &str, language: Language) -> Option<&'static str> {
    lists::Key::new(plain_letters(word)).listed(language)
}

/// Romanisation scheme of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Romanisation {
    /// Informal typing: `nahi`, `achchha`, `thamizh`, or with doubled vowels, `naheen`.
    #[default]
    Typed,
    /// ISO 15919 or IAST with their diacritics: `nahīṁ`. In such a text, the spelling of a word without diacritics
    /// is also exact.
    Diacritics,
}

impl Romanisation {
    /// Returns the scheme of a segment: [`Diacritics`](Self::Diacritics) if any of its words has diacritics.
    pub fn of(words: &[&str]) -> Self {
        if words.iter().any(|word| diacritics::has_diacritics(word)) { Self::Diacritics } else { Self::Typed }
    }
}

/// Converts a romanised word to the script of its language. If the language is English, the word does not change.
/// Time is linear in the length of the word.
pub fn to_native(word: &str, language: Language, romanisation: Romanisation) -> String {
    if spec(language).script == Script::Latin {
        return word.to_owned();
    }
    if romanisation == Romanisation::Diacritics || diacritics::has_diacritics(word) {
        return spelling::spell(&diacritics::letters(word, language), language);
    }
    let plain = plain_letters(word);
    // the tables of a language in beta are those of another language, so its own list takes precedence
    if language.is_beta()
        && let Some(listed) = lists::Key::new(plain.clone()).listed(language)
    {
        return listed.to_owned();
    }
    let model = shruti_translit::model(language);
    if let Some((model, roman)) = model.zip(Roman::new(&plain))
        && let Some(reading) = model.readings(&roman).first()
    {
        return model.native(reading);
    }
    by_letter_rules(plain, language)
}

/// Converts a lower-case word to the script of a language with the lists and the context model. Used if there are no
/// tables of romanised words.
fn by_letter_rules(plain: String, language: Language) -> String {
    let key = lists::Key::new(plain);
    if let Some(native) = key.native(language) {
        return native.to_owned();
    }
    let mut native = String::new();
    let mut rest = key.letters();
    while !rest.is_empty() {
        // the letters are ASCII, so every index is a character boundary
        let (part, after) = rest.split_at(rest.len().min(LONGEST_PART));
        rest = after;
        let spelt = model::letters(&tokens::tokenize(part), language);
        native.push_str(&spelling::spell(&spelt, language));
    }
    native
}

/// Returns the ASCII letters of a word in lower case, without diacritics and without other characters.
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
