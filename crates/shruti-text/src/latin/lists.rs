//! Frequent words of each language with the ways they are romanised: `data/<code>/romanised.tsv`.

use std::cell::OnceCell;

use shruti_lang::Language;

use crate::language::{PerLanguage, data_files};
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

/// The pairs of a language's list.
#[cfg(test)]
pub(super) fn all(language: Language) -> impl Iterator<Item = (&'static str, &'static str)> {
    entries(data_files(language).romanised)
}

/// The pairs of a list, one for each romanisation.
fn entries(source: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    source
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('\t'))
        .flat_map(|(romanised, native)| romanised.split(' ').map(move |one| (one, native.trim())))
}

/// A word of lower-case letters as the lists are asked for it.
pub(super) struct Key {
    letters: String,
    /// The word without what romanisers disagree on, once it was asked for; `None` for words that are looked up as they
    /// stand alone.
    folded: OnceCell<Option<String>>,
}

impl Key {
    /// The key of a word of lower-case letters.
    pub(super) fn new(letters: String) -> Self {
        Self { letters, folded: OnceCell::new() }
    }

    /// The word itself.
    pub(super) fn letters(&self) -> &str {
        &self.letters
    }

    /// Whether a language lists the word as it stands.
    pub(super) fn is_exact(&self, language: Language) -> bool {
        list(language).exact.contains_key(self.letters.as_str())
    }

    /// The native spelling where a language lists the word as it stands.
    pub(super) fn listed(&self, language: Language) -> Option<&'static str> {
        list(language).exact.get(self.letters.as_str()).copied()
    }

    /// The native spelling where a language lists the word, if only in another romanisation.
    pub(super) fn native(&self, language: Language) -> Option<&'static str> {
        let list = list(language);
        let folded = || list.folded.get(self.folded()?);
        list.exact.get(self.letters.as_str()).or_else(folded).copied()
    }

    fn folded(&self) -> Option<&str> {
        // short words fall together when they are folded
        let is_long = (4..=super::LONGEST_PART).contains(&self.letters.len());
        self.folded.get_or_init(|| is_long.then(|| fold(&self.letters))).as_deref()
    }
}

/// A word without what romanisers disagree on: long vowels, doubled letters (`cch` and `chh` among them), v and w, ph and f.
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
