//! Learned words of Marathi and Konkani, whose spelling does not show that their च and ज are palatal.

use std::collections::HashMap;

use crate::akshara;

/// Beginnings of learned words, whose spelling does not show that their च and ज are palatal.
#[derive(Debug)]
pub(crate) struct Learned {
    /// Map from each beginning to `true`, or to `false` for a longer beginning of native words.
    beginnings: HashMap<&'static str, bool>,
    /// Length of the longest beginning, in bytes.
    longest: usize,
}

impl Learned {
    /// Parses beginnings of words; `-` before one marks native words that begin like a learned one, and `#` begins a comment.
    pub(crate) fn read(text: &'static str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let entries = lines.flat_map(str::split_whitespace);
        let beginnings: HashMap<_, _> = entries
            .map(|entry| entry.strip_prefix('-').map_or((entry, true), |native| (native, false)))
            .collect();
        let longest = beginnings.keys().map(|beginning| beginning.len()).max().unwrap_or(0);
        Self { beginnings, longest }
    }

    /// Returns whether the longest matching beginning is that of a learned word, or `None` if none matches.
    pub(crate) fn begins(&self, word: &str) -> Option<bool> {
        let ends = word.char_indices().map(|(start, c)| start + c.len_utf8());
        let ends = ends.take_while(|&end| end <= self.longest);
        // a virama belongs to the preceding letter: जल् is not जल
        let ends = ends.filter(|&end| !word[end..].starts_with(akshara::is_virama));
        ends.filter_map(|end| self.beginnings.get(&word[..end])).last().copied()
    }
}
