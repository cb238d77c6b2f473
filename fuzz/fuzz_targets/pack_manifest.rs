//! Interprets bytes as the manifest of a voice pack.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shruti_packs::Manifest;

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(manifest) = Manifest::parse(text) else { return };
    let written = manifest.to_toml().expect("what is valid can be written");
    assert_eq!(Manifest::parse(&written).expect("what is written can be read"), manifest);
});
