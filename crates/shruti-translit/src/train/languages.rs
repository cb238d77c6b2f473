//! Joint table of all languages.

use std::collections::BTreeMap;

use shruti_lang::Language;

use crate::hashed;
use crate::languages::{ALPHABET, COSTS, MAGIC, NOT_LISTED, STEP, TRIGRAMS, rows, word_key};

/// Romanised words of a language with their probabilities; ordered, so that sums are reproducible.
pub type Forms = BTreeMap<String, f64>;

/// Returns the content of the file of all languages. For each language, `most` contains the maximum number of forms to
/// include; the most frequent forms are selected.
pub fn write_languages(forms: &[Forms], most: &[usize]) -> Vec<u8> {
    let mut file = MAGIC.to_vec();
    for forms in forms {
        file.extend(trigrams(forms));
    }
    let mut costs: BTreeMap<&str, [u8; Language::FINISHED.len()]> = BTreeMap::new();
    for (forms, most) in forms.iter().zip(most) {
        let mut sorted: Vec<(&String, &f64)> = forms.iter().collect();
        sorted.sort_by(|a, b| b.1.total_cmp(a.1).then(a.0.cmp(b.0)));
        for (form, _) in sorted.into_iter().take(*most) {
            costs.insert(form, [NOT_LISTED; Language::FINISHED.len()]);
        }
    }
    for (at, forms) in forms.iter().enumerate() {
        for (form, costs) in &mut costs {
            if let Some(p) = forms.get(*form) {
                costs[at] = (-p.ln() / f64::from(STEP)).round().clamp(0.0, f64::from(NOT_LISTED)) as u8;
            }
        }
    }
    let mut entries: Vec<(u64, [u8; COSTS])> = costs
        .into_iter()
        .map(|(form, costs)| {
            let mut pairs = [0; COSTS];
            for (at, cost) in costs.into_iter().enumerate() {
                pairs[at / 2] |= cost << (4 * (at % 2));
            }
            (word_key(form.as_bytes()), pairs)
        })
        .collect();
    entries.sort_unstable();
    file.extend(hashed::write(entries));
    file
}

/// Returns the costs of letter trigrams, in sixteenths of a nat. The words are weighted with the square roots of their
/// probabilities, because unlisted words resemble rare words.
fn trigrams(forms: &Forms) -> Vec<u8> {
    let mut counts = vec![0.0_f64; TRIGRAMS];
    for (form, p) in forms {
        rows(form.as_bytes()).for_each(|row| counts[row] += p.sqrt());
    }
    let scale = 300_000.0 / counts.iter().sum::<f64>();
    let counts: Vec<f64> = counts.into_iter().map(|count| count * scale).collect();
    // count bigrams and single letters, to smooth the trigrams
    let mut pairs = vec![0.0_f64; ALPHABET * ALPHABET];
    let mut letters = [1.0_f64; ALPHABET];
    for (row, count) in counts.iter().enumerate() {
        pairs[row % (ALPHABET * ALPHABET)] += count;
        letters[row % ALPHABET] += count;
    }
    let all: f64 = letters.iter().sum();
    let after = |counts: &[f64], place: usize| -> f64 { counts[place * ALPHABET..][..ALPHABET].iter().sum() };
    (0..TRIGRAMS)
        .map(|row| {
            let one = letters[row % ALPHABET] / all;
            let pair = row % (ALPHABET * ALPHABET);
            let two = (pairs[pair] + 5.0 * one) / (after(&pairs, pair / ALPHABET) + 5.0);
            let three = (counts[row] + 5.0 * two) / (after(&counts, row / ALPHABET) + 5.0);
            (-three.ln() * 16.0).round().clamp(0.0, 255.0) as u8
        })
        .collect()
}
