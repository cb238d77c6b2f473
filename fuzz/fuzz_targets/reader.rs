//! Interprets bytes as a text that arrives in pieces. The first byte selects the language and whether there is a
//! lexicon; the next four bytes select the positions at which the text is cut.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shruti_fuzz::{check_reading, settings};

fuzz_target!(|input: &[u8]| {
    let [first, a, b, c, d, rest @ ..] = input else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    check_reading(text, &settings(*first), [*a, *b, *c, *d]);
});
