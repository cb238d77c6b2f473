//! Pronunciation dictionary that a caller or an operator supplies: words, each with a reading as a spelling or in IPA.
//!
//! Entries are matched item by item ([`crate::item`]) while text is read. The match ignores case, Unicode normal form,
//! joiners and the script of digits. An entry may consist of several words. If several entries match, the longest one
//! is used. Only whole words match, with one exception: a Latin word also matches its possessive (`AIIMS's`). Letters
//! of another script may directly follow a match (`AIIMSमें`).
//!
//! Entries are matched within a segment. The segmenter does not know the entries, so an entry matches only where no
//! segment ends inside it. An entry inside which the segmenter would always split the text is rejected when the lexicon
//! is built.

mod digest;
mod entry;
mod file;
mod words;

use std::collections::HashMap;
use std::sync::Arc;

use shruti_lang::Language;

use crate::item::Item;
use crate::phone::Transcription;

use digest::Digest;
pub use entry::{BadEntry, Flaw};
pub use file::{BadFile, Entry, Problem, entries};
pub(crate) use words::Match;
use words::Words;

/// Reading of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Text that is read in place of the word.
    Spelling(String),
    /// Phones.
    Phones(Transcription),
}

impl Reading {
    /// Returns the length to compare with that of the replaced text: the number of characters of a spelling, or the
    /// number of phones.
    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Spelling(spelling) => spelling.chars().count(),
            Self::Phones(said) => said.phones.len(),
        }
    }
}

/// Pronunciation dictionary: words with their readings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lexicon {
    everywhere: Words,
    of_language: HashMap<Language, Words>,
    /// Maximum factor by which an entry of this lexicon or of its fallback lengthens the replaced word.
    growth: usize,
    fallback: Option<Fallback>,
    digest: Digest,
}

/// Fallback lexicon. Its entries apply where the lexicon to which it was added (the upper lexicon) has no match of at
/// least the same length.
#[derive(Clone, Debug, PartialEq)]
struct Fallback {
    lexicon: Arc<Lexicon>,
    /// `true` if the fallback has the same owner, so that its own entries count as the upper lexicon's own.
    is_own: bool,
}

impl Lexicon {
    /// Creates a lexicon that applies to every language from (word, reading) pairs. A reading between slashes is IPA;
    /// any other reading is a spelling.
    pub fn new<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, BadEntry> {
        let mut lexicon = Self::default();
        for (word, reading) in entries {
            lexicon.insert(None, word, reading)?;
        }
        Ok(lexicon)
    }

    /// Adds an entry for turns in one language, or for all languages if `language` is `None`. An entry for one language
    /// takes precedence over an entry for all languages.
    pub fn insert(&mut self, language: Option<Language>, word: &str, reading: &str) -> Result<(), BadEntry> {
        let words = match language {
            Some(language) => self.of_language.entry(language).or_default(),
            None => &mut self.everywhere,
        };
        entry::add(words, word, reading).map_err(|flaw| BadEntry { word: word.to_owned(), flaw })?;
        self.digest = Digest::default();
        let length = |text: &str| text.trim().chars().count();
        self.growth = self.growth.max(length(reading).div_ceil(length(word).max(1)));
        Ok(())
    }

    /// Returns whether the lexicon has entries of its owner. A lexicon added with
    /// [`with_fallback`](Self::with_fallback) does not count.
    pub fn has_own(&self) -> bool {
        !self.everywhere.is_empty()
            || self.of_language.values().any(|words| !words.is_empty())
            || self.fallback.as_ref().is_some_and(|fallback| fallback.is_own && fallback.lexicon.has_own())
    }

    /// Adds `fallback` as a fallback for words that have no entry here. The extra length that the entries of the
    /// fallback cause is not charged: [`extra_chars`](crate::extra_chars) counts own entries only.
    #[must_use]
    pub fn with_fallback(mut self, fallback: Arc<Self>) -> Self {
        self.set_fallback(fallback, false);
        self
    }

    /// Adds `fallback` as a fallback that belongs to the same owner: its own entries count as this lexicon's own.
    #[must_use]
    pub fn with_own_fallback(mut self, fallback: Arc<Self>) -> Self {
        self.set_fallback(fallback, true);
        self
    }

    fn set_fallback(&mut self, lexicon: Arc<Self>, is_own: bool) {
        self.digest = Digest::default();
        self.growth = self.growth.max(lexicon.growth);
        self.fallback = (!lexicon.is_empty()).then_some(Fallback { lexicon, is_own });
    }

    /// Returns the maximum factor, at least 1, by which an uncharged entry lengthens the replaced word.
    pub fn uncharged_growth(&self) -> usize {
        match &self.fallback {
            Some(Fallback { lexicon, is_own: true }) => lexicon.uncharged_growth(),
            Some(Fallback { lexicon, is_own: false }) => lexicon.growth.max(1),
            None => 1,
        }
    }

    /// Returns whether the lexicon has no entries.
    pub fn is_empty(&self) -> bool {
        self.everywhere.is_empty() && self.of_language.is_empty() && self.fallback.is_none()
    }

    /// Returns a hash of all entries and fallbacks. Lexicons with the same digest have equal readings and charges for
    /// all texts. The first call reads all entries; the result is kept.
    pub fn digest(&self) -> [u8; 32] {
        self.digest.of(self)
    }

    /// Returns the longest entry that matches the items from `at` on, in a turn of `language`. If two matches have the
    /// same length, the match of the upper lexicon is returned.
    pub(crate) fn find(&self, items: &[Item<'_>], at: usize, language: Language) -> Option<Match<'_>> {
        let own = [self.of_language.get(&language), Some(&self.everywhere)];
        let mut best: Option<Match<'_>> = None;
        for words in own.into_iter().flatten() {
            best = longer(best, words.find(items, at));
        }
        match &self.fallback {
            Some(Fallback { lexicon, is_own }) => {
                let found = lexicon.find(items, at, language);
                longer(best, found.map(|found| Match { is_own: found.is_own && *is_own, ..found }))
            }
            None => best,
        }
    }
}

fn longer<'a>(upper: Option<Match<'a>>, lower: Option<Match<'a>>) -> Option<Match<'a>> {
    match (&upper, &lower) {
        (Some(first), Some(second)) if second.items > first.items => lower,
        (Some(_), _) => upper,
        (None, _) => lower,
    }
}

#[cfg(test)]
mod tests;
