//! Many-to-many alignment of letters and sounds by expectation maximisation (Jiampojamarn, Kondrak & Sherif 2007).

use crate::{HashMap, new_map};

use shruti_text::english::letter_to_sound::{CHUNKS, chunk};

/// A graphone: a letter chunk and the sounds that it represents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Graphone {
    pub letters: Vec<u8>,
    pub sounds: Vec<u8>,
}

/// A word to be aligned: letters `a`–`z` and sound codes below 128.
#[derive(Clone, Debug)]
pub struct Example {
    pub letters: Vec<u8>,
    pub sounds: Vec<u8>,
}

/// Possible numbers of letters and sounds in a graphone: one letter and up to two sounds, or two letters and one sound.
const SHAPES: [(usize, usize); 4] = [(1, 0), (1, 1), (1, 2), (2, 1)];
const ITERATIONS: usize = 12;
/// Minimum count of a regular graphone. Rarer graphones are considered errors of the dictionary or of the alignment.
const RAREST: u32 = 4;

type Key = (u16, u8, u8);
const NONE: u8 = 255;

fn key(letters: &[u8], sounds: &[u8]) -> Key {
    let chunk = chunk(letters).expect("examples contain only letters a-z");
    debug_assert!(chunk < CHUNKS);
    (chunk as u16, sounds.first().copied().unwrap_or(NONE), sounds.get(1).copied().unwrap_or(NONE))
}

/// An aligned example.
#[derive(Clone, Debug)]
pub struct Aligned {
    pub graphones: Vec<Graphone>,
    /// `true` if all graphones are frequent enough to be spelling rules.
    pub regular: bool,
}

/// Returns the alignment of each example, or `None` if the example cannot be aligned, for example an initialism or an
/// error. During alignment, sounds that `fold` maps to the same code count as equal.
pub fn align(examples: &[Example], fold: impl Fn(u8) -> u8) -> Vec<Option<Aligned>> {
    let folded: Vec<Example> = examples
        .iter()
        .map(|e| Example { letters: e.letters.clone(), sounds: e.sounds.iter().map(|&s| fold(s)).collect() })
        .collect();
    let mut weights: HashMap<Key, f64> = new_map();
    for iteration in 0..ITERATIONS {
        let mut counts: HashMap<Key, f64> = new_map();
        for example in &folded {
            collect(example, &weights, iteration == 0, &mut counts);
        }
        let total: f64 = counts.values().sum();
        weights = counts.into_iter().map(|(key, count)| (key, count / total)).collect();
    }
    let paths: Vec<_> = folded.iter().map(|example| best_path(example, &weights)).collect();
    let mut regular = vec![true; paths.len()];
    // twice, because dropping words with rare graphones makes other graphones rare
    for _ in 0..2 {
        let keys = |index: usize| {
            let example: &Example = &folded[index];
            paths[index].iter().flatten().map(|(letters, sounds)| {
                key(&example.letters[letters.clone()], &example.sounds[sounds.clone()])
            })
        };
        let mut seen: HashMap<Key, u32> = new_map();
        for index in (0..paths.len()).filter(|&index| regular[index]) {
            for key in keys(index) {
                *seen.entry(key).or_default() += 1;
            }
        }
        for (index, regular) in regular.iter_mut().enumerate() {
            *regular = keys(index).all(|key| seen.get(&key).is_some_and(|&count| count >= RAREST));
        }
    }
    examples
        .iter()
        .zip(paths)
        .zip(regular)
        .map(|((example, path), regular)| {
            let graphones = path?
                .into_iter()
                .map(|(letters, sounds)| Graphone {
                    letters: example.letters[letters].to_vec(),
                    sounds: example.sounds[sounds].to_vec(),
                })
                .collect();
            Some(Aligned { graphones, regular })
        })
        .collect()
}

fn weight(weights: &HashMap<Key, f64>, first: bool, letters: &[u8], sounds: &[u8]) -> f64 {
    if first {
        // in the first iteration, graphones with as many letters as sounds are the most likely
        return if letters.len() == sounds.len() { 0.1 } else { 0.01 };
    }
    weights.get(&key(letters, sounds)).copied().unwrap_or(0.0)
}

fn edges(example: &Example, i: usize, j: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    SHAPES
        .iter()
        .copied()
        .filter(move |(l, s)| i + l <= example.letters.len() && j + s <= example.sounds.len())
}

fn collect(example: &Example, weights: &HashMap<Key, f64>, first: bool, counts: &mut HashMap<Key, f64>) {
    let (n, m) = (example.letters.len(), example.sounds.len());
    let at = |i: usize, j: usize| i * (m + 1) + j;
    let mut forward = vec![0.0; (n + 1) * (m + 1)];
    let mut backward = forward.clone();
    forward[0] = 1.0;
    for i in 0..n {
        for j in 0..=m {
            for (l, s) in edges(example, i, j) {
                let p = weight(weights, first, &example.letters[i..i + l], &example.sounds[j..j + s]);
                forward[at(i + l, j + s)] += forward[at(i, j)] * p;
            }
        }
    }
    let total = forward[at(n, m)];
    if total <= 0.0 {
        return;
    }
    backward[at(n, m)] = 1.0;
    for i in (0..n).rev() {
        for j in (0..=m).rev() {
            for (l, s) in edges(example, i, j) {
                let (letters, sounds) = (&example.letters[i..i + l], &example.sounds[j..j + s]);
                let after = backward[at(i + l, j + s)];
                let p = weight(weights, first, letters, sounds);
                if after <= 0.0 || p <= 0.0 {
                    continue;
                }
                backward[at(i, j)] += p * after;
                let posterior = forward[at(i, j)] * p * after / total;
                if posterior > 1e-9 {
                    *counts.entry(key(letters, sounds)).or_default() += posterior;
                }
            }
        }
    }
}

type Path = Vec<(std::ops::Range<usize>, std::ops::Range<usize>)>;

fn best_path(example: &Example, weights: &HashMap<Key, f64>) -> Option<Path> {
    let (n, m) = (example.letters.len(), example.sounds.len());
    let at = |i: usize, j: usize| i * (m + 1) + j;
    let mut best = vec![(f64::NEG_INFINITY, (0, 0)); (n + 1) * (m + 1)];
    best[0].0 = 0.0;
    for i in 0..n {
        for j in 0..=m {
            for (l, s) in edges(example, i, j) {
                let p = weight(weights, false, &example.letters[i..i + l], &example.sounds[j..j + s]);
                let score = best[at(i, j)].0 + p.ln();
                if score > best[at(i + l, j + s)].0 {
                    best[at(i + l, j + s)] = (score, (l, s));
                }
            }
        }
    }
    if best[at(n, m)].0 == f64::NEG_INFINITY {
        return None;
    }
    let (mut i, mut j) = (n, m);
    let mut steps = Vec::new();
    while i > 0 {
        let (l, s) = best[at(i, j)].1;
        steps.push((i - l..i, j - s..j));
        (i, j) = (i - l, j - s);
    }
    steps.reverse();
    Some(steps)
}
