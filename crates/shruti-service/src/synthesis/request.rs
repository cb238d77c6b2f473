//! Resolution of the voice and the lexicon of a request.

use std::collections::BTreeMap;
use std::sync::Arc;

use shruti_engine::Engine;
use shruti_lang::VoiceId;
use shruti_lang::suggestion::did_you_mean;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_text::Lexicon;

/// Returns the voice of a request in its canonical spelling, or the default voice if the request names none.
pub fn voice(engine: &Engine, named: Option<&VoiceId>) -> Result<VoiceId, ApiError> {
    let voices = engine.voices();
    let Some(given) = named else { return Ok(voices.default_voice().name().clone()) };
    voices
        .find(given.as_str())
        .map(|voice| voice.name().clone())
        .ok_or_else(|| unknown_voice(given, voices.iter().map(|voice| voice.name().as_str())))
}

/// Returns the error for an unknown voice.
pub fn unknown_voice<'a>(given: &VoiceId, voices: impl Iterator<Item = &'a str>) -> ApiError {
    let voices: Vec<&str> = voices.collect();
    let meant = did_you_mean(given.as_str(), voices.iter().copied());
    let voices = match voices.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        few => few.join(""),
    };
    let message = format!("voice '{given}' does not exist; voices are {voices}{meant}");
    ApiError::new(ErrorCode::UnknownVoice, message).with_param("voice")
}

/// Returns the lexicon of a request. `entries`, which the request contains, take precedence over `base_lexicon`, the
/// [lexicon of its key](crate::app::App::lexicon_of_key). Returns an error if an entry is invalid.
pub fn lexicon(
    entries: &BTreeMap<String, String>,
    base_lexicon: &Arc<Lexicon>,
) -> Result<Arc<Lexicon>, ApiError> {
    if entries.is_empty() {
        return Ok(Arc::clone(base_lexicon));
    }
    let entries = entries.iter().map(|(word, reading)| (word.as_str(), reading.as_str()));
    let own = Lexicon::new(entries).map_err(|bad| {
        ApiError::new(ErrorCode::InvalidField, bad.flaw.to_string())
            .with_param(format!("lexicon.{}", bad.word))
    })?;
    Ok(Arc::new(own.with_own_fallback(Arc::clone(base_lexicon))))
}
