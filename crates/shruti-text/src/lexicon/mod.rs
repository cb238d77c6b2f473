//! Pronunciations that a caller or an operator gives: words with the spelling or the IPA to read them by.
//!
//! An entry is matched as text is read: item by item ([`crate::item`]), without regard to case, normal form, joiners
//! and the script of digits. It may have several words; where several entries fit the longest is taken. It matches
//! whole words only, with one exception: a Latin word also as its possessive (`AIIMS's`). The letters of another script
//! may follow directly (`AIIMSमें`).
//!
//! Entries are looked up within a segment, which is cut without regard to them, so that a text sounds the same
//! however it comes in pieces. What a cut would always fall into is refused when the lexicon is made.

mod entry;
mod file;
mod words;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use shruti_lang::Language;

use crate::item::Item;
use crate::phone::Transcription;

pub use entry::{BadEntry, Flaw};
pub use file::{BadFile, Entry, Problem, entries};
pub(crate) use words::Found;
use words::Words;

/// How a word is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As if this had been written.
    Spelling(String),
    /// With these phones.
    Phones(Transcription),
}

impl Reading {
    /// How long it is, to be compared with what it replaces: the characters of a spelling, or the phones.
    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Spelling(spelling) => spelling.chars().count(),
            Self::Phones(said) => said.phones.len(),
        }
    }
}

/// Words with the readings that were given for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lexicon {
    everywhere: Words,
    of_language: HashMap<Language, Words>,
    /// The most by which an entry, of this lexicon or beneath it, multiplies the length of its word.
    growth: usize,
    beneath: Option<Beneath>,
}

/// A lexicon whose entries hold where another one has none.
#[derive(Clone, Debug, PartialEq)]
struct Beneath {
    lexicon: Arc<Lexicon>,
    /// Whether its own entries are also those of who asks.
    is_own: bool,
}

impl Lexicon {
    /// A lexicon of (word, reading) pairs for every language. A reading between slashes is IPA, any other a spelling.
    pub fn new<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, BadEntry> {
        let mut lexicon = Self::default();
        for (word, reading) in entries {
            lexicon.insert(None, word, reading)?;
        }
        Ok(lexicon)
    }

    /// Adds an entry: for turns in one language, where it comes before the entries for every language, or for all.
    pub fn insert(&mut self, language: Option<Language>, word: &str, reading: &str) -> Result<(), BadEntry> {
        let words = match language {
            Some(language) => self.of_language.entry(language).or_default(),
            None => &mut self.everywhere,
        };
        entry::add(words, word, reading).map_err(|flaw| BadEntry { word: word.to_owned(), flaw })?;
        let length = |text: &str| text.trim().chars().count();
        self.growth = self.growth.max(length(reading).div_ceil(length(word).max(1)));
        Ok(())
    }

    /// Whether it has entries of its own, besides those of a lexicon that it was put [`over`](Self::over).
    pub fn has_own(&self) -> bool {
        !self.everywhere.is_empty()
            || self.of_language.values().any(|words| !words.is_empty())
            || self.beneath.as_ref().is_some_and(|beneath| beneath.is_own && beneath.lexicon.has_own())
    }

    /// The same with another one beneath it, whose entries hold for what this one has no entry for. What those make
    /// longer is nobody's to pay: [`extra_chars`](crate::extra_chars) counts the own entries alone.
    #[must_use]
    pub fn over(mut self, beneath: Arc<Self>) -> Self {
        self.growth = self.growth.max(beneath.growth);
        self.beneath = (!beneath.is_empty()).then_some(Beneath { lexicon: beneath, is_own: false });
        self
    }

    /// The same with another one of the same person's beneath it: its own entries count as own ones here, too.
    #[must_use]
    pub fn over_own(mut self, beneath: Arc<Self>) -> Self {
        self.growth = self.growth.max(beneath.growth);
        self.beneath = (!beneath.is_empty()).then_some(Beneath { lexicon: beneath, is_own: true });
        self
    }

    /// The most by which an entry that is nobody's to pay multiplies the length of its word; at least 1.
    pub fn uncharged_growth(&self) -> usize {
        match &self.beneath {
            Some(Beneath { lexicon, is_own: true }) => lexicon.uncharged_growth(),
            Some(Beneath { lexicon, is_own: false }) => lexicon.growth.max(1),
            None => 1,
        }
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.everywhere.is_empty() && self.of_language.is_empty() && self.beneath.is_none()
    }

    /// Writes down every entry, in an order of its own: two lexicons that read all texts alike with equal charges give
    /// the same text.
    pub fn write_canonical(&self, out: &mut impl fmt::Write) -> fmt::Result {
        self.everywhere.write_canonical("", out)?;
        let mut languages: Vec<_> = self.of_language.iter().collect();
        languages.sort_unstable_by_key(|(language, _)| language.code());
        for (language, words) in languages {
            words.write_canonical(language.code(), out)?;
        }
        match &self.beneath {
            Some(Beneath { lexicon, is_own }) => {
                writeln!(out, "over {is_own}")?;
                lexicon.write_canonical(out)
            }
            None => Ok(()),
        }
    }

    /// The longest entry that matches the items from `at` on, in a turn of `language`; of equally long ones the upper.
    pub(crate) fn find(&self, items: &[Item<'_>], at: usize, language: Language) -> Option<Found<'_>> {
        let own = [self.of_language.get(&language), Some(&self.everywhere)];
        let mut best: Option<Found<'_>> = None;
        for words in own.into_iter().flatten() {
            best = longer(best, words.find(items, at));
        }
        match &self.beneath {
            Some(Beneath { lexicon, is_own }) => {
                let found = lexicon.find(items, at, language);
                longer(best, found.map(|found| Found { is_own: found.is_own && *is_own, ..found }))
            }
            None => best,
        }
    }
}

fn longer<'a>(upper: Option<Found<'a>>, lower: Option<Found<'a>>) -> Option<Found<'a>> {
    match (&upper, &lower) {
        (Some(first), Some(second)) if second.items > first.items => lower,
        (Some(_), _) => upper,
        (None, _) => lower,
    }
}

#[cfg(test)]
mod tests;
