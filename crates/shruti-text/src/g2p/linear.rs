//! Linear classifiers over the spelling of a word, for sounds that the rules of a language do not determine.
//!
//! An averaged perceptron (Collins, 2002) has a weight per class for every known combination of feature values; the
//! class with the greatest sum wins. The weights are in a text file. A line `[kind class class ...]` begins a
//! classifier. A line `@ feature+feature` names a combination of features. Each line after it contains values of these
//! features and one weight per class: `value|value<TAB>weight weight ...`.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};

use foldhash::fast::FixedState;

use super::spelling::Spelling;

/// Maximum number of classes of a classifier; no ambiguous letter has more.
const MAX_ANSWERS: usize = 4;

/// Classifier for one kind of ambiguous letter.
#[derive(Debug, Default)]
pub(crate) struct Linear {
    answers: Vec<String>,
    templates: Vec<Template>,
    /// Indices of the features that the templates use.
    features: Vec<u8>,
    weights: HashMap<u64, [i8; MAX_ANSWERS], BuildHasherDefault<IdentityHasher>>,
}

/// Combination of features, by their indices.
#[derive(Debug)]
struct Template {
    features: Vec<u8>,
    /// Hash of the template's index, from which the hashes of its values are computed.
    seed: u64,
}

impl Linear {
    /// Parses the classifiers of a file and returns them by kind. Invalid lines are skipped; the tests of the language
    /// check that there are none.
    pub(crate) fn read(text: &str) -> HashMap<String, Self> {
        let mut all = HashMap::new();
        let mut name = String::new();
        let mut current = Self::default();
        for line in text.lines().filter(|line| !line.starts_with("# ")) {
            if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                all.insert(std::mem::take(&mut name), std::mem::take(&mut current));
                let mut words = header.split(' ').map(str::to_owned);
                name = words.next().unwrap_or_default();
                current.answers = words.take(MAX_ANSWERS).collect();
            } else if let Some(template) = line.strip_prefix("@ ") {
                let features: Vec<u8> = template.split('+').filter_map(Spelling::feature).collect();
                let seed = hash(&[current.templates.len() as u8 + 1]);
                current.features.extend(&features);
                current.features.sort_unstable();
                current.features.dedup();
                current.templates.push(Template { features, seed });
            } else if let Some((key, weights)) = current.entry(line) {
                current.weights.insert(key, weights);
            }
        }
        all.insert(name, current);
        all
    }

    fn entry(&self, line: &str) -> Option<(u64, [i8; MAX_ANSWERS])> {
        let (values, numbers) = line.split_once('\t')?;
        let seed = self.templates.last()?.seed;
        let key = values.split('|').fold(seed, |state, value| join(state, hash(value.as_bytes())));
        let mut weights = [0; MAX_ANSWERS];
        for (weight, number) in weights.iter_mut().zip(numbers.split(' ')) {
            *weight = number.parse().ok()?;
        }
        Some((key, weights))
    }

    /// Returns the class of an ambiguous letter of the akshara at index `akshara`.
    pub(crate) fn decide(&self, spelling: &Spelling, akshara: usize) -> &str {
        let mut sums = [0_i32; MAX_ANSWERS];
        let mut codes = [0_u64; Spelling::FEATURES.len()];
        for &feature in &self.features {
            codes[feature as usize] = hash(spelling.value(feature, akshara).as_bytes());
        }
        for template in &self.templates {
            let features = template.features.iter();
            let key = features.fold(template.seed, |state, &feature| join(state, codes[feature as usize]));
            if let Some(weights) = self.weights.get(&key) {
                for (sum, &weight) in sums.iter_mut().zip(weights) {
                    *sum += i32::from(weight);
                }
            }
        }
        let best = (0..self.answers.len()).reduce(|best, i| if sums[i] > sums[best] { i } else { best });
        best.map_or("", |best| &self.answers[best])
    }

    /// Returns the number of combinations of values that have weights.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.weights.len()
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

/// Combines two hashes. The result depends on their order.
fn join(state: u64, value: u64) -> u64 {
    let mixed = (state.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}

/// Hasher for keys that are already hashes.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = join(self.0, hash(bytes));
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::akshara;

    #[test]
    fn highest_sum_wins() {
        let text = "# a comment\n[vowel A B]\n@ from_start\n0\t5 0\n@ own+next\nक|म\t-9 1\n";
        let all = Linear::read(text);
        let decide = |word: &str| all["vowel"].decide(&Spelling::new(&akshara::parse(word)), 0).to_owned();
        assert_eq!(decide("গলা"), "A");
        assert_eq!(decide("কমলা"), "B");
        assert_eq!(all["vowel"].len(), 2);
    }
}
