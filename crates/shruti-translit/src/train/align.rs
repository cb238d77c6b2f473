//! Alignment of Latin and native letters by expectation maximisation (Dempster, Laird & Rubin, 1977), over all ways to
//! divide a typed word into one string per native letter.

use std::collections::BTreeMap;

use super::Pair;
use crate::channel::{CONTEXTS, LONGEST_STRING, MAX_STRINGS, around, context_key, string_code};
use crate::units::{LAST_VIRAMA, Unit, is_consonant, is_vowel};

const ROUNDS: usize = 6;

/// Latin strings that represent each letter, regardless of context.
pub(super) struct Strings {
    /// Probability of each string for each letter.
    probability: BTreeMap<(Unit, u32), f64>,
    block: u32,
}

/// Counts of the Latin strings that represent letters: for each kind of context, a map from the key of a context to the
/// count of each string.
pub(super) type Counts = Vec<BTreeMap<u64, BTreeMap<u32, f64>>>;

/// Returns whether a native letter can be typed as these Latin letters.
fn may_be(unit: Unit, letters: &[u8], block: u32) -> bool {
    let all = |set: &[u8]| letters.iter().all(|letter| set.contains(letter));
    let vowels = || letters.iter().any(|letter| b"aeiou".contains(letter));
    if letters.is_empty() {
        return true;
    }
    match unit {
        0x0B | 0x60 | 0x0C => all(b"rliuehy"),
        _ if is_vowel(unit) || unit == LAST_VIRAMA => all(b"aeiouyhw"),
        0x01 | 0x02 | 0x70 if unit != 0x70 || block == 0x0A00 => all(b"nmg"),
        0x03 if block == 0x0B80 => all(b"akhfq"),
        0x03 => all(b"ahk"),
        // an addak is typed as the first half of a double consonant
        0x71 if block == 0x0A00 => letters.len() == 1 && !vowels(),
        // some people type y and v as vowels
        0x2F | 0x5F | 0x35 | 0x71 if is_consonant(unit, block) => !vowels() || letters.len() == 1,
        _ => !vowels() && letters.len() <= 3 || letters == b"chch",
    }
}

impl Strings {
    pub(super) fn fit(pairs: &[Pair], block: u32) -> Self {
        let mut strings = Self { probability: BTreeMap::new(), block };
        for round in 0..ROUNDS {
            let mut counts: BTreeMap<(Unit, u32), f64> = BTreeMap::new();
            for pair in pairs {
                strings.align(pair, round == 0, |at, code, share| {
                    *counts.entry((pair.units[at], code)).or_default() += share * pair.weight;
                });
            }
            let mut sums: BTreeMap<Unit, f64> = BTreeMap::new();
            for ((unit, _), count) in &counts {
                *sums.entry(*unit).or_default() += count;
            }
            strings.probability = counts
                .into_iter()
                .map(|((unit, code), count)| ((unit, code), count / sums[&unit]))
                .filter(|(_, probability)| *probability > 1e-5)
                .collect();
        }
        strings.keep_most();
        strings
    }

    /// Drops the rarest strings, so that the number of a string fits in one byte.
    fn keep_most(&mut self) {
        let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
        for ((_, code), probability) in &self.probability {
            *sums.entry(*code).or_default() += probability;
        }
        let mut codes: Vec<(u32, f64)> = sums.into_iter().collect();
        codes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        codes.truncate(MAX_STRINGS - 1);
        let selected: std::collections::BTreeSet<u32> = codes.into_iter().map(|(code, _)| code).collect();
        self.probability.retain(|(_, code), _| selected.contains(code));
    }

    /// Returns the codes of all strings, in ascending order.
    pub(super) fn codes(&self) -> Vec<u32> {
        let mut codes: Vec<u32> = self.probability.keys().map(|(_, code)| *code).collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    /// Calls `take` for each way in which a Latin string can represent a letter of a pair. The last argument of `take`
    /// is the posterior probability of this alignment over all divisions of the typed word.
    fn align(&self, pair: &Pair, first: bool, mut take: impl FnMut(usize, u32, f64)) {
        let roman = pair.roman.as_bytes();
        let (rows, columns) = (pair.units.len(), roman.len());
        let probability = |at: usize, from: usize, length: usize| -> f64 {
            let letters = &roman[from..from + length];
            if first {
                if !may_be(pair.units[at], letters, self.block) {
                    return 0.0;
                }
                return [0.02, 1.0, 0.5, 0.2, 0.05][length];
            }
            self.probability.get(&(pair.units[at], string_code(letters))).copied().unwrap_or(0.0)
        };
        let mut forward = vec![vec![0.0; columns + 1]; rows + 1];
        forward[0][0] = 1.0;
        let mut steps = Vec::new();
        for at in 0..rows {
            for from in 0..=columns {
                if forward[at][from] == 0.0 {
                    continue;
                }
                for length in 0..=LONGEST_STRING.min(columns - from) {
                    let p = probability(at, from, length);
                    if p > 0.0 {
                        forward[at + 1][from + length] += forward[at][from] * p;
                        steps.push((at, from, length, p));
                    }
                }
            }
        }
        let all = forward[rows][columns];
        if all <= 0.0 {
            return;
        }
        let mut backward = vec![vec![0.0; columns + 1]; rows + 1];
        backward[rows][columns] = 1.0;
        for &(at, from, length, p) in steps.iter().rev() {
            backward[at][from] += backward[at + 1][from + length] * p;
        }
        for (at, from, length, p) in steps {
            let share = forward[at][from] * p * backward[at + 1][from + length] / all;
            if share > 0.005 {
                take(at, string_code(&roman[from..from + length]), share);
            }
        }
    }

    pub(super) fn context_counts(&self, pairs: &[Pair], _block: u32) -> Counts {
        let mut counts: Counts = vec![BTreeMap::new(); CONTEXTS.len()];
        for pair in pairs {
            self.align(pair, false, |at, code, share| {
                let around = around(&pair.units, at);
                for (context, counts) in counts.iter_mut().enumerate() {
                    let row = counts.entry(context_key(around, context)).or_default();
                    *row.entry(code).or_default() += share * pair.weight;
                }
            });
        }
        counts
    }
}
