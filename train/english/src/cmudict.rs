//! Reader for the CMU Pronouncing Dictionary.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};

/// A pronunciation in ARPAbet: pairs of a symbol and a stress digit (0 none, 1 primary, 2 secondary; 0 for consonants).
pub type Arpabet = Vec<(Arpa, u8)>;

/// The ARPAbet symbols, in the order of their numbers.
pub const SYMBOLS: &[&str] = &[
    "AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW", "B", "CH", "D",
    "DH", "F", "G", "HH", "JH", "K", "L", "M", "N", "NG", "P", "R", "S", "SH", "T", "TH", "V", "W", "Y", "Z",
    "ZH",
];

/// Number of an ARPAbet symbol; vowels come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arpa(pub u8);

impl Arpa {
    pub fn name(self) -> &'static str {
        SYMBOLS[self.0 as usize]
    }

    pub fn is_vowel(self) -> bool {
        self.0 < 15
    }
}

/// Reads words of letters and apostrophes with all their pronunciations, the primary one first.
///
/// Reads the plain file (`WORD  P R AH0`) and the JavaScript module of the npm package (`"word": "P R AH0",`). Skips
/// words with dots and digits (initialisms).
pub fn read(path: &Path) -> Result<BTreeMap<String, Vec<Arpabet>>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let mut words: BTreeMap<String, Vec<Arpabet>> = BTreeMap::new();
    for line in text.lines() {
        let line =
            line.trim().trim_end_matches(',').replace("\": \"", " ").replace(": \"", " ").replace('"', "");
        let mut fields = line.split_whitespace();
        let Some(word) = fields.next() else { continue };
        let word = word.split('(').next().unwrap_or(word).to_lowercase();
        if word.is_empty() || !word.bytes().all(|b| b.is_ascii_lowercase() || b == b'\'') {
            continue;
        }
        let phones: Option<Arpabet> = fields.map(parse_symbol).collect();
        match phones {
            Some(phones) if !phones.is_empty() => words.entry(word).or_default().push(phones),
            _ => {}
        }
    }
    anyhow::ensure!(words.len() > 1000, "{} is not a pronouncing dictionary", path.display());
    Ok(words)
}

fn parse_symbol(field: &str) -> Option<(Arpa, u8)> {
    let (name, stress) = match field.as_bytes().last()? {
        digit @ b'0'..=b'2' => (&field[..field.len() - 1], digit - b'0'),
        _ => (field, 0),
    };
    let index = SYMBOLS.iter().position(|symbol| *symbol == name)?;
    Some((Arpa(index as u8), stress))
}
