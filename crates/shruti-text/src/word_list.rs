//! Word lists with wildcards: `எங்க*` matches every word with that beginning, and `*ೇನು` matches every word with that
//! ending.

use serde::Deserialize;

use crate::chars::lowercase;
use crate::table::Set;

/// Words, beginnings and endings, in lower case.
#[derive(Debug, Default, Deserialize)]
#[serde(from = "Vec<String>")]
pub(crate) struct WordList {
    exact: Set<String>,
    beginnings: Vec<String>,
    endings: Vec<String>,
}

impl WordList {
    /// Returns whether the list matches a word, ignoring case. A word that equals a beginning or an ending does not
    /// match it.
    pub(crate) fn has(&self, word: &str) -> bool {
        let word = lowercase(word);
        let word = word.as_ref();
        let longer = |part: &String| part.len() < word.len();
        self.exact.contains(word)
            || self.endings.iter().any(|end| longer(end) && word.ends_with(end.as_str()))
            || self.beginnings.iter().any(|begin| longer(begin) && word.starts_with(begin.as_str()))
    }

    /// Returns whether the list contains exactly this lower-case word; wildcards are ignored.
    pub(crate) fn has_exactly(&self, word: &str) -> bool {
        self.exact.contains(word)
    }

    /// Returns the beginnings. Each one matches every longer word that starts with it.
    pub(crate) fn beginnings(&self) -> impl Iterator<Item = &str> {
        self.beginnings.iter().map(String::as_str)
    }

    /// Returns the endings. Each one matches every longer word that ends with it.
    pub(crate) fn endings(&self) -> impl Iterator<Item = &str> {
        self.endings.iter().map(String::as_str)
    }

    /// Returns the entries without wildcards.
    pub(crate) fn whole(&self) -> impl Iterator<Item = &str> {
        self.exact.iter().map(String::as_str)
    }
}

impl From<Vec<String>> for WordList {
    fn from(words: Vec<String>) -> Self {
        let mut list = Self::default();
        for word in words {
            if let Some(ending) = word.strip_prefix('*') {
                list.endings.push(ending.to_owned());
            } else if let Some(beginning) = word.strip_suffix('*') {
                list.beginnings.push(beginning.to_owned());
            } else {
                list.exact.insert(word);
            }
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn star_matches_any_text() {
        let list = WordList::from(["what", "எங்க*", "*ೇನು"].map(str::to_owned).to_vec());
        for word in ["what", "What", "எங்கே", "ಹೆಸರೇನು"] {
            assert!(list.has(word), "{word}");
        }
        for word in ["whatever", "எங்க", "ೇನು", ""] {
            assert!(!list.has(word), "{word}");
        }
    }
}
