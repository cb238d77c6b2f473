//! Choice between two readings that are written the same in the script of the language, based on the adjacent words.

use serde::Deserialize;

use super::WordContext;
use crate::table::Table;

/// Entries of `position.toml`; `data/README.md` describes the keys.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Positions {
    /// Word lists, to which the conditions of entries refer as `@name`.
    lists: Table<String, Vec<String>>,
    words: Vec<Entry>,
}

/// Reading of a word under conditions, all of which must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Entry {
    written: Vec<String>,
    respelled: String,
    /// If set, whether the word must be the first of the segment.
    first: Option<bool>,
    /// If set, whether the word must be the last of the segment.
    last: Option<bool>,
    /// If set, whether the word must be the last of a phrase.
    ends_phrase: Option<bool>,
    /// If not empty, one of these words must precede the word.
    after: Vec<String>,
    /// None of these words may precede the word.
    not_after: Vec<String>,
    /// If not empty, one of these words must follow the word.
    before: Vec<String>,
    /// None of these words may follow the word.
    not_before: Vec<String>,
}

impl Positions {
    /// Parses a file. An invalid file counts as empty; a test checks that the files are valid.
    pub(super) fn read(toml: &str) -> Self {
        toml::from_str(toml).unwrap_or_default()
    }

    /// Returns the respelling of a word for the reading that it has in its context. Returns `None` if no entry applies
    /// or the word has no neighbours.
    pub(super) fn respell(&self, context: &WordContext<'_>) -> Option<String> {
        if context.before.is_none() && context.after.is_none() {
            return None;
        }
        let entry = self.words.iter().find(|entry| self.applies(entry, context))?;
        Some(entry.respelled.clone())
    }

    fn applies(&self, entry: &Entry, context: &WordContext<'_>) -> bool {
        let is = |wanted: Option<bool>, actual: bool| wanted.is_none_or(|wanted| wanted == actual);
        let one_of = |words: &[String], neighbour| words.is_empty() || self.contains(words, neighbour);
        entry.written.iter().any(|written| written == context.word)
            && is(entry.first, context.before.is_none())
            && is(entry.last, context.after.is_none())
            && is(entry.ends_phrase, context.ends_phrase)
            && one_of(&entry.after, context.before)
            && one_of(&entry.before, context.after)
            && !self.contains(&entry.not_after, context.before)
            && !self.contains(&entry.not_before, context.after)
    }

    /// Returns whether a neighbour is one of the words, has one of the endings (written with `-`), or is in one of the
    /// lists (written with `@`).
    fn contains(&self, words: &[String], neighbour: Option<&str>) -> bool {
        let Some(neighbour) = neighbour else { return false };
        words.iter().any(|word| {
            if let Some(name) = word.strip_prefix('@') {
                return self.lists.get(name).is_some_and(|list| list.iter().any(|word| word == neighbour));
            }
            word.strip_prefix('-').map_or(word == neighbour, |ending| neighbour.ends_with(ending))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::tables_named;

    #[test]
    fn files_are_valid() {
        let files = tables_named("position.toml");
        assert!(!files.is_empty());
        for (path, file) in files {
            let positions: Positions =
                toml::from_str(&file).unwrap_or_else(|error| panic!("{path}: {error}"));
            assert!(!positions.words.is_empty(), "{path}");
            for entry in &positions.words {
                assert!(!entry.written.is_empty() && !entry.respelled.is_empty(), "{path}: {entry:?}");
                let words = [&entry.after, &entry.not_after, &entry.before, &entry.not_before];
                for name in words.into_iter().flatten().filter_map(|word| word.strip_prefix('@')) {
                    assert!(positions.lists.contains_key(name), "{path}: no list '{name}'");
                }
            }
        }
    }

    #[test]
    fn all_conditions_of_an_entry_must_hold() {
        let positions = Positions::read(
            r#"
            lists = { numbers = ["two", "three"] }
            [[words]]
            written = ["a"]
            respelled = "A"
            first = false
            after = ["-s"]
            not_before = ["@numbers"]
            "#,
        );
        let read = |before, after| {
            positions.respell(&WordContext { word: "a", before, after, ends_phrase: false }).is_some()
        };
        assert!(read(Some("cats"), None));
        assert!(read(Some("cats"), Some("one")));
        assert!(!read(Some("cats"), Some("two")));
        assert!(!read(Some("cat"), Some("one")));
        assert!(!read(None, Some("one")));
        assert!(!read(None, None));
    }
}
