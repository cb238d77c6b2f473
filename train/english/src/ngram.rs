//! Training of the joint n-gram model: interpolated modified Kneser-Ney (Chen & Goodman 1999), pruned by the weighted
//! difference of log probabilities (Seymore & Rosenfeld 1996), packed for `shruti_text::english::letter_to_sound`.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use shruti_text::english::letter_to_sound::{CHUNKS, COST_SCALE, MAGIC, chunk};

use crate::align::Graphone;
use crate::{HashMap, new_map};

/// An n-gram: up to nine graphone numbers of 12 bits each, the oldest in the highest bits. The numbers start at 1, so
/// that the length of an n-gram can be determined.
type Gram = u128;
const BITS: u32 = 12;
const MASK: Gram = (1 << BITS) - 1;

fn push(gram: Gram, item: u16) -> Gram {
    gram << BITS | Gram::from(item + 1)
}

fn last(gram: Gram) -> u16 {
    (gram & MASK) as u16 - 1
}

fn context(gram: Gram) -> Gram {
    gram >> BITS
}

/// Returns the gram without its oldest item. `len` is the length of `gram`.
fn suffix(gram: Gram, len: usize) -> Gram {
    gram & ((1 << (BITS * (len as u32 - 1))) - 1)
}

fn items(mut gram: Gram) -> Vec<u16> {
    let mut items = Vec::new();
    while gram != 0 {
        items.push(last(gram));
        gram = context(gram);
    }
    items.reverse();
    items
}

#[derive(Clone, Copy, Default)]
struct Entry {
    probability: f64,
    back_off: f64,
}

/// Training settings.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Maximum length of an n-gram.
    pub order: usize,
    /// Minimum improvement of the training log-likelihood, in bits, of an n-gram that is kept.
    pub prune: f64,
}

/// A trained model in packed form, with its numbers of graphones and n-grams.
pub struct Trained {
    pub bytes: Vec<u8>,
    pub graphones: usize,
    pub grams: usize,
}

/// Trains a model on graphone sequences and packs it.
pub fn train(sequences: &[&[Graphone]], settings: Settings) -> Result<Trained> {
    let inventory: BTreeSet<&Graphone> = sequences.iter().flat_map(|sequence| sequence.iter()).collect();
    let mut inventory: Vec<&Graphone> = inventory.into_iter().collect();
    inventory.sort_by_key(|graphone| (chunk(&graphone.letters), &graphone.sounds));
    let number: HashMap<&Graphone, u16> =
        inventory.iter().enumerate().map(|(index, graphone)| (*graphone, index as u16)).collect();
    let end = inventory.len() as u16;
    let start = end + 1;
    ensure!(u32::from(start) + 1 < 1 << BITS, "{} graphones do not fit {BITS} bits", inventory.len());
    ensure!((2..=9).contains(&settings.order), "the order must be in 2..=9");

    let order = settings.order;
    // raw[k - 1] contains the k-grams
    let mut raw: Vec<HashMap<Gram, u32>> = vec![new_map(); order];
    for sequence in sequences {
        let mut line = vec![start];
        line.extend(sequence.iter().map(|graphone| number[graphone]));
        line.push(end);
        for last_index in 1..line.len() {
            let mut gram: Gram = 0;
            for len in 1..=order.min(last_index + 1) {
                gram = line[last_index + 1 - len..=last_index].iter().fold(0, |gram, &item| push(gram, item));
                *raw[len - 1].entry(gram).or_default() += 1;
            }
            let _ = gram;
        }
    }
    let model = smooth(&raw, order, start, inventory.len() + 1);
    let model = prune(model, &raw, settings.prune, start);
    let grams = model.iter().map(BTreeMap::len).sum();
    let bytes = pack(&model, &inventory, start)?;
    Ok(Trained { bytes, graphones: inventory.len(), grams })
}

fn smooth(
    raw: &[HashMap<Gram, u32>],
    order: usize,
    start: u16,
    vocabulary: usize,
) -> Vec<BTreeMap<Gram, Entry>> {
    let mut model: Vec<BTreeMap<Gram, Entry>> = vec![BTreeMap::new(); order];
    for len in 1..=order {
        // count of each n-gram: its occurrences or, for n-grams below the full order, the number of distinct items
        // before it
        let mut counts: HashMap<Gram, u32> = new_map();
        if len == order {
            counts.clone_from(&raw[len - 1]);
        } else {
            for &gram in raw[len].keys() {
                *counts.entry(suffix(gram, len + 1)).or_default() += 1;
            }
            for (&gram, &count) in &raw[len - 1] {
                if items(gram)[0] == start {
                    counts.insert(gram, count);
                }
            }
        }
        let mut of_count = [0.0_f64; 5];
        for &count in counts.values() {
            if count <= 4 {
                of_count[count as usize] += 1.0;
            }
        }
        let y = of_count[1] / (of_count[1] + 2.0 * of_count[2]).max(1.0);
        let discount = |count: u32| {
            let c = count.min(3) as usize;
            (c as f64 - (c + 1) as f64 * y * of_count[c + 1] / of_count[c].max(1.0)).clamp(0.1, c as f64)
        };
        let mut totals: HashMap<Gram, (f64, f64)> = new_map();
        for (&gram, &count) in &counts {
            let total = totals.entry(context(gram)).or_default();
            total.0 += f64::from(count);
            total.1 += discount(count);
        }
        for (&gram, &count) in &counts {
            let (total, held_back) = totals[&context(gram)];
            let lower = if len == 1 {
                1.0 / vocabulary as f64
            } else {
                model[len - 2].get(&suffix(gram, len)).map_or(0.0, |entry| entry.probability)
            };
            let probability = (f64::from(count) - discount(count) + held_back * lower) / total;
            model[len - 1].insert(gram, Entry { probability, back_off: 1.0 });
        }
        for (gram, (total, held_back)) in totals {
            if len == 1 {
                continue;
            }
            // the context <s> alone is never predicted, so it has no entry yet
            model[len - 2].entry(gram).or_default().back_off = held_back / total;
        }
    }
    model
}

fn probability(model: &[BTreeMap<Gram, Entry>], gram: Gram, len: usize) -> f64 {
    if let Some(entry) = model[len - 1].get(&gram) {
        return entry.probability;
    }
    if len == 1 {
        return 1e-7;
    }
    let back_off = model[len - 2].get(&context(gram)).map_or(1.0, |entry| entry.back_off);
    back_off * probability(model, suffix(gram, len), len - 1)
}

fn prune(
    mut model: Vec<BTreeMap<Gram, Entry>>,
    raw: &[HashMap<Gram, u32>],
    threshold: f64,
    start: u16,
) -> Vec<BTreeMap<Gram, Entry>> {
    let order = model.len();
    for len in (2..=order).rev() {
        let needed: BTreeSet<Gram> = if len < order {
            model[len].keys().map(|&gram| context(gram)).collect()
        } else {
            BTreeSet::new()
        };
        let doomed: Vec<Gram> = model[len - 1]
            .iter()
            .filter(|(gram, _)| !needed.contains(gram))
            .filter(|(gram, entry)| {
                let back_off = model[len - 2].get(&context(**gram)).map_or(1.0, |entry| entry.back_off);
                let shorter = back_off * probability(&model, suffix(**gram, len), len - 1);
                let count = raw[len - 1].get(gram).copied().unwrap_or(0);
                f64::from(count) * (entry.probability / shorter).log2() < threshold
            })
            .map(|(&gram, _)| gram)
            .collect();
        for gram in doomed {
            model[len - 1].remove(&gram);
        }
    }
    // compute the back-off weights, shortest contexts first: the probability that the kept n-grams leave goes to
    // shorter contexts
    for len in 2..=order {
        let mut left: BTreeMap<Gram, (f64, f64)> = BTreeMap::new();
        for (&gram, entry) in &model[len - 1] {
            let shorter = probability(&model, suffix(gram, len), len - 1);
            let sums = left.entry(context(gram)).or_default();
            sums.0 += entry.probability;
            sums.1 += shorter;
        }
        let contexts: Vec<Gram> = model[len - 2].keys().copied().collect();
        for gram in contexts {
            let back_off = match left.get(&gram) {
                Some((kept, shorter)) => ((1.0 - kept).max(1e-4) / (1.0 - shorter).max(1e-4)).min(1.0),
                None => 1.0,
            };
            if let Some(entry) = model[len - 2].get_mut(&gram) {
                entry.back_off = back_off;
            }
        }
    }
    model[0].entry(push(0, start)).or_default();
    model
}

fn cost(probability: f64) -> u8 {
    (-probability.max(1e-9).log2() * COST_SCALE).round().clamp(0.0, 255.0) as u8
}

fn pack(model: &[BTreeMap<Gram, Entry>], inventory: &[&Graphone], start: u16) -> Result<Vec<u8>> {
    let order = model.len();
    let mut children: HashMap<Gram, Vec<Gram>> = new_map();
    for grams in &model[1..] {
        for &gram in grams.keys() {
            children.entry(context(gram)).or_default().push(gram);
        }
    }
    // The root's children are all graphones and the end, in order. The sentence start is never predicted, so its node
    // is not a child of any node and is placed after all other single items.
    let mut level: Vec<Gram> = (0..=inventory.len() as u16).map(|item| push(0, item)).collect();
    let mut nodes: Vec<(Gram, usize)> = vec![(0, 0)];
    let mut node_number: HashMap<Gram, usize> = new_map();
    node_number.insert(0, 0);
    let mut bounds: Vec<(usize, usize)> = Vec::new();
    let mut leaves: Vec<Gram> = Vec::new();
    bounds.push((1, 0));
    let start_gram = push(0, start);
    level.push(start_gram);
    for len in 1..=order {
        for &gram in &level {
            node_number.insert(gram, nodes.len());
            nodes.push((gram, len));
        }
        let first = nodes.len();
        let mut next = Vec::new();
        for gram in level {
            bounds.push((first + next.len(), leaves.len()));
            let mut below = children.remove(&gram).unwrap_or_default();
            below.sort_by_key(|&gram| last(gram));
            for gram in below {
                if children.contains_key(&gram) {
                    next.push(gram);
                } else {
                    leaves.push(gram);
                }
            }
        }
        level = next;
    }
    ensure!(nodes.len() < 1 << 24 && leaves.len() < 1 << 24, "the model has too many n-grams");
    // the children of the root end before the start node, whose children begin where the next level begins
    bounds.push((nodes.len(), leaves.len()));

    let mut bytes = Vec::new();
    bytes.extend_from_slice(MAGIC);
    let u16_bytes = |value: usize| (value as u16).to_le_bytes();
    let u24_bytes = |value: usize| [value as u8, (value >> 8) as u8, (value >> 16) as u8];
    bytes.extend(u16_bytes(inventory.len()));
    bytes.extend(u24_bytes(nodes.len()));
    bytes.extend(u24_bytes(leaves.len()));
    bytes.extend(u24_bytes(node_number[&start_gram]));
    for wanted in 0..=CHUNKS {
        let first = inventory.partition_point(|graphone| chunk(&graphone.letters).unwrap_or(CHUNKS) < wanted);
        bytes.extend(u16_bytes(first));
    }
    let mut at = 0;
    for graphone in inventory {
        bytes.extend(u16_bytes(at));
        at += graphone.sounds.len();
    }
    bytes.extend(u16_bytes(at));
    for graphone in inventory {
        bytes.extend_from_slice(&graphone.sounds);
    }
    for (&(gram, len), &(internal, leaf)) in nodes.iter().zip(&bounds) {
        let entry = if len == 0 { Entry { probability: 1.0, back_off: 1.0 } } else { model[len - 1][&gram] };
        bytes.extend(u16_bytes(if len == 0 { 0 } else { last(gram) as usize }));
        bytes.push(cost(entry.probability));
        bytes.push(cost(entry.back_off));
        bytes.extend(u24_bytes(internal));
        bytes.extend(u24_bytes(leaf));
        let mut shorter = if len == 0 { 0 } else { suffix(gram, len) };
        let mut shorter_len = len.saturating_sub(1);
        // if the suffix of a node is a leaf or was pruned, use the next shorter suffix
        while !node_number.contains_key(&shorter) {
            shorter = suffix(shorter, shorter_len);
            shorter_len -= 1;
        }
        bytes.extend(u24_bytes(node_number[&shorter]));
    }
    bytes.extend([0; 4]);
    bytes.extend(u24_bytes(nodes.len()));
    bytes.extend(u24_bytes(leaves.len()));
    bytes.extend([0; 3]);
    for gram in &leaves {
        let len = items(*gram).len();
        bytes.extend(u16_bytes(last(*gram) as usize));
        bytes.push(cost(model[len - 1][gram].probability));
    }
    Ok(bytes)
}
