//! `kind = "characters"`: the letters of the spoken words.

use std::borrow::Cow;

use shruti_lang::Language;
use shruti_text::utterance::Word;
use unicode_normalization::UnicodeNormalization;

use super::respell::in_script;
use super::{Close, WriterError, script};

/// Mark at the end of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Full stop, `.`.
    Full,
    /// Danda, `।`.
    Danda,
}

impl Stop {
    /// Returns the mark for the `dialect` of a pack.
    pub(super) fn of_dialect(dialect: Option<&str>) -> Result<Self, WriterError> {
        match dialect {
            None | Some("full-stop") => Ok(Self::Full),
            Some("danda") => Ok(Self::Danda),
            Some(other) => Err(WriterError::Dialect {
                found: other.to_owned(),
                known: "\"full-stop\" and \"danda\", or omitted".to_owned(),
            }),
        }
    }

    /// Returns the mark for the end of a clause, if the pack has one. If the pack has no semicolon, a comma replaces
    /// it. A sentence ends with any stop that the pack has.
    pub(super) fn mark(self, close: Close, knows: &dyn Fn(&str) -> bool) -> Option<&'static str> {
        let stops = match self {
            Self::Full => [".", "।"],
            Self::Danda => ["।", "."],
        };
        let marks: &[&str] = match close {
            Close::Comma => &[","],
            Close::Clause => &[";", ","],
            Close::Stop => &stops,
            Close::Question | Close::Exclamation => &[close.mark(), stops[0], stops[1]],
        };
        marks.iter().copied().find(|mark| knows(mark))
    }
}

/// Returns the characters of a word in NFC, in the script of `language`. A character that the pack lacks is replaced
/// with its lower-case form or its Unicode decomposition, if the pack has the characters of one of these.
pub(super) fn write(word: &Word, language: Language, knows: &dyn Fn(&str) -> bool) -> Vec<String> {
    // models that were trained on mixed texts also have Latin letters
    let is_known = |c: char| knows(c.encode_utf8(&mut [0; 4]));
    let has_letters = word.text.chars().all(|c| is_known(c) || c.to_lowercase().all(is_known));
    let text =
        if has_letters { Cow::Borrowed(word.text.as_str()) } else { in_script(word, script(language)) };
    let mut symbols = Vec::with_capacity(text.len() / 3 + 4);
    for c in text.nfc() {
        let character = String::from(c);
        if !knows(&character) {
            let small: Vec<String> = c.to_lowercase().map(String::from).collect();
            let parts: Vec<String> = std::iter::once(c).nfd().map(String::from).collect();
            let other = [small, parts].into_iter().find(|parts| parts.iter().all(|part| knows(part)));
            if let Some(other) = other {
                symbols.extend(other);
                continue;
            }
        }
        symbols.push(character);
    }
    symbols
}
