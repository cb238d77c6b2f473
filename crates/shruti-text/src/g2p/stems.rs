//! Stems whose letters do not tell their sounds, with all that may be attached to them.
//!
//! Tamil writes one letter for க kh g gh. Its scholars tell them apart by raised figures: க², க³, க⁴. A table
//! `data/<code>/stems.tsv` holds `beginning of a word<TAB>the same with figures`; the longest beginning counts.

use std::collections::HashMap;

use super::dravidian::{self, Letter};

/// The stems of one language.
#[derive(Debug)]
pub(super) struct Stems {
    respelled: HashMap<String, Vec<Letter>>,
    longest: usize,
}

impl Stems {
    /// Reads the table; `#` begins a comment.
    pub(super) fn read(tsv: &str) -> Self {
        let mut respelled = HashMap::new();
        for line in tsv.lines().filter(|line| !line.starts_with('#')) {
            let figured = line.trim();
            if figured.is_empty() {
                continue;
            }
            let written: String = figured.chars().filter(|&c| !is_figure(c)).collect();
            respelled.insert(written, dravidian::letters(&respell(figured)));
        }
        let longest = respelled.keys().map(String::len).max().unwrap_or(0);
        Self { respelled, longest }
    }
}
