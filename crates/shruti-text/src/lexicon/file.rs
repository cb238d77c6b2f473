//! Lexicon in a TOML file: `[words]` applies to every language, and each language may have its own table.
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

/// Name of the table whose entries apply to every language.
const EVERYWHERE: &str = "words";

/// Entry of a lexicon file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Language of the turns to which the entry applies; `None` for all languages.
    pub language: Option<Language>,
    /// Word to replace.
    pub word: String,
    /// Reading of the word.
    pub reading: String,
    /// Line number, from 1.
    pub line: usize,
}

/// Error for a file that is not a valid lexicon.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct BadFile {
    /// Line number of the problem, from 1.
    pub line: usize,
    /// Kind of problem.
    pub problem: Problem,
}

/// Problem in a lexicon file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The file is not valid TOML.
    #[error("not TOML: {0}")]
    Syntax(String),
    /// A word is outside all tables.
    #[error("'{0}' is not in a table: put it under [words], or under [hi] for only Hindi")]
    NoTable(String),
    /// A table is not named after a supported language.
    #[error("[{0}] is not a table of a lexicon; the tables are [words] and language codes, such as [hi]")]
    UnknownTable(String),
    /// A reading is not a string.
    #[error(
        "the reading of '{word}' must be a string, not {found}; words with dots or spaces must be in quotes"
    )]
    NotAString {
        /// Word of the entry.
        word: String,
        /// Type of the TOML value.
        found: &'static str,
    },
    /// An entry cannot be used.
    #[error(transparent)]
    Entry(#[from] BadEntry),
}

/// Parses the entries of a file and returns them in file order. Does not validate words and readings;
/// [`Lexicon::from_toml`] validates them.
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
    /// Parses a lexicon file and validates its entries.
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
