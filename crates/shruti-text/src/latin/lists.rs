//! Frequent words of each language with their romanisations: `data/<code>/romanised.tsv`.

use std::cell::OnceCell;

use shruti_lang::Language;

use crate::files::data_files;
use crate::per_language::PerLanguage;
use crate::table::Table;

#[derive(Default)]
struct List {
    exact: Table<&'static str, &'static str>,
    folded: Table<String, &'static str>,
}

fn list(language: Language) -> &'static List {
    static LISTS: PerLanguage<List> = PerLanguage::new();
    LISTS.get(language, || {
        let mut list = List::default();
        for (romanised, native) in entries(data_files(language).romanised) {
            list.exact.entry(romanised).or_insert(native);
            list.folded.entry(fold(romanised)).or_insert(native);
        }
        list
    })
}

/// Returns all pairs of a romanised word and its native spelling in a language's list.
#[cfg(test)]
pub(super) fn all(language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    entries(data_files(language).romanised)
}

/// Parses a list into pairs of a romanised word and its native spelling, one pair per romanisation.
fn entries(source: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    source
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .flat_map(|(romanised, native)| romanised.split(' ').map(move |one| (one, native.trim())))
}

/// Lookup key for the lists: a word in lower-case letters.
pub(super) struct Key {
    letters: String,
    /// Form of the word that is the same in all romanisations ([`fold`]), computed on first use. `None` for very short
    /// or long words, which are only looked up in their exact form.
    folded: OnceCell<Option<String>>,
}

impl Key {
    /// Creates the key of a word in lower-case letters.
    pub(super) fn new(letters: String) -> Self {
        Self { letters, folded: OnceCell::new() }
    }

    /// Returns the word.
    pub(super) fn letters(&self) -> &str {
        &self.letters
    }

    /// Returns whether a language lists the word in exactly this form.
    pub(super) fn is_exact(&self, language: Language) -> bool {
        list(language).exact.contains_key(self.letters.as_str())
    }

    /// Returns the native spelling if a language lists the word in exactly this form.
    pub(super) fn listed(&self, language: Language) -> Option<&'static str> {
        list(language).exact.get(self.letters.as_str()).copied()
    }

    /// Returns the native spelling if a language lists the word in this or another romanisation.
    pub(super) fn native(&self, language: Language) -> Option<&'static str> {
        let list = list(language);
        let folded = || list.folded.get(self.folded()?);
        list.exact.get(self.letters.as_str()).or_else(folded).copied()
    }

    fn folded(&self) -> Option<&str> {
        // short words become ambiguous when they are folded
        let is_long = (4..=super::LONGEST_PART).contains(&self.letters.len());
        self.folded.get_or_init(|| is_long.then(|| fold(&self.letters))).as_deref()
    }
}

/// Returns a form of a word that is the same in all romanisations, which differ in the spelling of long vowels, doubled
/// letters (including `cch` and `chh`), v and w, ph and f.
fn fold(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    let mut letters = word.chars().peekable();
    while let Some(letter) = letters.next() {
        let (pair, one) = match letter {
            'p' => ('h', 'f'),
            'e' => ('e', 'i'),
            'o' => ('o', 'u'),
            other => ('\0', other),
        };
        let plain = match letter {
            'w' => 'v',
            _ if letters.next_if_eq(&pair).is_some() => one,
            other => other,
        };
        if !folded.ends_with(plain) {
            folded.push(plain);
        }
    }
    folded
}
