//! Context model that maps the tokens of a romanised word to native letters.
//!
//! The model is a back-off table, similar to `IGTree` (Daelemans, van den Bosch & Weijters, 1997): the widest context
//! of a token that the table contains determines the letters for the token. `train/mixed/train.py` writes the tables
//! and keeps only entries that differ from those of the next narrower context.

use shruti_lang::Language;

use super::tokens::{self, BOUNDARY, Token};
use crate::files::trained_files;
use crate::per_language::PerLanguage;

/// Numbers of tokens to the left and to the right in each kind of context, the widest first.
const TEMPLATES: [(usize, usize); 7] = [(3, 3), (2, 3), (2, 2), (1, 2), (1, 1), (0, 1), (0, 0)];
/// Maximum number of context tokens on one side.
const REACH: usize = 3;
const TOKEN_BITS: u32 = 6;

type Table = crate::table::Table<u64, &'static str>;

fn table(language: Language) -> &'static Table {
    static TABLES: PerLanguage<Table> = PerLanguage::new();
    TABLES.get(language, || parse(trained_files(language).romanised_model))
}

fn parse(source: &'static str) -> Table {
    source
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let (context, label) = line.split_once('\t')?;
            Some((key_of_spelling(context)?, label))
        })
        .collect()
}

/// Returns the key of a context that is written as the preceding tokens, `|`, the token, `|` and the following tokens.
fn key_of_spelling(context: &str) -> Option<u64> {
    let mut parts = context.split('|');
    let mut side = || -> Option<Vec<Token>> {
        parts.next()?.split_ascii_whitespace().map(tokens::from_spelling).collect()
    };
    let (left, token, right) = (side()?, side()?, side()?);
    let template = TEMPLATES.iter().position(|&(l, r)| l == left.len() && r == right.len())?;
    Some(key(template, left.iter().chain(&token).chain(&right).copied()))
}

fn key(template: usize, tokens: impl Iterator<Item = Token>) -> u64 {
    tokens.fold(template as u64 + 1, |key, token| key << TOKEN_BITS | u64::from(token))
}

/// Returns the letters of a word as Devanagari code points: consonants, vowel letters (अ for the inherent vowel),
/// signs, and `-` after a consonant without a vowel.
pub(super) fn letters(word: &[Token], language: Language) -> String {
    let table = table(language);
    let mut padded = vec![BOUNDARY; REACH];
    padded.extend_from_slice(word);
    padded.extend([BOUNDARY; REACH]);
    let mut labels: Vec<&str> = (REACH..padded.len() - REACH)
        .map(|at| {
            let found = TEMPLATES.iter().enumerate().find_map(|(template, &(left, right))| {
                table.get(&key(template, padded[at - left..=at + right].iter().copied()))
            });
            found.copied().unwrap_or("")
        })
        .collect();
    agree(word, &mut labels);
    plain_r(&mut labels);
    plain_sh(&mut labels);
    labels.concat()
}

/// Replaces the ष of a final `-esh` or `-ish` with श, because words with these endings are usually names: Ramesh,
/// Harish.
fn plain_sh(labels: &mut [&'static str]) {
    if let [.., "ए" | "ऎ" | "इ" | "ई", last @ "ष"] = labels {
        *last = "श";
    }
}

/// Replaces a vocalic r before another vowel with the consonant र: `priya` has no ऋ, although `pri` alone may have it.
fn plain_r(labels: &mut [&'static str]) {
    for at in 1..labels.len() {
        if labels[at - 1] == "ऋ" && labels[at].starts_with(['अ', 'आ', 'इ', 'ई', 'उ', 'ऊ', 'ए', 'ऐ', 'ओ', 'औ'])
        {
            labels[at - 1] = "र";
        }
    }
}

/// Pairs of a dental or alveolar consonant and a retroflex consonant that Latin letters hardly distinguish.
const PLACES: [(&str, &str); 6] = [("त", "ट"), ("थ", "ठ"), ("द", "ड"), ("ध", "ढ"), ("न", "ण"), ("ल", "ळ")];

/// Makes the two halves of a geminate, and a nasal and the following stop, agree in place of articulation, because each
/// token was decided separately.
fn agree(word: &[Token], labels: &mut [&'static str]) {
    let dental =
        |label: &str| PLACES.iter().find(|(_, retroflex)| *retroflex == label).map(|(dental, _)| *dental);
    let is_dental = |label: &str| PLACES.iter().any(|(dental, _)| *dental == label);
    for second in 1..word.len().min(labels.len()) {
        let first = second - 1;
        let (Some(a), Some(b)) = (tokens::consonant(word[first]), tokens::consonant(word[second])) else {
            continue;
        };
        let (before, after) = (labels[first], labels[second]);
        let nasal = a == 'n' && matches!(b, 't' | 'd');
        if a != b && !nasal {
            continue;
        }
        match (dental(before), dental(after)) {
            (Some(plain), None) if is_dental(after) => labels[first] = plain,
            (None, Some(_)) if nasal && before == "न" => labels[first] = "ण",
            (None, Some(plain)) if a == b && is_dental(before) => labels[second] = plain,
            _ => {}
        }
    }
}
