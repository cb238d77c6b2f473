//! Where a word is put together: prefixes, suffixes and frequent members of compounds.
//!
//! The inherent vowel before such a seam behaves as at the end of a word, the one after it as at the beginning.
//! Each language lists its own in `data/<code>/morphemes.toml`.

use std::ops::Range;

use serde::Deserialize;

use crate::akshara::{self, Akshara, Nucleus};

/// The morphemes of one language that show in its schwas.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Morphemes {
    /// Beginnings of words, each with its least number of aksharas that must follow.
    prefixes: Vec<String>,
    /// Ends of words.
    suffixes: Vec<String>,
}

/// A word's beginning or end is only cut off when as many aksharas stay on the other side.
const LEAST_STEM: usize = 2;

impl Morphemes {
    /// Reads the language's table. A table that does not read is empty, and the tests hold that there is none.
    pub(super) fn read(toml: &str) -> Self {
        let mut morphemes: Self = toml::from_str(toml).unwrap_or_default();
        // the longest one that fits is the one that is meant
        morphemes.prefixes.sort_by_key(|prefix| std::cmp::Reverse(prefix.len()));
        morphemes.suffixes.sort_by_key(|suffix| std::cmp::Reverse(suffix.len()));
        morphemes
    }

    /// The morphemes of a word, as ranges of its aksharas.
    pub(super) fn of(&self, word: &str, aksharas: &[Akshara]) -> Vec<Range<usize>> {
        let count = aksharas.len();
        let mut start = 0;
        let mut end = count;
        let prefix = self.prefixes.iter().find(|prefix| starts_at_seam(word, prefix));
        if let Some(prefix) = prefix {
            let length = akshara::parse(prefix).len();
            if length + LEAST_STEM <= count {
                start = length;
            }
        }
        let mut seams = Vec::new();
        let mut rest = word;
        while let Some(suffix) = self.suffixes.iter().find(|suffix| ends_at_seam(rest, suffix)) {
            let length = akshara::parse(suffix).len();
            if length == 0 || end < start + length + LEAST_STEM {
                break;
            }
            end -= length;
            seams.push(end);
            rest = &rest[..rest.len() - suffix.len()];
        }
        if start > 0 {
            seams.push(start);
        }
        if is_echo(&aksharas[start..end]) {
            seams.push(start + 2);
        }
        seams.sort_unstable();
        let mut ranges = Vec::with_capacity(seams.len() + 1);
        let mut from = 0;
        for seam in seams {
            ranges.push(from..seam);
            from = seam;
        }
        ranges.push(from..count);
        ranges
    }
}

/// Whether a word begins with two syllables that echo each other: चमचमाना, लड़खड़ाना.
fn is_echo(aksharas: &[Akshara]) -> bool {
    let [first, second, third, fourth, ..] = aksharas else { return false };
    let bare = |akshara: &Akshara| akshara.nucleus == Nucleus::Inherent && akshara.consonants.len() == 1;
    [first, second, third].into_iter().all(|akshara| bare(akshara) && !akshara.anusvara)
        && second.consonants == fourth.consonants
        && (first.consonants == third.consonants || aksharas.len() > 4)
}

/// Whether the word begins with the morpheme and goes on with a new akshara.
fn starts_at_seam(word: &str, morpheme: &str) -> bool {
    word.strip_prefix(morpheme).and_then(|rest| rest.chars().next()).is_some_and(akshara::is_letter)
}

/// Whether the word ends with the morpheme, and the morpheme is not joined to what is before.
fn ends_at_seam(word: &str, morpheme: &str) -> bool {
    let before = word.strip_suffix(morpheme).and_then(|rest| rest.chars().next_back());
    before.is_some_and(|c| !akshara::is_virama(c)) && morpheme.chars().next().is_some_and(akshara::is_letter)
}

/// Panics when the table does not read; for the tests of each language.
#[cfg(test)]
pub(super) fn check(toml: &str) {
    let read: Result<Morphemes, _> = toml::from_str(toml);
    assert!(read.is_ok(), "{:?}", read.err());
}
