//! How likely a row of Latin letters is in each language, and which English words are frequent.

use std::sync::OnceLock;

use shruti_protocol::Language;

use crate::table::Set;

/// Costs of three letters in a row in 16 steps, two to a byte; for each language, in the order of [`Language::ALL`].
/// Written by `eval/mixed/train_trigrams.py`.
static COSTS: &[u8] = include_bytes!("../../data/latin-trigrams.bin");
static FREQUENT_ENGLISH: &str = include_str!("../../data/en/frequent.txt");

/// Letters and the edge of a word.
const ALPHABET: usize = 27;
const EDGE: usize = 26;
const TABLE: usize = ALPHABET * ALPHABET * ALPHABET;
/// One step of cost in nats.
const STEP: f32 = 0.6;

/// What a word of lower-case letters costs in a language: the negative logarithm of its probability, in nats.
pub(super) fn cost(word: &str, language: Language) -> f32 {
    let table = language as usize * TABLE;
    let letters = word.bytes().filter(u8::is_ascii_lowercase).map(|b| usize::from(b - b'a'));
    let (mut first, mut second) = (EDGE, EDGE);
    let mut steps = 0_u32;
    for third in letters.chain([EDGE]) {
        let at = table + (first * ALPHABET + second) * ALPHABET + third;
        let pair = COSTS.get(at / 2).copied().unwrap_or(0);
        steps += u32::from(if at.is_multiple_of(2) { pair & 15 } else { pair >> 4 });
        (first, second) = (second, third);
    }
    steps as f32 * STEP
}

/// Whether a word of lower-case letters is among the most frequent of English, or of the English that Indians use in their
/// own languages.
pub(super) fn is_frequent_english(word: &str) -> bool {
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
