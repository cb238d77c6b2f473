//! Interprets bytes as the symbol table of a voice pack, and the same bytes as a text to convert with that table.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shruti_neural::SymbolTable;
use shruti_packs::Manifest;

const PACK: &str = include_str!("../data/pack.toml");

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let manifest = Manifest::parse(PACK).expect("a manifest that is right");
    let Ok(table) = SymbolTable::parse(text, &manifest.input) else { return };
    let words =
        text.split(' ').take(64).map(|word| word.chars().take(64).map(String::from).collect::<Vec<_>>());
    if let Ok(sequence) = table.sequence(words) {
        assert!(sequence.words.iter().all(|word| word.start <= word.end && word.end <= sequence.ids.len()));
    }
});
