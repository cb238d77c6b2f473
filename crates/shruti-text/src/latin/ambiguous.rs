//! Words that are frequent in English and also in an Indian language that is typed in Latin letters (`main`, `to`,
//! `is`, `use`). Their neighbours decide the language, by rules in `data/<code>/romanised-ambiguous.toml`.

use serde::Deserialize;
use shruti_lang::Language;

use crate::data;
use crate::files::data_files;
use crate::per_language::PerLanguage;
use crate::table::Table;

/// Log odds, in nats, of a word whose neighbours give no evidence. The value is so small that any other evidence
/// outweighs it.
const SLIGHT: f32 = 0.1;

/// Minimum length, in letters, of the stem before an ending.
const SHORTEST_STEM: usize = 2;

/// Data file of a language.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct File {
    words: Vec<Entry>,
    /// Endings that are typical of the language.
    endings: Vec<String>,
}

/// Log odds of words, and the conditions under which the entry applies.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    written: Vec<String>,
    /// Natural logarithm of the odds that the word belongs to the language and is not English.
    log_odds: f32,
    /// `true` if the entry applies only at the beginning of the segment.
    #[serde(default)]
    first: bool,
    /// If not empty, the entry applies neither at the beginning of the segment nor after these words.
    #[serde(default)]
    not_after: Vec<String>,
    /// `true` if the entry applies only when other words certainly belong to the language.
    #[serde(default)]
    among_own: bool,
    /// If not empty, the entry applies only before one of these words.
    #[serde(default)]
    before: Vec<String>,
    /// If not empty, the entry applies only before a word that begins with one of these stems.
    #[serde(default)]
    before_stems: Vec<String>,
    /// Words that may be between the word and a word with one of `before_stems`.
    #[serde(default)]
    skipping: Vec<String>,
    /// Words before which the entry does not apply.
    #[serde(default)]
    not_before: Vec<String>,
    /// `true` if the entry applies only before a word that is not an English function word.
    #[serde(default)]
    before_content_word: bool,
}

impl Entry {
    /// Returns whether the conditions hold for the word at index `at`, between `before` and `after`.
    fn holds(&self, at: usize, before: Option<&str>, after: &[&str], among_own: bool) -> bool {
        let is_in = |list: &[String], word: &str| list.iter().any(|listed| listed == word);
        let next = after.first().copied();
        let begins_stem = |word: &str| self.before_stems.iter().any(|stem| word.starts_with(stem.as_str()));
        let next_said = || after.iter().copied().find(|word| !is_in(&self.skipping, word));
        (!self.first || at == 0)
            && (self.not_after.is_empty() || before.is_some_and(|before| !is_in(&self.not_after, before)))
            && (!self.among_own || among_own)
            && (self.before.is_empty() || next.is_some_and(|next| is_in(&self.before, next)))
            && (self.before_stems.is_empty() || next_said().is_some_and(begins_stem))
            && !next.is_some_and(|next| is_in(&self.not_before, next))
            && (!self.before_content_word
                || next.is_some_and(|next| !data::is_function_word(next, Language::English)))
    }
}

/// Returns the log odds, in nats, that the word at `at` is a word of `language`, not English, in a segment that is all
/// in Latin letters. `words` are in lower case. `among_own` is `true` if some other words certainly belong to the
/// language.
pub(super) fn prior_log_odds(words: &[&str], at: usize, language: Language, among_own: bool) -> f32 {
    let entry = || {
        let after = words.get(at + 1..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| words.get(before)).copied();
        let listed = entries(language).get(*words.get(at)?)?;
        listed.iter().find(|entry| entry.holds(at, before, after, among_own))
    };
    entry().map_or(SLIGHT, |entry| entry.log_odds)
}

/// Returns whether a lower-case word consists of a stem and an ending that is typical of the language.
pub(super) fn has_ending(word: &str, language: Language) -> bool {
    let stem =
        |ending: &String| word.strip_suffix(ending.as_str()).is_some_and(|stem| stem.len() >= SHORTEST_STEM);
    file(language).endings.iter().any(stem)
}

/// Returns the entries of a language by word. An invalid file counts as empty; a test checks that every file is valid.
fn entries(language: Language) -> &'static Table<&'static str, Vec<&'static Entry>> {
    static ENTRIES: PerLanguage<Table<&str, Vec<&Entry>>> = PerLanguage::new();
    ENTRIES.get(language, || {
        let file = file(language);
        let mut by_word: Table<&str, Vec<&Entry>> = Table::default();
        for entry in &file.words {
            for word in &entry.written {
                by_word.entry(word).or_default().push(entry);
            }
        }
        by_word
    })
}

fn file(language: Language) -> &'static File {
    static FILES: PerLanguage<File> = PerLanguage::new();
    FILES.get(language, || read(language).unwrap_or_default())
}

fn read(language: Language) -> Result<File, toml::de::Error> {
    toml::from_str(data_files(language).romanised_ambiguous)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_valid() {
        for language in Language::ALL {
            let file = read(language).unwrap_or_else(|error| panic!("{language}: {error}"));
            for entry in file.words {
                assert!(!entry.written.is_empty() && entry.log_odds.is_finite(), "{language}: {entry:?}");
            }
        }
    }

    #[test]
    fn neighbours_disambiguate_words() {
        let cases: [(&str, usize, bool, f32, &str); 11] = [
            ("app use mat karo", 1, true, -4.0, "before a light verb, with words between"),
            ("use bulao", 0, true, SLIGHT, "before another word"),
            ("hi kaise ho", 0, true, -4.0, "a greeting"),
            ("main ghar", 0, true, 1.7, "I"),
            ("main road", 0, true, SLIGHT, "English"),
            ("main ghar", 0, false, SLIGHT, "nothing else is Hindi"),
            ("is ghar", 0, true, 1.7, "before a noun"),
            ("bus me account", 1, true, 3.5, "in the bus"),
            ("call me", 1, true, SLIGHT, "behind a verb of English"),
            ("me account", 0, true, SLIGHT, "at the beginning"),
            ("is the", 0, true, SLIGHT, "before a function word of English"),
        ];
        for (text, at, among_own, log_odds, why) in cases {
            let words: Vec<&str> = text.split(' ').collect();
            assert_eq!(prior_log_odds(&words, at, Language::Hindi, among_own), log_odds, "{text}: {why}");
        }
        assert_eq!(prior_log_odds(&["main"], 0, Language::Tamil, true), SLIGHT);
    }
}
