//! The most frequent words of English.

use std::sync::OnceLock;

use crate::files::text;
use crate::table::Set;

/// Returns whether a lower-case word is one of the most frequent words of English, or of the English words that Indians
/// use in their own languages.
pub(crate) fn is_frequent(word: &str) -> bool {
    static WORDS: OnceLock<Set<&'static str>> = OnceLock::new();
    WORDS
        .get_or_init(|| {
            text!("en/frequent.txt")
                .lines()
                .filter(|line| !line.starts_with('#'))
                .flat_map(str::split_whitespace)
                .collect()
        })
        .contains(word)
}
