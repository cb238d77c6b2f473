//! Letter n-grams of the words of a language; each word counts once.

use std::collections::{BTreeMap, BTreeSet};

use crate::channel::STEPS_PER_NAT;
use crate::spelling::{self, NGRAM_BYTES, ORDER};
use crate::units::{EDGE, Unit};

const DISCOUNT: f64 = 0.8;

#[derive(Default)]
struct Context {
    next: BTreeMap<Unit, f64>,
}

pub(super) fn write<'w>(words: impl Iterator<Item = &'w Vec<Unit>>, bytes: usize) -> Vec<u8> {
    // contexts by length: the longest contexts count every occurrence of a letter, and the shorter ones count each
    // distinct preceding letter once
    let mut contexts: Vec<BTreeMap<u64, Context>> = (0..ORDER).map(|_| BTreeMap::new()).collect();
    let mut raw: Vec<BTreeMap<u64, f64>> = (0..=ORDER).map(|_| BTreeMap::new()).collect();
    for units in words {
        let mut digits: u64 = u64::from(EDGE);
        for (before, &unit) in units.iter().chain(&[EDGE]).enumerate() {
            for length in 0..=(before + 1).min(ORDER - 1) {
                let context = digits & ((1 << (7 * length)) - 1);
                *raw[length + 1].entry(context << 7 | u64::from(unit)).or_default() += 1.0;
                let longest = length == ORDER - 1 || length == before + 1;
                if longest {
                    *contexts[length].entry(context).or_default().next.entry(unit).or_default() += 1.0;
                }
            }
            digits = (digits << 7 | u64::from(unit)) & ((1 << (7 * (ORDER - 1))) - 1);
        }
    }
    for length in (1..ORDER).rev() {
        let (shorter, longer) = contexts.split_at_mut(length);
        for (context, kinds) in &longer[0] {
            let entry = shorter[length - 1].entry(context & ((1 << (7 * (length - 1))) - 1)).or_default();
            for unit in kinds.next.keys() {
                *entry.next.entry(*unit).or_default() += 1.0;
            }
        }
    }
    let probabilities = interpolated(&contexts);
    let selected = prune(&probabilities, &raw, bytes);
    encode(&probabilities, &selected)
}

/// For each length of context, the probability of each letter after each context.
type Probabilities = Vec<BTreeMap<u64, BTreeMap<Unit, f64>>>;

fn interpolated(contexts: &[BTreeMap<u64, Context>]) -> Probabilities {
    let mut made: Probabilities = Vec::new();
    for (length, contexts) in contexts.iter().enumerate() {
        let mut level = BTreeMap::new();
        for (&context, seen) in contexts {
            let total: f64 = seen.next.values().sum();
            let rest = DISCOUNT.min(1.0) * seen.next.len() as f64 / total;
            let shorter = length
                .checked_sub(1)
                .and_then(|shorter| made[shorter].get(&(context & ((1 << (7 * shorter)) - 1))));
            let row = seen
                .next
                .iter()
                .map(|(&unit, count)| {
                    let lower = shorter.and_then(|row| row.get(&unit)).copied().unwrap_or(1.0 / 100.0);
                    (unit, (count - DISCOUNT) / total + rest * lower)
                })
                .collect();
            level.insert(context, row);
        }
        made.push(level);
    }
    made
}

/// Selects the most valuable n-grams that fit in `bytes` bytes. The value of an n-gram is its count multiplied by the
/// difference between the costs of its last letter in its own context and in the next shorter context.
fn prune(probabilities: &Probabilities, raw: &[BTreeMap<u64, f64>], bytes: usize) -> Levels {
    let mut worth: Vec<(f64, usize, u64, Unit)> = Vec::new();
    for (length, level) in probabilities.iter().enumerate() {
        for (&context, row) in level {
            for (&unit, &p) in row {
                let count = raw[length + 1].get(&(context << 7 | u64::from(unit))).copied().unwrap_or(0.0);
                let gain = match length.checked_sub(1) {
                    None => f64::MAX,
                    Some(shorter) => {
                        let lower = probabilities[shorter]
                            .get(&(context & ((1 << (7 * shorter)) - 1)))
                            .and_then(|row| row.get(&unit))
                            .copied()
                            .unwrap_or(1e-4);
                        count * (p / lower).ln().abs()
                    }
                };
                worth.push((gain, length, context, unit));
            }
        }
    }
    worth.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2, a.3).cmp(&(b.1, b.2, b.3))));
    let mut selected = SelectedNgrams { levels: vec![BTreeMap::new(); probabilities.len()], bytes: 0 };
    for (_, length, context, unit) in worth {
        if selected.bytes >= bytes {
            break;
        }
        selected.add(length, context, unit);
    }
    selected.levels
}

/// For each length of context, the letters that are kept after each context.
type Levels = Vec<BTreeMap<u64, BTreeSet<Unit>>>;

/// Selected n-grams, with their size in bytes.
struct SelectedNgrams {
    levels: Levels,
    bytes: usize,
}

impl SelectedNgrams {
    /// Adds an n-gram and, if it is missing, the n-gram that is its context.
    fn add(&mut self, length: usize, context: u64, unit: Unit) {
        if !self.levels[length].contains_key(&context) {
            if let Some(shorter) = length.checked_sub(1) {
                self.add(shorter, context >> 7, (context & 0x7F) as Unit);
                self.bytes += NGRAM_BYTES.0 - NGRAM_BYTES.1;
            }
        }
        if self.levels[length].entry(context).or_default().insert(unit) {
            self.bytes += NGRAM_BYTES.1;
        }
    }
}

fn encode(probabilities: &Probabilities, selected: &Levels) -> Vec<u8> {
    let mut ngrams: BTreeMap<Vec<Unit>, (u8, Option<u8>)> = BTreeMap::new();
    // back-off factor of each context: the probability that its kept letters leave for other letters, divided by the
    // probability that the same letters leave in the next shorter context
    let mut backing: Vec<BTreeMap<u64, f64>> = vec![BTreeMap::new(); selected.len()];
    for (length, contexts) in selected.iter().enumerate() {
        for (&context, units) in contexts {
            let p = |unit: &Unit| backed_off(probabilities, selected, &backing, context, length, *unit);
            if let Some(shorter) = length.checked_sub(1) {
                let own: f64 = units.iter().map(p).sum();
                let without = |unit: &Unit| {
                    backed_off(probabilities, selected, &backing, cut(context, shorter), shorter, *unit)
                };
                let lower: f64 = units.iter().map(without).sum();
                let back = ((1.0 - own).max(1e-3) / (1.0 - lower).max(1e-3)).min(1.0);
                backing[length].insert(context, back);
            }
            let letters = (0..length).rev().map(|place| (context >> (7 * place) & 0x7F) as Unit);
            let letters: Vec<Unit> = letters.collect();
            for unit in units {
                let p = backed_off(probabilities, selected, &backing, context, length, *unit);
                ngrams.insert([&letters[..], &[*unit]].concat(), (cost(p), None));
            }
            if let Some((_, back)) = ngrams.get_mut(&letters) {
                *back = backing[length].get(&context).map(|back| cost(*back));
            }
        }
    }
    spelling::write(&ngrams)
}

/// Returns the last `length` letters of a context.
fn cut(context: u64, length: usize) -> u64 {
    context & ((1 << (7 * length)) - 1)
}

/// Returns the probability of a letter after a context, using only kept n-grams. The shorter contexts must already be
/// encoded.
fn backed_off(
    probabilities: &Probabilities,
    kept: &Levels,
    backing: &[BTreeMap<u64, f64>],
    context: u64,
    length: usize,
    unit: Unit,
) -> f64 {
    let is_kept = kept[length].get(&context).is_some_and(|units| units.contains(&unit));
    let seen = || probabilities[length].get(&context)?.get(&unit).copied();
    if let Some(p) = is_kept.then(seen).flatten() {
        return p;
    }
    let Some(shorter) = length.checked_sub(1) else { return 1e-5 };
    let back = backing[length].get(&context).copied().unwrap_or(1.0);
    back * backed_off(probabilities, kept, backing, cut(context, shorter), shorter, unit)
}

fn cost(probability: f64) -> u8 {
    (-probability.ln() * f64::from(STEPS_PER_NAT)).round().clamp(0.0, 254.0) as u8
}
