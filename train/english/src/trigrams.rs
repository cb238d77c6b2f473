//! Table of letter trigrams that distinguishes Indian spellings from English ones.

use crate::{HashSet, fold_of};

const ALPHABET: usize = 27;
const SIZE: usize = ALPHABET * ALPHABET * ALPHABET;
/// Number of table units per nat.
const SCALE: f64 = 16.0;
/// Weight, in counts, of the bigram estimate in the estimate of a trigram, and of the letter frequency in the estimate
/// of a bigram.
const PRIOR: f64 = 4.0;

fn symbols(word: &str) -> Vec<usize> {
    let letters = word.bytes().filter(u8::is_ascii_lowercase).map(|byte| usize::from(byte - b'a') + 1);
    [0, 0].into_iter().chain(letters).chain([0]).collect()
}

/// Returns the table of P(c | a, b), interpolated with P(c | b) and P(c).
fn conditional<'w>(words: impl Iterator<Item = &'w str>) -> Vec<f64> {
    let mut three = vec![0.0; SIZE];
    let mut two = vec![0.0; ALPHABET * ALPHABET];
    let mut one = vec![1.0; ALPHABET];
    for word in words {
        for window in symbols(word).windows(3) {
            three[(window[0] * ALPHABET + window[1]) * ALPHABET + window[2]] += 1.0;
            two[window[1] * ALPHABET + window[2]] += 1.0;
            one[window[2]] += 1.0;
        }
    }
    let all: f64 = one.iter().sum();
    let mut probabilities = vec![0.0; SIZE];
    for context in 0..ALPHABET * ALPHABET {
        let last = context % ALPHABET;
        let row = &three[context * ALPHABET..(context + 1) * ALPHABET];
        let shorter = &two[last * ALPHABET..(last + 1) * ALPHABET];
        let (row_total, shorter_total): (f64, f64) = (row.iter().sum(), shorter.iter().sum());
        for letter in 0..ALPHABET {
            let p2 = (shorter[letter] + PRIOR * one[letter] / all) / (shorter_total + PRIOR);
            probabilities[context * ALPHABET + letter] = (row[letter] + PRIOR * p2) / (row_total + PRIOR);
        }
    }
    probabilities
}

fn table<'w>(indian: impl Iterator<Item = &'w str>, english: impl Iterator<Item = &'w str>) -> Vec<u8> {
    let (indian, english) = (conditional(indian), conditional(english));
    indian
        .iter()
        .zip(&english)
        .map(|(i, e)| ((i / e).ln() * SCALE).round().clamp(-127.0, 127.0) as i8 as u8)
        .collect()
}

/// Builds the table from Indian words and the words of the English dictionary that are not among them.
pub fn build(indian: &[&str], english: &[&str]) -> Vec<u8> {
    let known: HashSet<&str> = indian.iter().copied().collect();
    table(indian.iter().copied(), english.iter().copied().filter(|word| !known.contains(word)))
}

/// Returns the log-likelihood ratio of a word's letters in Indian and in English words, in sixteenths of a nat.
pub fn score(table: &[u8], word: &str) -> i32 {
    let score_of = |window: &[usize]| table[(window[0] * ALPHABET + window[1]) * ALPHABET + window[2]] as i8;
    symbols(word).windows(3).map(|window| i32::from(score_of(window))).sum()
}

/// Prints, for a range of thresholds, the shares of unseen Indian words and of English words that are classified as
/// Indian.
pub fn cross_validate(indian: &[&str], english: &[&str]) {
    let known: HashSet<&str> = indian.iter().copied().collect();
    let english: Vec<&str> =
        english.iter().copied().filter(|word| word.len() >= 3 && !known.contains(word)).collect();
    let (mut found, mut mistaken) = (Vec::new(), Vec::new());
    for fold in 0..10 {
        let unseen = |word: &&str| fold_of(word) == fold;
        let table = table(
            indian.iter().copied().filter(|word| !unseen(word)),
            english.iter().copied().filter(|word| !unseen(word)),
        );
        found.extend(indian.iter().copied().filter(unseen).map(|word| score(&table, word)));
        mistaken.extend(english.iter().copied().filter(unseen).map(|word| score(&table, word)));
    }
    println!("threshold  Indian found  English taken for Indian");
    for threshold in (-50..=100).step_by(10) {
        let share = |scores: &[i32]| {
            100.0 * scores.iter().filter(|score| **score >= threshold).count() as f64 / scores.len() as f64
        };
        println!("{threshold:9}  {:10.1} %  {:22.1} %", share(&found), share(&mistaken));
    }
}
