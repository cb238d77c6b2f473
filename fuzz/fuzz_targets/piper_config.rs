//! Interprets bytes as the configuration file of a Piper voice.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shruti_neural::PiperConfig;

fuzz_target!(|input: &[u8]| {
    let Ok(config) = PiperConfig::parse(input) else { return };
    assert_eq!(config.symbols().lines().count(), config.ids.len());
});
