//! Probability of a romanised word in each language, including English: from a table of frequent romanisations, or from
//! letter trigrams if the table does not contain the word.

use shruti_lang::Language;

use crate::channel::STEPS_PER_NAT;
use crate::hashed::Hashed;
use crate::roman::Roman;

/// Magic bytes at the start of a file.
pub(crate) const MAGIC: [u8; 4] = *b"STW1";
/// Number of symbols: the letters and the edge of a word.
pub(crate) const ALPHABET: usize = 27;
pub(crate) const EDGE: usize = 26;
/// Size of the trigram table of a language in bytes: one cost per trigram, in sixteenths of a nat.
pub(crate) const TRIGRAMS: usize = ALPHABET * ALPHABET * ALPHABET;
/// Size in bytes of the costs of a word: two languages per byte.
pub(crate) const COSTS: usize = Language::FINISHED.len().div_ceil(2);
/// Marker for a language in which the word is not frequent.
pub(crate) const NOT_LISTED: u8 = 15;
/// Size of a cost step in the table of words, in nats.
pub(crate) const STEP: f32 = 1.0;
/// Additional cost of a word that the table does not list for a language, in nats.
pub(crate) const UNLISTED: f32 = 3.0;

/// Costs of words in all languages.
#[derive(Clone, Copy, Debug)]
pub struct Languages<'a> {
    trigrams: &'a [u8],
    words: Hashed<'a, COSTS>,
}

/// Costs of a word in each finished language, in nats, in the order of [`Language::FINISHED`]. The cost in a language in
/// beta is the cost in its base language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordCosts {
    costs: [f32; Language::FINISHED.len()],
    listed: [bool; Language::FINISHED.len()],
}

impl WordCosts {
    /// Returns the cost in a language.
    pub fn of(&self, language: Language) -> f32 {
        self.costs[language.base() as usize]
    }

    /// Returns whether the word is a frequent romanisation in a language.
    pub fn is_listed(&self, language: Language) -> bool {
        self.listed[language.base() as usize]
    }
}

impl<'a> Languages<'a> {
    /// Reads the table of a file; returns `None` if the format is wrong.
    pub fn read(file: &'a [u8]) -> Option<Self> {
        let body = file.strip_prefix(&MAGIC)?;
        let (trigrams, words) = body.split_at_checked(TRIGRAMS * Language::FINISHED.len())?;
        Some(Self { trigrams, words: Hashed::new(words) })
    }

    /// Returns the costs of a word.
    pub fn costs(&self, word: &Roman) -> WordCosts {
        let rows: Vec<usize> = rows(word.letters()).collect();
        let found = self.words.get(word_key(word.letters()));
        let mut costs =
            WordCosts { costs: [0.0; Language::FINISHED.len()], listed: [false; Language::FINISHED.len()] };
        for at in 0..Language::FINISHED.len() {
            let listed =
                found.map(|costs| costs[at / 2] >> (4 * (at % 2)) & 15).filter(|cost| *cost != NOT_LISTED);
            costs.listed[at] = listed.is_some();
            costs.costs[at] = if let Some(cost) = listed {
                f32::from(cost) * STEP
            } else {
                let of = self.trigrams.get(at * TRIGRAMS..).unwrap_or_default();
                let steps: u32 = rows.iter().map(|row| of.get(*row).map_or(0, |cost| u32::from(*cost))).sum();
                UNLISTED + steps as f32 / STEPS_PER_NAT
            };
        }
        costs
    }
}

/// Returns the indices of the trigrams of a word.
pub(crate) fn rows(letters: &[u8]) -> impl Iterator<Item = usize> {
    let places = letters.iter().map(|letter| usize::from(letter - b'a')).chain([EDGE]);
    let mut before = (EDGE, EDGE);
    places.map(move |third| {
        let row = (before.0 * ALPHABET + before.1) * ALPHABET + third;
        before = (before.1, third);
        row
    })
}

/// Returns the key of a word in the table.
pub(crate) fn word_key(letters: &[u8]) -> u64 {
    letters.iter().fold(letters.len() as u64, |key, letter| crate::hashed::mix(key ^ u64::from(*letter)))
}
