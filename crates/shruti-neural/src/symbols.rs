//! Symbols to the numbers that a graph reads.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use shruti_packs::{Input, Unknown};

use crate::writers::Written;

const MAX_SYMBOLS: usize = 20_000;
const MAX_IDS: usize = 8;
const MAX_ID: u32 = 65_535;

/// A table of symbols is wrong, or a text does not fit it. Says no more of the text than a count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymbolError {
    /// A line of the table is wrong.
    #[error(
        "symbols, line {line}: {reason}; a line is a symbol, a tab and its numbers with spaces between them"
    )]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A symbol that the manifest puts between others is not in the table.
    #[error("the symbol {0:?} of [input] is not in the table of symbols")]
    Frame(String),
    /// An utterance has symbols that the pack does not have, and the pack refuses those.
    #[error("{0} symbols that the pack does not have")]
    Unknown(usize),
    /// An utterance is too long.
    #[error("{found} symbols; the pack takes at most {max} at once")]
    TooMany {
        /// How many there are.
        found: usize,
        /// How many there may be.
        max: usize,
    },
    /// Nothing is left to be spoken.
    #[error("no symbols that the pack has")]
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

/// An utterance as a graph reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolSequence {
    /// The numbers.
    pub ids: Vec<i32>,
    /// Which of them are each word's; empty where the pack has none of its symbols.
    pub words: Vec<Range<usize>>,
    /// How many symbols it has; those of `begin`, `between` and `end` do not count.
    pub symbols: usize,
    /// How many symbols were left out.
    pub skipped: usize,
}

impl SymbolTable {
    /// Reads a table: lines of a symbol, a tab and its numbers.
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
                return Err(wrong("a symbol that an earlier line has"));
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

    /// Whether it has a symbol.
    pub fn contains(&self, symbol: &str) -> bool {
        self.ids.contains_key(symbol)
    }

    /// A word of so many of its symbols, or fewer where the pack takes fewer at once: to measure with.
    pub fn sample(&self, symbols: usize) -> Result<SymbolSequence, SymbolError> {
        let mut known: Vec<&String> = self.ids.keys().collect();
        known.sort_unstable();
        self.sequence([known.into_iter().cycle().take(symbols.min(self.max_symbols))])
    }

    /// Some texts of so many of its symbols each, in words of five: to measure with. They hold all its symbols but
    /// those that the manifest puts between others, in an order that is not theirs.
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

    /// The numbers of an utterance, given as the symbols of its words. Between two words comes a space, where the pack
    /// has one.
    pub fn sequence<W, S>(&self, words: W) -> Result<SymbolSequence, SymbolError>
    where
        W: IntoIterator,
        W::Item: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let words = words.into_iter().map(|word| (word, [].iter()));
        self.arrange(words, true)
    }

    /// The numbers of what a writer wrote. Marks that the pack does not have are left out, and are not counted as
    /// skipped; a mark stands for itself only behind a word that has symbols.
    pub fn sequence_of(&self, written: &Written) -> Result<SymbolSequence, SymbolError> {
        let words = written.words.iter().map(|word| (&word.symbols, word.marks.iter()));
        self.arrange(words, written.spaces)
    }

    /// How many symbols of what a writer wrote the pack does not have.
    pub fn unknown_symbols(&self, written: &Written) -> usize {
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

    /// Puts a symbol behind what is there, and says where.
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
    fn a_word_without_symbols_has_an_empty_place() {
        let table = SymbolTable::parse(TABLE, &input(Unknown::Skip)).unwrap();
        let found = table.sequence([["a"], ["x"], ["a"]]).unwrap();
        assert_eq!(found.ids, [1, 0, 4, 0, 3, 0, 4, 0, 2]);
        assert_eq!(found.words, [2..3, 3..3, 6..7]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
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
