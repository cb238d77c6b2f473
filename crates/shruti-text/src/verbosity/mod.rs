//! Punctuation levels, spelling and index marks, for screen readers.
//!
//! [`ReadOut`] rewrites a text, plain or SSML, as SSML for the [`Reader`](crate::Reader). It adds the names of the
//! punctuation marks and symbols that the level includes, separates the characters of a text that is spelled, and
//! removes `<mark>` elements but records their positions. It maps positions in the rewritten text to the original text,
//! so that word events refer to the original text.
//!
//! Plain text is literal, so Markdown, HTML and entities have no special meaning. The names of characters are in
//! `data/<code>/characters.toml`.

mod names;
mod read_out;
mod scan;

pub use names::character_name;
pub use read_out::{IndexMark, ReadOut};

/// Punctuation level: the punctuation marks and symbols that are read by name.
///
/// A mark within a number, a time or a word is not read by name (`3.14`, `12:30`, `don't`), nor is a currency sign or a
/// percent sign next to a number. These marks and signs are read in the same way at every level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Punctuation {
    /// No marks, except those that are always read as words: `5 + 3`.
    #[default]
    None,
    /// Symbols: `# $ % & * + / < = > @ \ ^ _ | ~ ₹`.
    Some,
    /// Also brackets, quotation marks, colons and dashes: `( ) [ ] { } " : ; - – — • …` and the backtick.
    Most,
    /// Also marks at the end of sentences and clauses, and apostrophes: `. , ! ? ' । ॥`.
    All,
}

impl Punctuation {
    /// Returns the lowest level at which a punctuation mark or symbol is read by name, or `None` for another character.
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

/// Punctuation level and spelling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verbosity {
    /// Punctuation level.
    pub punctuation: Punctuation,
    /// Whether the text is spelled character by character.
    pub spelling: bool,
    /// Whether spelled capital letters are announced: `cap A`.
    pub capitals: bool,
}

#[cfg(test)]
mod tests;
