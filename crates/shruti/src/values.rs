//! Parsers for arguments. Parsers with a fixed set of values list the values in `--help`, completions and errors.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use shruti_lang::{Clarity, VoiceEngine};

/// Returns the parser for a clarity mode.
pub(crate) fn clarity() -> impl TypedValueParser<Value = Clarity> {
    PossibleValuesParser::new(Clarity::ALL.map(Clarity::as_str)).try_map(|name| name.parse::<Clarity>())
}

/// Returns the parser for the engine of the built-in voices.
pub(crate) fn voice_engine() -> impl TypedValueParser<Value = VoiceEngine> {
    PossibleValuesParser::new(VoiceEngine::ALL.map(VoiceEngine::as_str))
        .try_map(|name| name.parse::<VoiceEngine>())
}

/// Parses a port number.
pub(crate) fn port(text: &str) -> Result<u16, &'static str> {
    text.parse().map_err(|_| "a port is a number from 0 to 65535; 0 selects any free port")
}
