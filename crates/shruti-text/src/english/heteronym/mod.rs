//! English words that are said in two ways: `read`, `live`, `record`, `close`.
//!
//! Each reading of a word says what part of speech it is and which words beside it speak for it (`data/en/heteronyms.toml`);
//! the words before and after say which part of speech is likely in that place ([`parts`]). The reading for which most speaks
//! is taken, and the first one where nothing does.

mod parts;

use std::sync::LazyLock;

use serde::Deserialize;
use shruti_lang::Language;

use self::parts::{Part, Scores};
use super::word_list::read_ipa;
use super::{Pronunciation, first_stressed};
use crate::table::Table;

/// What speaks for a reading: a word directly beside it that it lists, and one that is near.
const BESIDE: f32 = 3.0;
const NEAR: f32 = 1.5;
/// So many words that are near count.
const MOST_NEAR: usize = 2;
/// How far away a word is near, in words.
const REACH: usize = 8;

/// `data/en/heteronyms.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    words: Table<String, Vec<Reading>>,
}

/// One way in which a word is said.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    /// How, in IPA with stress marks.
    said: String,
    /// What the word is when it is said so.
    parts: Vec<Part>,
    /// Words near it that speak for it.
    #[serde(default)]
    near: Vec<String>,
    /// Words directly before it that speak for it.
    #[serde(default)]
    before: Vec<String>,
    /// Words directly after it that speak for it.
    #[serde(default)]
    after: Vec<String>,
    /// Whether it is said so beside words of an Indian language, where it is not the first.
    #[serde(default)]
    mixed: bool,
}

static WORDS: LazyLock<Table<String, Vec<Reading>>> = LazyLock::new(|| {
    // the file is part of the program and a test reads it
    read(include_str!("../../../data/en/heteronyms.toml")).unwrap_or_default()
});

fn read(source: &str) -> Result<Table<String, Vec<Reading>>, toml::de::Error> {
    toml::from_str::<File>(source).map(|file| file.words)
}

/// Whether a word of small letters is said in two ways.
pub(super) fn is_one(word: &str) -> bool {
    WORDS.contains_key(word)
}

/// How the English word at `at` is said among the words of its segment, each given with the language it is in; `None` where it is
/// always said alike. Nothing further away than [`REACH`] words is looked at.
pub fn pronounce(words: &[(&str, Language)], at: usize) -> Option<Pronunciation> {
    let (written, _) = *words.get(at)?;
    // most words are none, and those that are have few letters
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
    let mut said = Pronunciation { phones, stresses };
    if has_ending {
        said.append_s();
    }
    Some(said)
}

/// The reading for which most speaks. `has_ending`: the word has an -s, so it is a noun or a verb.
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
    let beside_others =
        around.len() > 1 && !around.iter().enumerate().any(|(i, word)| i != place && is_english(word));
    let scores = Scores::new(&lower, place, words[at].0, at == 0);
    let speaks_for = |reading: &Reading| {
        let part = |part: &Part| match part {
            Part::Adjective | Part::Adverb | Part::Past if has_ending => f32::MIN,
            part => scores.of(*part),
        };
        let parts = reading.parts.iter().map(part).fold(f32::MIN, f32::max);
        let beside = usize::from(has(&reading.before, place.checked_sub(1)))
            + usize::from(has(&reading.after, Some(place + 1)));
        let near = near().filter(|word| reading.near.iter().any(|listed| listed == word)).count();
        let context = beside as f32 * BESIDE + near.min(MOST_NEAR) as f32 * NEAR;
        if beside_others { f32::from(u8::from(reading.mixed)) + context } else { parts + context }
    };
    // of those that are as likely, the first
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
