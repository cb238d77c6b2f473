//! English heteronyms, words with two pronunciations: `read`, `live`, `record`, `close`.
//!
//! Each reading of a heteronym lists its parts of speech, and the words that support the reading if they are adjacent
//! or near (`data/en/heteronyms.toml`). The surrounding words also determine which part of speech is likely in that
//! position ([`parts`]). The reading with the highest score is chosen, or the first of several with the same score.

mod parts;

use std::sync::LazyLock;

use serde::Deserialize;
use shruti_lang::Language;

use self::parts::{Part, Scores};
use super::word_list::read_ipa;
use super::{Pronunciation, first_stressed};
use crate::table::Table;

/// Scores that a reading gains from a listed word that is adjacent (`ADJACENT`) or near (`NEAR`).
const ADJACENT: f32 = 3.0;
const NEAR: f32 = 1.5;
/// Maximum number of near words that add to the score of a reading.
const MAX_NEAR: usize = 2;
/// Maximum distance of a near word, in words.
const REACH: usize = 8;

/// Contents of `data/en/heteronyms.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    words: Table<String, Vec<Reading>>,
}

/// One of the pronunciations of a word.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    /// Pronunciation in IPA with stress marks.
    said: String,
    /// Parts of speech that have this pronunciation.
    parts: Vec<Part>,
    /// Words that support this reading if they are near.
    #[serde(default)]
    near: Vec<String>,
    /// Words that support this reading if they directly precede the heteronym.
    #[serde(default)]
    before: Vec<String>,
    /// Words that support this reading if they directly follow the heteronym.
    #[serde(default)]
    after: Vec<String>,
    /// `true` if this reading is the default when no other word nearby is English. If no reading is marked, the first
    /// reading is the default.
    #[serde(default)]
    mixed: bool,
}

static WORDS: LazyLock<Table<String, Vec<Reading>>> = LazyLock::new(|| {
    // this cannot fail: the file is part of the program, and a test parses it
    read(crate::files::text!("en/heteronyms.toml")).unwrap_or_default()
});

fn read(source: &str) -> Result<Table<String, Vec<Reading>>, toml::de::Error> {
    toml::from_str::<File>(source).map(|file| file.words)
}

/// Returns whether a lower-case word is a heteronym.
pub(super) fn is_one(word: &str) -> bool {
    WORDS.contains_key(word)
}

/// Returns the pronunciation of the English word at `at` among the words of its segment, each given with its language;
/// `None` if the word is not a heteronym. Only words at a distance of up to [`REACH`] are examined.
pub fn pronounce(words: &[(&str, Language)], at: usize) -> Option<Pronunciation> {
    let (written, _) = *words.get(at)?;
    // heteronyms are plain ASCII words
    if !written.is_ascii() {
        return None;
    }
    let word = written.to_ascii_lowercase();
    let (readings, has_ending) = match WORDS.get(&word) {
        Some(readings) => (readings, false),
        None => (WORDS.get(word.strip_suffix('s')?)?, true),
    };
    let chosen = choose(readings, words, at, has_ending)?;
    let (phones, stresses) = read_ipa(&chosen.said, first_stressed).ok()?;
    let mut pronunciation = Pronunciation { phones, stresses };
    if has_ending {
        pronunciation.append_s();
    }
    Some(pronunciation)
}

/// Returns the reading with the highest score. `has_ending` is `true` if the word has an ending -s and can therefore
/// only be a noun, a verb or a name.
fn choose<'r>(
    readings: &'r [Reading],
    words: &[(&str, Language)],
    at: usize,
    has_ending: bool,
) -> Option<&'r Reading> {
    let from = at.saturating_sub(REACH);
    let around = &words[from..(at + REACH + 1).min(words.len())];
    let place = at - from;
    let lower: Vec<String> = around.iter().map(|(word, _)| word.to_lowercase()).collect();
    let near = || (0..around.len()).filter(|&other| other != place).map(|other| lower[other].as_str());
    let has = |list: &[String], at: Option<usize>| {
        at.and_then(|at| lower.get(at)).is_some_and(|word| list.contains(word))
    };
    let is_english = |&(_, language): &(&str, Language)| language == Language::English;
    let next_to_others =
        around.len() > 1 && !around.iter().enumerate().any(|(i, word)| i != place && is_english(word));
    let scores = Scores::new(&lower, place, words[at].0, at == 0);
    let speaks_for = |reading: &Reading| {
        let part = |part: &Part| match part {
            Part::Adjective | Part::Adverb | Part::Past if has_ending => f32::MIN,
            part => scores.of(*part),
        };
        let parts = reading.parts.iter().map(part).fold(f32::MIN, f32::max);
        let adjacent = usize::from(has(&reading.before, place.checked_sub(1)))
            + usize::from(has(&reading.after, Some(place + 1)));
        let near = near().filter(|word| reading.near.iter().any(|listed| listed == word)).count();
        let context = adjacent as f32 * ADJACENT + near.min(MAX_NEAR) as f32 * NEAR;
        if next_to_others { f32::from(u8::from(reading.mixed)) + context } else { parts + context }
    };
    // the first reading wins a tie
    let mut best: Option<(f32, &Reading)> = None;
    for reading in readings {
        let score = speaks_for(reading);
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, reading));
        }
    }
    best.map(|(_, reading)| reading)
}

#[cfg(test)]
mod tests;
