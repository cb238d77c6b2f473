//! Training of the tables of a language, from words with their romanisations and from text.
//!
//! The trainer in `train/romanised` uses this module. Servers are built without it.

mod align;
mod languages;
mod lexicon;
mod ngrams;
mod rows;

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::channel::Channel;
use crate::hashed;
use crate::model::{self, Model, PARTS, Weights, pair_key};
use crate::units::Unit;

pub use languages::{Forms, write_languages};

/// Native word with one of its romanisations and its frequency.
pub struct Pair {
    /// Letters of the native word.
    pub units: Vec<Unit>,
    /// Romanised word.
    pub roman: String,
    /// Frequency, or weight, of the pair.
    pub weight: f64,
}

/// Training data of a language. Sums over the data are computed in a fixed order, so that the result is reproducible.
pub struct Material {
    /// First code point of the script's block.
    pub block: u32,
    /// Words with their romanisations.
    pub pairs: Vec<Pair>,
    /// Words of text with their counts.
    pub words: BTreeMap<Vec<Unit>, f64>,
    /// Counts of pairs of adjacent words.
    pub bigrams: HashMap<(Vec<Unit>, Vec<Unit>), f64>,
}

/// Size limits of the tables.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Maximum number of words in the lexicon.
    pub words: usize,
    /// Maximum total size of the letter n-grams, in bytes.
    pub ngram_bytes: usize,
    /// Maximum size of the channel's rows with their contexts, in bytes.
    pub channel_bytes: usize,
    /// Maximum number of word pairs.
    pub pairs: usize,
}

/// Trains the tables of a language and returns the content of its file.
pub fn train(material: &Material, sizes: &Sizes, weights: Weights) -> Vec<u8> {
    let strings = align::Strings::fit(&material.pairs, material.block);
    let counts = strings.context_counts(&material.pairs, material.block);
    let channel = rows::write(&strings, &counts, sizes.channel_bytes);
    let ngrams = ngrams::write(material.words.keys(), sizes.ngram_bytes);
    let reader = Channel::new(&channel.strings, &channel.wide, &channel.narrow, &channel.rows);
    let words = lexicon::most_frequent(&material.words, sizes.words);
    let written = lexicon::write(&words, &reader, &material.pairs);
    let names: HashSet<&Vec<Unit>> = words.iter().map(|(units, _)| *units).collect();
    let pairs = write_pairs(material, &names, sizes.pairs);
    let parts: [Vec<u8>; PARTS] = [
        weights.to_bytes(),
        channel.strings,
        channel.wide,
        channel.narrow,
        channel.rows,
        ngrams,
        written.slots,
        written.codes,
        written.words,
        pairs,
    ];
    println!("bytes of the parts: {:?}", parts.each_ref().map(Vec::len));
    model::write(&parts)
}

/// Returns the table of the most informative word pairs, each with the reduction in cost of the second word after the
/// first.
fn write_pairs(material: &Material, names: &HashSet<&Vec<Unit>>, most: usize) -> Vec<u8> {
    let total: f64 = material.words.values().sum();
    let mut bigrams: Vec<_> = material.bigrams.iter().collect();
    bigrams.sort_unstable_by_key(|(words, _)| *words);
    let mut followed: HashMap<&Vec<Unit>, (f64, f64)> = HashMap::new();
    for ((first, _), count) in &bigrams {
        let entry = followed.entry(first).or_default();
        entry.0 += **count;
        entry.1 += 1.0;
    }
    let mut gains: Vec<(f64, u64, u8)> = Vec::new();
    for ((first, second), count) in bigrams {
        if *count < 2.0 || !names.contains(first) || !names.contains(second) {
            continue;
        }
        let alone = material.words[second] / total;
        let (all, kinds) = followed[first];
        // absolute discounting, with the remaining mass distributed by frequency
        let after = (count - 0.7) / all + 0.7 * kinds / all * alone;
        let gain = (after / alone).ln();
        if gain > 0.3 {
            gains.push((count * gain, pair_key(first, second), (gain * 16.0).min(255.0) as u8));
        }
    }
    gains.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    gains.truncate(most);
    hashed::write(gains.into_iter().map(|(_, key, gain)| (key, [gain])))
}

/// Returns up to `most` romanisations of a word with their costs, the likeliest first.
pub fn romanise(model: &Model<'_>, units: &[Unit], most: usize) -> Vec<(String, u32)> {
    model.channel.romanise(units, most)
}

impl Model<'_> {
    /// Returns whether a lookup of the romanisation `typed` finds the word in the lexicon.
    pub fn knows(&self, units: &[Unit], typed: &str) -> bool {
        let Some(roman) = crate::roman::Roman::new(typed) else { return false };
        let (mut slot, mut word) = (self.lexicon.slot(roman.skeleton()), crate::code::Word::EMPTY);
        while slot.next(&mut word).is_some() {
            if word.units() == units {
                return true;
            }
        }
        false
    }
}

/// Returns the romanisations of the `words` most frequent words of a language, with their probabilities.
pub fn forms(material: &Material, model: &Model<'_>, words: usize) -> Forms {
    let mut forms = Forms::new();
    for (units, cost) in lexicon::most_frequent(&material.words, words) {
        let p = (-cost).exp();
        for (form, cost) in model.channel.romanise(units, 8) {
            *forms.entry(form).or_default() +=
                p * (-f64::from(cost) / f64::from(crate::channel::STEPS_PER_NAT)).exp();
        }
    }
    forms
}
