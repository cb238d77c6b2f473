//! Rows of the channel, smoothed and limited to a total size in bytes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::align::{Counts, Strings};
use crate::channel::{self, CONTEXTS, STEPS_PER_NAT, WIDEST};

/// Parts of a file that contain the channel.
pub(super) struct ChannelParts {
    pub(super) strings: Vec<u8>,
    pub(super) wide: Vec<u8>,
    pub(super) narrow: Vec<u8>,
    pub(super) rows: Vec<u8>,
}

/// Minimum probability of a string in a row, by kind of context.
const MIN_PROBABILITY: [f64; CONTEXTS.len()] = [1e-3, 5e-4, 2e-4, 1e-5];
/// Minimum number of occurrences of a context, by kind of context.
const MIN_OCCURRENCES: [f64; CONTEXTS.len()] = [3.0, 1.0, 0.5, 0.0];

type Row = BTreeMap<u32, f64>;

/// Returns the key of the next narrower context.
fn narrower(key: u64, context: usize) -> u64 {
    let digits = |place: usize| key >> (7 * place) & 0x7F;
    match context {
        // from five letters to the middle three
        0 => ((2 << 7 | digits(3)) << 7 | digits(2)) << 7 | digits(1),
        // from three to the last two
        1 => (3 << 7 | digits(1)) << 7 | digits(0),
        // from two to the first
        _ => 4 << 7 | digits(1),
    }
}

pub(super) fn write(strings: &Strings, counts: &Counts, bytes: usize) -> ChannelParts {
    let codes = strings.codes();
    let number: BTreeMap<u32, u8> =
        codes.iter().zip(0..=u8::MAX).map(|(code, number)| (*code, number)).collect();
    let mut rows: Vec<BTreeMap<u64, Row>> = vec![BTreeMap::new(); CONTEXTS.len()];
    // value of each context: the cost that it saves relative to the next narrower context, divided by the size of its
    // row
    let mut worth: Vec<(f64, usize, u64)> = Vec::new();
    for context in (0..CONTEXTS.len()).rev() {
        let mut made: BTreeMap<u64, Row> = BTreeMap::new();
        for (&key, seen) in &counts[context] {
            let total: f64 = seen.values().sum();
            if total < MIN_OCCURRENCES[context] {
                continue;
            }
            let parent = rows.get(context + 1).and_then(|rows| rows.get(&narrower(key, context)));
            let row = smoothed(seen, total, parent);
            if let Some(parent) = parent {
                let gain: f64 = seen
                    .iter()
                    .map(|(code, count)| count * (row[code] / parent.get(code).copied().unwrap_or(1e-6)).ln())
                    .sum();
                worth.push((gain / (6.0 + 2.0 * row.len().min(8) as f64), context, key));
            } else {
                worth.push((f64::MAX, context, key));
            }
            made.insert(key, row);
        }
        rows[context] = made;
    }
    worth.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut blob, mut begins): (Vec<u8>, Vec<(usize, u64, u32)>) = (Vec::new(), Vec::new());
    let mut known: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut written: BTreeSet<u64> = BTreeSet::new();
    for (gain, context, key) in worth {
        if gain <= 0.0 || blob.len() + begins.len() * 25 / 4 > bytes {
            break;
        }
        // a wide context is only found if the next narrower one has a row
        let parent = (context == WIDEST).then(|| (context + 1, narrower(key, context)));
        for (context, key) in parent.into_iter().chain([(context, key)]) {
            let Some(row) = rows[context].get(&key).filter(|_| written.insert(key)) else { continue };
            let mut likely: Vec<(u8, u8)> = row
                .iter()
                .filter(|(_, probability)| **probability > MIN_PROBABILITY[context])
                .filter_map(|(code, probability)| Some((*number.get(code)?, cost(*probability))))
                .collect();
            likely.sort_by_key(|&(number, cost)| (cost, number));
            likely.truncate(255);
            let mut row = vec![likely.len() as u8];
            row.extend(likely.into_iter().flat_map(|(number, cost)| [number, cost]));
            let at = *known.entry(row).or_insert_with_key(|row| {
                blob.extend_from_slice(row);
                blob.len() - row.len()
            });
            begins.push((context, key, at as u32));
        }
    }
    let (wide, narrow) = channel::write_contexts(&begins);
    ChannelParts {
        strings: codes.iter().flat_map(|code| code.to_le_bytes().into_iter().take(3)).collect(),
        wide,
        narrow,
        rows: blob,
    }
}

/// Returns the distribution of a context over strings, interpolated with that of the next narrower context, if there is
/// one (Witten & Bell, 1991). The rarer a context is, the more weight the narrower context has.
fn smoothed(seen: &Row, total: f64, parent: Option<&Row>) -> Row {
    let Some(parent) = parent else {
        return seen.iter().map(|(code, count)| (*code, count / total)).collect();
    };
    let kinds = seen.values().filter(|count| **count > 0.5).count().max(1) as f64;
    let mut row: Row = parent.iter().map(|(code, p)| (*code, p * kinds / (total + kinds))).collect();
    for (code, count) in seen {
        *row.entry(*code).or_default() += count / (total + kinds);
    }
    row
}

/// Returns the cost of a probability, rounded to an eighth of a nat, so that similar rows have equal bytes and are
/// stored once.
fn cost(probability: f64) -> u8 {
    let steps = (-probability.ln() * f64::from(STEPS_PER_NAT) / 2.0).round() * 2.0;
    steps.clamp(0.0, 255.0) as u8
}
