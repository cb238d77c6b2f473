//! How likely a row of Latin letters is in each language, and which English words are frequent.

use std::sync::OnceLock;

use shruti_lang::Language;

use crate::language::data_files;
use crate::table::Set;

static FREQUENT_ENGLISH: &str = include_str!("../../data/en/frequent.txt");

/// Letters and the edge of a word.
const ALPHABET: usize = 27;
const EDGE: usize = 26;
/// One step of cost in nats.
const STEP: f32 = 0.6;
/// The greatest cost in steps: that of all letters in a language without a table.
const MOST_STEPS: u8 = 15;

/// The letters of a word, three in a row, as they stand in the table of each language.
pub(super) struct Trigrams(Vec<u16>);

impl Trigrams {
    /// The rows of letters of a word of lower-case letters.
    pub(super) fn of(word: &str) -> Self {
        let letters = word.bytes().filter(u8::is_ascii_lowercase).map(|b| usize::from(b - b'a'));
        let (mut first, mut second) = (EDGE, EDGE);
        let places = letters.chain([EDGE]).map(|third| {
            let place = (first * ALPHABET + second) * ALPHABET + third;
            (first, second) = (second, third);
            place as u16
        });
        Self(places.collect())
    }

    /// What the word costs in a language: the negative logarithm of its probability, in nats.
    pub(super) fn cost(&self, language: Language) -> f32 {
        let table = data_files(language).latin_trigrams;
        let steps: u32 = self.0.iter().map(|&place| steps(table, usize::from(place))).sum();
        steps as f32 * STEP
    }
}

/// The cost of three letters in a row. `latin-trigrams.bin` has them in 16 steps, two to a byte, the lower half first;
/// `train/mixed/train_trigrams.py` writes it.
fn steps(table: &[u8], at: usize) -> u32 {
    let pair = table.get(at / 2).copied().unwrap_or(MOST_STEPS | MOST_STEPS << 4);
    u32::from(if at.is_multiple_of(2) { pair & 15 } else { pair >> 4 })
}

/// Whether a word of lower-case letters is among the most frequent of English, or of the English that Indians use in their
/// own languages.
pub(crate) fn is_frequent_english(word: &str) -> bool {
    static WORDS: OnceLock<Set<&'static str>> = OnceLock::new();
    WORDS
        .get_or_init(|| {
            FREQUENT_ENGLISH
                .lines()
                .filter(|line| !line.starts_with('#'))
                .flat_map(str::split_whitespace)
                .collect()
        })
        .contains(word)
}
