//! Reader for the training corpora of the tables.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::BufRead;
use std::path::Path;

use anyhow::Context;
use shruti_lang::Language;
use shruti_translit::train::{Forms, Material, Pair};
use shruti_translit::units::{Unit, block_of, units};

use crate::Train;

/// Returns the first code point of the Unicode block of a language's script.
pub fn block(language: &str) -> anyhow::Result<u32> {
    let found = Language::from_code(language).and_then(block_of);
    found.with_context(|| format!("{language} has no Indian script"))
}

/// Splits `FILE*WEIGHT`; the default weight is 1.
fn weighted(named: &str) -> anyhow::Result<(&str, f64)> {
    Ok(match named.split_once('*') {
        Some((path, weight)) => (path, weight.parse()?),
        None => (named, 1.0),
    })
}

fn lines(path: impl AsRef<Path>) -> anyhow::Result<impl Iterator<Item = String>> {
    let path = path.as_ref();
    let file = std::fs::File::open(path).with_context(|| format!("opening {}", path.display()))?;
    Ok(std::io::BufReader::new(file).lines().map_while(Result::ok))
}

/// Returns the words of a line: sequences of letters of the script.
pub fn words(line: &str, block: u32) -> impl Iterator<Item = &str> {
    let of_word =
        move |c: char| (block..block + 0x80).contains(&(c as u32)) || matches!(c, '\u{200c}' | '\u{200d}');
    let digit =
        move |c: char| (block + 0x66..block + 0x70).contains(&(c as u32)) || matches!(c, '।' | '॥' | '॰');
    line.split(move |c| !of_word(c) || digit(c)).filter(|word| !word.is_empty())
}

const SHARED: usize = 6;

fn windows(words: &[&str]) -> Vec<String> {
    if words.len() < SHARED {
        return vec![words.join(" ")];
    }
    words.windows(SHARED).map(|window| window.join(" ")).collect()
}

pub fn read(options: &Train) -> anyhow::Result<Material> {
    let block = block(&options.language)?;
    let mut held: HashSet<String> = HashSet::new();
    for path in &options.held {
        for line in lines(path)? {
            held.extend(windows(&words(&line, block).collect::<Vec<_>>()));
        }
    }
    let mut material = Material { block, pairs: Vec::new(), words: BTreeMap::new(), bigrams: HashMap::new() };
    for named in &options.pairs {
        let (path, weight) = weighted(named)?;
        for line in lines(path)? {
            let mut fields = line.split('\t');
            let (Some(native), Some(typed)) = (fields.next(), fields.next()) else { continue };
            let count: f64 = fields.next().and_then(|count| count.trim().parse().ok()).unwrap_or(1.0);
            let roman = typed.trim().to_lowercase();
            let Some(units) = units(native.trim(), block) else { continue };
            if !roman.is_empty() && roman.len() <= 40 && roman.bytes().all(|byte| byte.is_ascii_lowercase()) {
                *material.words.entry(units.clone()).or_default() += 0.3 * weight;
                material.pairs.push(Pair { units, roman, weight: count * weight });
            }
        }
    }
    for named in &options.counts {
        let (path, weight) = weighted(named)?;
        for line in lines(path)? {
            let Some((word, count)) = line.trim().rsplit_once([' ', '\t']) else { continue };
            let (Some(units), Ok(count)) = (units(word.trim(), block), count.parse::<f64>()) else {
                continue;
            };
            *material.words.entry(units).or_default() += count * weight;
        }
    }
    for named in &options.text {
        let (path, weight) = weighted(named)?;
        let (mut kept, mut left_out, mut tokens) = (0_u64, 0_u64, 0_u64);
        for line in lines(path)? {
            let words: Vec<&str> = words(&line, block).collect();
            if windows(&words).iter().any(|window| held.contains(window)) {
                left_out += 1;
                continue;
            }
            kept += 1;
            let mut before: Option<Vec<Unit>> = None;
            for word in words {
                let units = units(word, block);
                if let Some(units) = &units {
                    tokens += 1;
                    *material.words.entry(units.clone()).or_default() += weight;
                    if let Some(before) = before.take() {
                        *material.bigrams.entry((before, units.clone())).or_default() += weight;
                    }
                }
                before = units;
            }
            // limit the memory: when there are too many bigrams, drop those that were seen only once
            if material.bigrams.len() > 8_000_000 {
                material.bigrams.retain(|_, count| *count > weight);
            }
        }
        println!("{path}: {kept} lines, {tokens} words; {left_out} lines skipped");
    }
    let hurried: Vec<Pair> = material.pairs.iter().filter_map(hurried).collect();
    material.pairs.extend(hurried);
    println!(
        "{} pairs, {} words, {} bigrams",
        material.pairs.len(),
        material.words.len(),
        material.bigrams.len()
    );
    Ok(material)
}

/// Returns a short word without its inner vowels, as people type it in a hurry: `mjhe`, `kch`.
///
/// The pairs of a dictionary do not contain such forms, so each is added with a small weight.
fn hurried(pair: &Pair) -> Option<Pair> {
    let is_vowel = |letter: &char| "aeiou".contains(*letter);
    let last = pair.roman.chars().count() - 1;
    let within = |at: usize| at > 0 && at < last;
    let roman: String = pair
        .roman
        .chars()
        .enumerate()
        .filter(|(at, letter)| !(within(*at) && is_vowel(letter)))
        .map(|(_, c)| c)
        .collect();
    let is_short = (3..=8).contains(&pair.roman.len()) && roman.len() < pair.roman.len() && roman.len() > 1;
    is_short.then(|| Pair { units: pair.units.clone(), roman, weight: pair.weight * HURRIED })
}

const HURRIED: f64 = 0.015;

/// Reads the typed forms of the words of a language, and normalises their probabilities.
pub fn forms(path: &Path) -> anyhow::Result<Forms> {
    let mut forms = Forms::new();
    for line in lines(path)? {
        let Some((form, p)) = line.split_once('\t') else { continue };
        if form.bytes().all(|byte| byte.is_ascii_lowercase()) && (1..=40).contains(&form.len()) {
            *forms.entry(form.to_owned()).or_default() += p.trim().parse::<f64>()?;
        }
    }
    let all: f64 = forms.values().sum();
    forms.values_mut().for_each(|p| *p /= all);
    Ok(forms)
}
