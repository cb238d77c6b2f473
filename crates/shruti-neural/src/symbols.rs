//! Conversion of symbols to the numbers that a graph reads.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use shruti_packs::{Input, Unknown};

use crate::writers::SymbolUtterance;

const MAX_SYMBOLS: usize = 20_000;
const MAX_IDS: usize = 8;
const MAX_ID: u32 = 65_535;

/// Error in a symbol table, or in a text that does not match the table. The error contains no part of the text, only a
/// count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymbolError {
    /// A line of the table is invalid.
    #[error(
        "symbol table, line {line}: {reason}; a line contains a symbol, a tab and its numbers separated by spaces"
    )]
    Line {
        /// Line number, from 1.
        line: usize,
        /// Description of the problem.
        reason: &'static str,
    },
    /// The table lacks a symbol that the manifest uses for `begin`, `between` or `end`.
    #[error("the symbol {0:?} of [input] is not in the symbol table")]
    Frame(String),
    /// The utterance has symbols that the pack lacks, and the pack rejects unknown symbols.
    #[error("the text has {0} symbols that the pack does not have")]
    Unknown(usize),
    /// The utterance is too long.
    #[error("the text has {found} symbols; the pack accepts at most {max}")]
    TooMany {
        /// Number of symbols.
        found: usize,
        /// Maximum number of symbols.
        max: usize,
    },
    /// The utterance has no symbols to speak.
    #[error("the text has no symbols of the pack")]
    Empty,
}

/// The symbols of a pack and their numbers.
#[derive(Clone, Debug)]
pub struct SymbolTable {
    ids: HashMap<String, Vec<i32>>,
    begin: Vec<i32>,
    between: Vec<i32>,
    end: Vec<i32>,
    unknown: Unknown,
    max_symbols: usize,
}

/// Symbols of an utterance in the form that a graph reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolSequence {
    /// IDs of the symbols.
    pub ids: Vec<i32>,
    /// Range of `ids` of each word; empty for a word without symbols of the pack.
    pub words: Vec<Range<usize>>,
    /// Number of symbols, without those of `begin`, `between` and `end`.
    pub symbols: usize,
    /// Number of symbols that were skipped because the pack lacks them.
    pub skipped: usize,
}

impl SymbolTable {
    /// Parses a table. Each line has a symbol, a tab and the symbol's numbers.
    pub fn parse(text: &str, input: &Input) -> Result<Self, SymbolError> {
        let mut table = HashMap::new();
        for (at, row) in text.lines().enumerate() {
            let wrong = |reason| SymbolError::Line { line: at + 1, reason };
            if at >= MAX_SYMBOLS {
                return Err(wrong("more than 20,000 symbols"));
            }
            let (symbol, numbers) = row.split_once('\t').ok_or_else(|| wrong("no tab"))?;
            if symbol.is_empty() {
                return Err(wrong("no symbol"));
            }
            let number =
                |text: &str| text.parse().ok().filter(|&id: &u32| id <= MAX_ID).map(u32::cast_signed);
            let ids: Option<Vec<i32>> = numbers.split(' ').map(number).collect();
            let ids = ids.ok_or_else(|| wrong("a number that is not from 0 to 65,535"))?;
            if ids.len() > MAX_IDS {
                return Err(wrong("more than 8 numbers"));
            }
            if table.insert(symbol.to_owned(), ids).is_some() {
                return Err(wrong("a duplicate symbol"));
            }
        }
        let find = |symbols: &[String]| -> Result<Vec<i32>, SymbolError> {
            let ids = |symbol: &String| {
                table.get(symbol).cloned().ok_or_else(|| SymbolError::Frame(symbol.clone()))
            };
            Ok(symbols.iter().map(ids).collect::<Result<Vec<_>, _>>()?.concat())
        };
        let (begin, between, end) = (find(&input.begin)?, find(&input.between)?, find(&input.end)?);
        Ok(Self { ids: table, begin, between, end, unknown: input.unknown, max_symbols: input.max_symbols })
    }

    /// Returns whether the table contains a symbol.
    pub fn contains(&self, symbol: &str) -> bool {
        self.ids.contains_key(symbol)
    }

    /// Returns a sequence of one word for measurements. The word has `symbols` symbols of the table, but not more than
    /// the pack accepts.
    pub fn sample(&self, symbols: usize) -> Result<SymbolSequence, SymbolError> {
        let mut known: Vec<&String> = self.ids.keys().collect();
        known.sort_unstable();
        self.sequence([known.into_iter().cycle().take(symbols.min(self.max_symbols))])
    }

    /// Returns `texts` texts of up to `symbols` symbols each, in words of five, for measurements. The texts cycle
    /// through all symbols except those that the manifest inserts, in an order that differs from that of the table.
    pub(crate) fn samples(&self, texts: usize, symbols: usize) -> Result<Vec<SymbolSequence>, SymbolError> {
        const WORD: usize = 5;
        let framing = [&self.begin, &self.between, &self.end];
        let is_spoken = |(symbol, ids): &(&String, &Vec<i32>)| *symbol != " " && !framing.contains(ids);
        let mut known: Vec<&String> = self.ids.iter().filter(is_spoken).map(|(symbol, _)| symbol).collect();
        known.sort_unstable();
        let count = symbols.min(self.max_symbols.saturating_sub(self.max_symbols / WORD)).max(1);
        let symbol = |at: usize| known.get(at * 7 % known.len().max(1)).copied();
        let text = |text: usize| {
            let words = (0..count).step_by(WORD);
            let word = |start: usize| {
                (start..(start + WORD).min(count)).filter_map(move |at| symbol(text * count + at))
            };
            self.sequence(words.map(word))
        };
        (0..texts).map(text).collect()
    }

    /// Converts an utterance, given as the symbols of its words. Words are separated by a space if the pack has a
    /// symbol for spaces.
    pub fn sequence<W, S>(&self, words: W) -> Result<SymbolSequence, SymbolError>
    where
        W: IntoIterator,
        W::Item: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let words = words.into_iter().map(|word| (word, [].iter()));
        self.arrange(words, true)
    }

    /// Converts the output of a writer. Marks that the pack lacks are omitted and do not count as skipped. Marks are
    /// written only after a word that has symbols.
    pub fn sequence_of(&self, written: &SymbolUtterance) -> Result<SymbolSequence, SymbolError> {
        let words = written.words.iter().map(|word| (&word.symbols, word.marks.iter()));
        self.arrange(words, written.spaces)
    }

    /// Returns the number of symbols in `written` that the pack lacks.
    pub fn unknown_symbols(&self, written: &SymbolUtterance) -> usize {
        written.words.iter().flat_map(|word| &word.symbols).filter(|symbol| !self.contains(symbol)).count()
    }

    fn arrange<'m, W, S>(
        &self,
        words: impl Iterator<Item = (W, std::slice::Iter<'m, &'static str>)>,
        has_spaces: bool,
    ) -> Result<SymbolSequence, SymbolError>
    where
        W: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let mut ids = self.begin.clone();
        let (mut ranges, mut count, mut skipped) = (Vec::new(), 0, 0);
        let space = self.ids.get(" ").filter(|_| has_spaces);
        for (word, marks) in words {
            let mut range: Option<Range<usize>> = None;
            for symbol in word {
                let Some(numbers) = self.ids.get(symbol.as_ref()) else {
                    skipped += 1;
                    continue;
                };
                if range.is_none()
                    && count > 0
                    && let Some(space) = space
                {
                    self.push(&mut ids, space);
                    count += 1;
                }
                let at = self.push(&mut ids, numbers);
                range = Some(range.map_or(at.start, |range| range.start)..at.end);
                count += 1;
            }
            if range.is_some() {
                for numbers in marks.filter_map(|mark| self.ids.get(*mark)) {
                    self.push(&mut ids, numbers);
                    count += 1;
                }
            }
            ranges.push(range.unwrap_or(ids.len()..ids.len()));
        }
        match () {
            () if skipped > 0 && self.unknown == Unknown::Fail => return Err(SymbolError::Unknown(skipped)),
            () if count > self.max_symbols => {
                return Err(SymbolError::TooMany { found: count, max: self.max_symbols });
            }
            () if count == 0 => return Err(SymbolError::Empty),
            () => {}
        }
        let end = self.end.clone();
        self.push(&mut ids, &end);
        Ok(SymbolSequence { ids, words: ranges, symbols: count, skipped })
    }

    /// Appends a symbol's numbers and returns their range.
    fn push(&self, ids: &mut Vec<i32>, numbers: &[i32]) -> Range<usize> {
        if !ids.is_empty() {
            ids.extend(&self.between);
        }
        let start = ids.len();
        ids.extend(numbers);
        start..ids.len()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;
    use shruti_packs::InputKind;

    fn input(unknown: Unknown) -> Input {
        let one = |symbol: &str| vec![symbol.to_owned()];
        Input {
            kind: InputKind::Phones,
            dialect: None,
            symbols: "symbols.tsv".to_owned(),
            begin: one("^"),
            between: one("_"),
            end: one("$"),
            unknown,
            max_symbols: 5,
        }
    }

    const TABLE: &str = "_\t0\n^\t1\n$\t2\n \t3\na\t4\nb\t5 6\n";

    #[test]
    fn symbols_are_framed_as_piper_does() {
        let table = SymbolTable::parse(TABLE, &input(Unknown::Skip)).unwrap();
        let found = table.sequence([["a", "b"], ["a", "x"]]).unwrap();
        assert_eq!(found.ids, [1, 0, 4, 0, 5, 6, 0, 3, 0, 4, 0, 2]);
        assert_eq!(found.words, [2..6, 9..10]);
        assert_eq!((found.symbols, found.skipped), (4, 1));
        assert_eq!(table.sample(9).unwrap().words.len(), 1);
    }

    #[test]
    fn a_word_without_symbols_has_an_empty_range() {
        let table = SymbolTable::parse(TABLE, &input(Unknown::Skip)).unwrap();
        let found = table.sequence([["a"], ["x"], ["a"]]).unwrap();
        assert_eq!(found.ids, [1, 0, 4, 0, 3, 0, 4, 0, 2]);
        assert_eq!(found.words, [2..3, 3..3, 6..7]);
    }

    #[test]
    fn invalid_symbols_are_rejected() {
        let table = SymbolTable::parse(TABLE, &input(Unknown::Fail)).unwrap();
        assert_eq!(table.sequence([["a", "x", "y"]]), Err(SymbolError::Unknown(2)));
        assert_eq!(table.sequence([["a"; 6]]), Err(SymbolError::TooMany { found: 6, max: 5 }));
        assert_eq!(table.sequence([[""; 0]]), Err(SymbolError::Empty));
        for (text, line) in
            [("a", 1), ("a\t1\na\t2", 2), ("a\t-1", 1), ("a\t65536", 1), ("\t1", 1), ("a\t1 ", 1)]
        {
            let error = SymbolTable::parse(text, &input(Unknown::Fail)).map(|_| ()).expect_err(text);
            assert!(
                matches!(error, SymbolError::Line { line: found, .. } if found == line),
                "{text}: {error}"
            );
        }
        assert!(matches!(SymbolTable::parse("a\t1", &input(Unknown::Fail)), Err(SymbolError::Frame(_))));
    }
}
