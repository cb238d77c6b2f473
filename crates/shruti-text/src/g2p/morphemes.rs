//! Where a word is put together: prefixes, suffixes, inflections and frequent members of compounds.
//!
//! The inherent vowel before such a seam behaves as at the end of a word, the one after it as at the beginning. An
//! inflection that begins with a vowel has no seam; [`schwa`](super::schwa) asks what the stem before it sounds like.
//! Each language lists its own in `data/<code>/morphemes.toml`.

use std::ops::Range;

use serde::Deserialize;

use crate::akshara::{self, Akshara, Nucleus};
use crate::table::Table;

/// The morphemes of one language that show in its schwas.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Morphemes {
    /// Beginnings of words, each with its least number of aksharas that must follow.
    prefixes: Affixes,
    /// Ends of words.
    suffixes: Affixes,
    /// Inflections that begin with a consonant, before which the stem sounds as it does alone (बदल and बदलना).
    endings: Affixes,
}

/// Beginnings or ends of words, with the number of their aksharas; 0 for one with `-` before it, which is no seam
/// though a shorter one fits (`-बदल` beside `बद`).
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Vec<String>")]
struct Affixes {
    aksharas: Table<String, usize>,
    /// Bytes of the longest one.
    longest: usize,
}

impl From<Vec<String>> for Affixes {
    fn from(written: Vec<String>) -> Self {
        let longest = written.iter().map(String::len).max().unwrap_or(0);
        let count = |affix: String| {
            if let Some(whole) = affix.strip_prefix('-') {
                return (whole.to_owned(), 0);
            }
            let count = akshara::parse(&affix).len();
            (affix, count)
        };
        Self { aksharas: written.into_iter().map(count).collect(), longest }
    }
}

impl Affixes {
    /// The longest one that the word begins with, if the word goes on with a new akshara: its aksharas.
    fn beginning(&self, word: &str) -> Option<usize> {
        let ends = word.char_indices().map(|(end, _)| end).skip(1).take_while(|&end| end <= self.longest);
        let found = ends.filter_map(|end| {
            let count = self.aksharas.get(&word[..end])?;
            (*count == 0 || word[end..].starts_with(akshara::is_letter)).then_some(*count)
        });
        found.last().filter(|&count| count > 0)
    }

    /// The longest one that the word ends with, if it is not joined to what is before: its bytes and its aksharas.
    fn end(&self, word: &str) -> Option<(usize, usize)> {
        let starts = word.char_indices().rev().map(|(start, _)| start).take_while(|&start| start > 0);
        let starts = starts.take_while(|start| word.len() - start <= self.longest);
        let found = starts.filter_map(|start| {
            let (before, end) = word.split_at(start);
            let count = self.aksharas.get(end)?;
            let apart = end.starts_with(akshara::is_letter) && !before.ends_with(akshara::is_virama);
            apart.then_some((end.len(), *count))
        });
        found.last()
    }
}

/// A word's beginning or end is only cut off when as many aksharas stay on the other side.
const LEAST_STEM: usize = 2;

impl Morphemes {
    /// Reads the language's table. A table that does not read is empty, and the tests hold that there is none.
    pub(crate) fn read(toml: &str) -> Self {
        toml::from_str(toml).unwrap_or_default()
    }

    /// The morphemes of a word, as ranges of its aksharas.
    pub(crate) fn of(&self, word: &str, aksharas: &[Akshara]) -> Vec<Range<usize>> {
        let count = aksharas.len();
        let mut end = count;
        let prefix = self.prefixes.beginning(word);
        let start = prefix.filter(|length| length + LEAST_STEM <= count).unwrap_or(0);
        let mut seams = Vec::new();
        let mut rest = word;
        let fits = |end: usize, length| length > 0 && end >= start + length + LEAST_STEM;
        let echo = is_echo(&aksharas[start..]);
        let inflects = |end: usize, length| {
            !echo
                && fits(end, length)
                && takes_ending(&aksharas[start..end - length], &aksharas[end - length..end])
        };
        loop {
            let suffix = self.suffixes.end(rest).filter(|&(_, length)| fits(end, length));
            let ending = || self.endings.end(rest).filter(|&(_, length)| inflects(end, length));
            let Some((bytes, length)) = suffix.or_else(ending) else { break };
            end -= length;
            seams.push(end);
            rest = &rest[..rest.len() - bytes];
        }
        if start > 0 {
            seams.push(start);
        }
        if echo && end >= start + 2 * LEAST_STEM {
            seams.push(start + LEAST_STEM);
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

/// Whether an ending may stand behind a stem: a stem in a consonant must be able to close its last syllable, which a
/// cluster does not (कल्पना), before an ending with a vowel of its own (करते, but करत).
fn takes_ending(stem: &[Akshara], ending: &[Akshara]) -> bool {
    let [.., before, last] = stem else { return false };
    let single = last.nucleus == Nucleus::Inherent && last.consonants.len() == 1;
    let closes = single && !last.anusvara && !before.anusvara && before.nucleus != Nucleus::None;
    let voiced = ending.iter().any(|akshara| matches!(akshara.nucleus, Nucleus::Vowel(_)));
    matches!(last.nucleus, Nucleus::Vowel(_)) || closes && voiced
}

/// Whether a word begins with two syllables that echo each other: चमचमाना, लड़खड़ाना.
fn is_echo(aksharas: &[Akshara]) -> bool {
    let [first, second, third, fourth, ..] = aksharas else { return false };
    let bare = |akshara: &Akshara| akshara.nucleus == Nucleus::Inherent && akshara.consonants.len() == 1;
    [first, second, third].into_iter().all(|akshara| bare(akshara) && !akshara.anusvara)
        && second.consonants == fourth.consonants
        && (first.consonants == third.consonants || aksharas.len() > 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::tables_named;

    #[test]
    fn tables_read() {
        for (path, table) in tables_named("morphemes.toml") {
            let read: Result<Morphemes, _> = toml::from_str(&table);
            assert!(read.is_ok(), "{path}: {:?}", read.err());
        }
    }
}
