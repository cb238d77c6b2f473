//! Interprets bytes as a lexicon file, and looks up the words of its entries in a text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shruti_lang::Language;
use shruti_text::{Lexicon, normalize_line};

fuzz_target!(|input: &[u8]| {
    let Ok(source) = std::str::from_utf8(input) else { return };
    let entries = shruti_text::lexicon::entries(source);
    let Ok(lexicon) = Lexicon::from_toml(source) else { return };
    // the entries of a valid lexicon must be listable, and looking up a word of an entry in a text must not panic
    for entry in entries.expect("a lexicon's entries can be listed").iter().take(8) {
        let language = entry.language.unwrap_or(Language::Hindi);
        normalize_line(&format!("x {} y", entry.word), Some(language), &lexicon);
    }
});
