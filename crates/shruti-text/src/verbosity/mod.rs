//! Punctuation levels, spelling and index marks, for screen readers.
//!
//! [`ReadOut`] rewrites a text, plain or SSML, as SSML for the [`Reader`](crate::Reader): signs that the level asks for
//! have their names beside them, spelled characters stand one by one, and `<mark>` elements are taken out with their
//! places. It maps places in the rewritten text back to the text as it was sent, so that word events stay right.
//!
//! Plain text is taken literally: it has no Markdown, HTML or entities. The names of characters are in
//! `data/<code>/characters.toml`.

mod names;
mod read_out;
mod scan;

pub use names::character_name;
pub use read_out::{IndexMark, ReadOut};

/// Which signs of a text are named.
///
/// A sign that is part of a number, a time or a word is not (`3.14`, `12:30`, `don't`), nor is a currency sign or a percent sign
/// beside a number: these are read as in any other text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Punctuation {
    /// No signs, except those that are words in any reading: `5 + 3`.
    #[default]
    None,
    /// Symbols: `# $ % & * + / < = > @ \ ^ _ | ~ ₹`.
    Some,
    /// Also brackets, quotation marks, colons, dashes: `( ) [ ] { } " : ; - – — • …` and the backtick.
    Most,
    /// Also what closes sentences and clauses, and apostrophes: `. , ! ? ' । ॥`.
    All,
}

impl Punctuation {
    /// The least level at which a sign is named; `None` for what is no sign.
    fn of(sign: char) -> Option<Self> {
        match sign {
            '#' | '$' | '%' | '&' | '*' | '+' | '/' | '<' | '=' | '>' | '@' | '\\' | '^' | '_' | '|'
            | '~' | '₹' => Some(Self::Some),
            '(' | ')' | '[' | ']' | '{' | '}' | '"' | ':' | ';' | '-' | '–' | '—' | '`' | '•' | '…' => {
                Some(Self::Most)
            }
            '.' | ',' | '!' | '?' | '\'' | '।' | '॥' => Some(Self::All),
            _ => None,
        }
    }
}

/// How much of a text's characters is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verbosity {
    /// Which signs are named.
    pub punctuation: Punctuation,
    /// Whether each character is said by its name.
    pub spelling: bool,
    /// Whether spelled capital letters are announced: `cap A`.
    pub capitals: bool,
}

#[cfg(test)]
mod tests;
