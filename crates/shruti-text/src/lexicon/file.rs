//! A lexicon in a TOML file: `[words]` for every language, and a table a language.
//!
//! ```toml
//! [words]
//! AIIMS = "एम्स"
//! "New Delhi" = "नई दिल्ली"
//!
//! [ta]
//! Ooty = "/uːʈiː/"
//! ```

use shruti_lang::Language;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{BadEntry, Lexicon};

/// The table for every language.
const EVERYWHERE: &str = "words";

/// An entry of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The language of the turns it is for; `None` for all.
    pub language: Option<Language>,
    /// The word.
    pub word: String,
    /// Its reading.
    pub reading: String,
    /// The line it stands on, from 1.
    pub line: usize,
}

/// A file that is no lexicon.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct BadFile {
    /// The line that is wrong, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It is not TOML.
    #[error("not TOML: {0}")]
    Syntax(String),
    /// A word outside all tables.
    #[error("'{0}' is in no table: put it under [words], or under [hi] for Hindi alone")]
    NoTable(String),
    /// A table of no language.
    #[error("[{0}] is no table of a lexicon: there are [words] and the codes of languages, such as [hi]")]
    UnknownTable(String),
    /// A reading that is no string.
    #[error(
        "the reading of '{word}' must be a string, not {found}; words with dots or spaces stand in quotes"
    )]
    NotAString {
        /// The word.
        word: String,
        /// What its reading is.
        found: &'static str,
    },
    /// An entry that cannot be used.
    #[error(transparent)]
    Entry(#[from] BadEntry),
}

/// The entries of a file, in its order. Their readings are checked by [`Lexicon::from_toml`], not here.
pub fn entries(source: &str) -> Result<Vec<Entry>, BadFile> {
    let line = |at: usize| source.bytes().take(at).filter(|&byte| byte == b'\n').count() + 1;
    let wrong = |at: usize, problem: Problem| BadFile { line: line(at), problem };
    let file = DeTable::parse(source).map_err(|error| {
        wrong(error.span().map_or(0, |span| span.start), Problem::Syntax(error.message().to_owned()))
    })?;
    let mut entries = Vec::new();
    for (name, table) in file.get_ref() {
        let at = name.span().start;
        let name = name.get_ref().as_ref();
        let DeValue::Table(table) = table.get_ref() else {
            return Err(wrong(at, Problem::NoTable(name.to_owned())));
        };
        let language = match name {
            EVERYWHERE => None,
            code => Some(code.parse().map_err(|_| wrong(at, Problem::UnknownTable(name.to_owned())))?),
        };
        for (word, reading) in table {
            let entry = entry(language, word, reading, line(word.span().start));
            entries.push(entry.map_err(|problem| wrong(word.span().start, problem))?);
        }
    }
    entries.sort_by_key(|entry| entry.line);
    Ok(entries)
}

fn entry(
    language: Option<Language>,
    word: &Spanned<std::borrow::Cow<'_, str>>,
    reading: &Spanned<DeValue<'_>>,
    line: usize,
) -> Result<Entry, Problem> {
    let word = word.get_ref().to_string();
    match reading.get_ref() {
        DeValue::String(reading) => Ok(Entry { language, word, reading: reading.to_string(), line }),
        other => Err(Problem::NotAString { word, found: kind(other) }),
    }
}

const fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

impl Lexicon {
    /// The lexicon that a file holds.
    pub fn from_toml(source: &str) -> Result<Self, BadFile> {
        let mut lexicon = Self::default();
        for Entry { language, word, reading, line } in entries(source)? {
            lexicon
                .insert(language, &word, &reading)
                .map_err(|bad| BadFile { line, problem: Problem::Entry(bad) })?;
        }
        Ok(lexicon)
    }
}
