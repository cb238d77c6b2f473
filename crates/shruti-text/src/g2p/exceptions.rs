//! Words whose sound their spelling does not tell: `data/<code>/exceptions.tsv`.

use crate::chars::nfc;
use crate::phone::{self, Phone};
use crate::table::Table;

/// The listed words of one language with their phones.
#[derive(Debug)]
pub(super) struct Exceptions {
    phones: Table<String, Vec<Phone>>,
}

impl Exceptions {
    /// Reads `word<TAB>IPA` lines; `#` begins a comment. A line that does not read is passed over, and the tests
    /// of each language hold that there is none.
    pub(super) fn read(tsv: &str) -> Self {
        let phones = entries(tsv)
            .filter_map(|(word, ipa)| Some((nfc(word).into_owned(), phone::parse_ipa(ipa).ok()?)))
            .collect();
        Self { phones }
    }

    /// The phones of a listed word.
    pub(super) fn get(&self, word: &str) -> Option<Vec<Phone>> {
        if self.phones.is_empty() {
            return None;
        }
        self.phones.get(nfc(word).as_ref()).cloned()
    }
}

fn entries(tsv: &str) -> impl Iterator<Item = (&str, &str)> {
    tsv.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

/// Panics with the line that does not read; for the tests of each language.
#[cfg(test)]
pub(super) fn check(tsv: &str) {
    let lines = tsv.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let mut seen = std::collections::HashSet::new();
    for line in lines {
        let (word, ipa) = line.split_once('\t').unwrap_or_else(|| panic!("no tab in '{line}'"));
        assert!(phone::parse_ipa(ipa).is_ok_and(|phones| !phones.is_empty()), "unreadable IPA in '{line}'");
        assert!(seen.insert(nfc(word)), "'{word}' is listed twice");
    }
}
