//! Probabilities of Latin letter trigrams in each language.

use shruti_lang::Language;

use crate::files::trained_files;

/// Number of symbols: the 26 letters and the word boundary.
const ALPHABET: usize = 27;
const EDGE: usize = 26;
/// Cost of one step, in nats.
const STEP: f32 = 0.6;
/// Maximum cost of a trigram, in steps. In a language without a table, every trigram has this cost.
const MAX_STEPS: u8 = 15;

/// Letter trigrams of a word, as indices into the table of each language.
pub(super) struct Trigrams(Vec<u16>);

impl Trigrams {
    /// Returns the trigrams of a word in lower-case letters.
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

    /// Returns the cost of the word in a language: the negative logarithm of its probability, in nats.
    pub(super) fn cost(&self, language: Language) -> f32 {
        let table = trained_files(language).latin_trigrams;
        let steps: u32 = self.0.iter().map(|&place| steps(table, usize::from(place))).sum();
        steps as f32 * STEP
    }
}

/// Returns the cost of a trigram, in steps of 0 to 15. The table `latin-trigrams.bin`, written by
/// `train/mixed/train_trigrams.py`, contains two costs per byte, the first in the lower four bits.
fn steps(table: &[u8], at: usize) -> u32 {
    let pair = table.get(at / 2).copied().unwrap_or(MAX_STEPS | MAX_STEPS << 4);
    u32::from(if at.is_multiple_of(2) { pair & 15 } else { pair >> 4 })
}
