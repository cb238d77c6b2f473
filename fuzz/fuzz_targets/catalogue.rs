//! Interprets bytes as a catalogue of voice packs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shruti_packs::{Catalogue, is_pack_id};

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(catalogue) = Catalogue::parse(text) else { return };
    for entry in &catalogue.entries {
        assert!(is_pack_id(&entry.id) && entry.licence_file().is_some());
        assert!(entry.files.iter().all(|remote| !remote.file.path.contains('/')));
    }
});
