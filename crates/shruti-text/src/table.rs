//! Hash tables of words that are built once and searched for every word of the text.
//!
//! The keys of these tables are part of the program, so an attacker cannot choose colliding keys. A fast hash with a
//! fixed seed is enough, without the collision protection of the standard library.

use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

/// Hash map whose keys are part of the program.
pub(crate) type Table<K, V> = HashMap<K, V, FixedState>;

/// Hash set whose keys are part of the program.
pub(crate) type Set<K> = HashSet<K, FixedState>;

/// Beginnings of words, each with a value.
///
/// Most texts do not start with any of the stored beginnings. For these texts, the index by the first two characters
/// avoids a lookup of each prefix of the text.
#[derive(Debug)]
pub(crate) struct Beginnings<V> {
    values: Table<String, V>,
    /// Length in bytes of the longest beginning that starts with these two characters.
    longest: Table<(char, char), usize>,
}

impl<V> Default for Beginnings<V> {
    fn default() -> Self {
        Self { values: Table::default(), longest: Table::default() }
    }
}

impl<V> Beginnings<V> {
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Sets the value of a beginning.
    pub(crate) fn insert(&mut self, beginning: String, value: V) {
        if let Some(two) = first_two(&beginning) {
            let longest = self.longest.entry(two).or_default();
            *longest = beginning.len().max(*longest);
        }
        self.values.insert(beginning, value);
    }

    /// Returns the value of exactly this beginning.
    pub(crate) fn get(&self, beginning: &str) -> Option<&V> {
        self.values.get(beginning)
    }

    /// Returns the stored beginnings that a text starts with and that have at least two characters, shortest first: the
    /// length in bytes, and the value.
    pub(crate) fn of<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (usize, &'a V)> {
        let longest = first_two(text).and_then(|two| self.longest.get(&two)).copied().unwrap_or(0);
        let ends = text.char_indices().map(|(start, c)| start + c.len_utf8());
        let ends = ends.skip(1).take_while(move |&end| end <= longest);
        ends.filter_map(|end| Some((end, self.values.get(&text[..end])?)))
    }
}

/// Returns the first two characters of a text, if it has two.
pub(crate) fn first_two(text: &str) -> Option<(char, char)> {
    let mut chars = text.chars();
    Some((chars.next()?, chars.next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_beginning_of_a_text() {
        let mut beginnings = Beginnings::default();
        for word in ["a", "ab", "abcd", "abd", "कख"] {
            beginnings.insert(word.to_owned(), word);
        }
        let of = |text: &str| beginnings.of(text).map(|(end, &word)| (end, word)).collect::<Vec<_>>();
        assert_eq!(of("abcde"), [(2, "ab"), (4, "abcd")]);
        assert_eq!(of("ab"), [(2, "ab")]);
        assert_eq!(of("कखग"), [(6, "कख")]);
        for text in ["a", "ac", "", "कग", "bab"] {
            assert_eq!(of(text), [], "{text}");
        }
        assert_eq!((beginnings.get("a"), beginnings.get("abc")), (Some(&"a"), None));
    }
}
