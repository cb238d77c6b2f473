//! Making the tables of a language: from words and the ways people typed them, and from text.
//!
//! For the trainer in `train/romanised`; no part of a server.

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

/// A native word and a way it was typed, with how often.
pub struct Pair {
    /// The letters of the native word.
    pub units: Vec<Unit>,
    /// The Latin letters.
    pub roman: String,
    /// How often, or how much it counts.
    pub weight: f64,
}

/// What the tables of a language are made of. Sums are made in order, so that they are the same each time.
pub struct Material {
    /// The first code point of the script's block.
    pub block: u32,
    /// Words and the ways they were typed.
    pub pairs: Vec<Pair>,
    /// The words of text with their counts.
    pub words: BTreeMap<Vec<Unit>, f64>,
    /// How often two words stand side by side.
    pub bigrams: HashMap<(Vec<Unit>, Vec<Unit>), f64>,
}

/// How large the tables may be.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Words of the lexicon.
    pub words: usize,
    /// Bytes of all n-grams of letters.
    pub ngram_bytes: usize,
    /// Bytes of the channel's rows with their contexts.
    pub channel_bytes: usize,
    /// Pairs of words.
    pub pairs: usize,
}

/// The file of a language.
pub fn train(material: &Material, sizes: &Sizes, weights: Weights) -> Vec<u8> {
    let strings = align::Strings::fit(&material.pairs, material.block);
    let counts = strings.context_counts(&material.pairs, material.block);
    let channel = rows::write(&strings, &counts, sizes.channel_bytes);
    let ngrams = ngrams::write(material.words.keys(), sizes.ngram_bytes);
    let reader = Channel::new(&channel.strings, &channel.wide, &channel.narrow, &channel.rows);
    let kept = lexicon::most_frequent(&material.words, sizes.words);
    let written = lexicon::write(&kept, &reader, &material.pairs);
    let names: HashSet<&Vec<Unit>> = kept.iter().map(|(units, _)| *units).collect();
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

/// The pairs of words that tell most: for each by how much the second costs less behind the first.
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
        // absolute discounting, the rest by frequency
        let behind = (count - 0.7) / all + 0.7 * kinds / all * alone;
        let gain = (behind / alone).ln();
        if gain > 0.3 {
            gains.push((count * gain, pair_key(first, second), (gain * 16.0).min(255.0) as u8));
        }
    }
    gains.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    gains.truncate(most);
    hashed::write(gains.into_iter().map(|(_, key, gain)| (key, [gain])))
}

/// The likeliest ways to type a word, with their costs.
pub fn romanise(model: &Model<'_>, units: &[Unit], most: usize) -> Vec<(String, u32)> {
    model.channel.romanise(units, most)
}

impl Model<'_> {
    /// Whether the lexicon has a word where it is looked for when it is typed like this.
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

/// The ways the words of a language are typed, with their probabilities.
pub fn forms(material: &Material, model: &Model<'_>, words: usize) -> Forms {
    let mut forms = Forms::new();
    for (units, cost) in lexicon::most_frequent(&material.words, words) {
        let p = (-cost).exp();
        for (form, cost) in model.channel.romanise(units, 8) {
            *forms.entry(form).or_default() +=
                p * (-f64::from(cost) / f64::from(crate::channel::STEPS_A_NAT)).exp();
        }
    }
    forms
}
