//! How likely a romanised word is in each language, English among them: by a table of frequent ways to type words, and
//! by its letters, three in a row, where the table does not have it.

use shruti_lang::Language;

use crate::channel::STEPS_A_NAT;
use crate::hashed::Hashed;
use crate::roman::Roman;

/// What a file begins with.
pub(crate) const MAGIC: [u8; 4] = *b"STW1";
/// Letters and the edge of a word.
pub(crate) const ALPHABET: usize = 27;
pub(crate) const EDGE: usize = 26;
/// Bytes of a language's trigrams: a cost each, in sixteenths of a nat.
pub(crate) const TRIGRAMS: usize = ALPHABET * ALPHABET * ALPHABET;
/// Languages of the table, two to a byte.
pub(crate) const COSTS: usize = Language::ALL.len().div_ceil(2);
/// What stands in the table for a language in which the word is not frequent.
pub(crate) const NOT_LISTED: u8 = 15;
/// Costs of the table are in steps of so many nats.
pub(crate) const STEP: f32 = 1.0;
/// What it costs, in nats, that a word of a text is none of the table.
pub(crate) const UNLISTED: f32 = 3.0;

/// The costs of words in all languages.
#[derive(Clone, Copy, Debug)]
pub struct Languages<'a> {
    trigrams: &'a [u8],
    words: Hashed<'a, COSTS>,
}

/// What a word costs in each language, in nats, by the place of the language in [`Language::ALL`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordCosts {
    costs: [f32; Language::ALL.len()],
    listed: [bool; Language::ALL.len()],
}

impl WordCosts {
    /// What it costs in a language.
    pub fn of(&self, language: Language) -> f32 {
        self.costs[language as usize]
    }

    /// Whether it is a frequent way to type a word of a language.
    pub fn is_listed(&self, language: Language) -> bool {
        self.listed[language as usize]
    }
}

impl<'a> Languages<'a> {
    /// The table in a file; `None` where it is no such file.
    pub fn read(file: &'a [u8]) -> Option<Self> {
        let body = file.strip_prefix(&MAGIC)?;
        let (trigrams, words) = body.split_at_checked(TRIGRAMS * Language::ALL.len())?;
        Some(Self { trigrams, words: Hashed::new(words) })
    }

    /// What a word costs.
    pub fn costs(&self, word: &Roman) -> WordCosts {
        let rows: Vec<usize> = rows(word.letters()).collect();
        let found = self.words.get(word_key(word.letters()));
        let mut costs = WordCosts { costs: [0.0; Language::ALL.len()], listed: [false; Language::ALL.len()] };
        for at in 0..Language::ALL.len() {
            let listed =
                found.map(|costs| costs[at / 2] >> (4 * (at % 2)) & 15).filter(|cost| *cost != NOT_LISTED);
            costs.listed[at] = listed.is_some();
            costs.costs[at] = if let Some(cost) = listed {
                f32::from(cost) * STEP
            } else {
                let of = self.trigrams.get(at * TRIGRAMS..).unwrap_or_default();
                let steps: u32 = rows.iter().map(|row| of.get(*row).map_or(0, |cost| u32::from(*cost))).sum();
                UNLISTED + steps as f32 / STEPS_A_NAT
            };
        }
        costs
    }
}

/// The places of a word's trigrams.
pub(crate) fn rows(letters: &[u8]) -> impl Iterator<Item = usize> {
    let places = letters.iter().map(|letter| usize::from(letter - b'a')).chain([EDGE]);
    let mut before = (EDGE, EDGE);
    places.map(move |third| {
        let row = (before.0 * ALPHABET + before.1) * ALPHABET + third;
        before = (before.1, third);
        row
    })
}

/// The key of a word in the table.
pub(crate) fn word_key(letters: &[u8]) -> u64 {
    letters.iter().fold(letters.len() as u64, |key, letter| crate::hashed::mix(key ^ u64::from(*letter)))
}
