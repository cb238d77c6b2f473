//! Between the wire and the engine: what every API that speaks needs.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use shruti_engine::turn::{Failure, MAX_QUEUED};
use shruti_engine::{Engine, Refused};
use shruti_protocol::{ApiError, ErrorCode, VoiceId};
use shruti_text::Lexicon;

use crate::failure::{draining, internal};

/// The voice that speaks for a request: the one it names, in the canonical spelling, else the default one.
pub(crate) fn voice(engine: &Engine, named: Option<&VoiceId>) -> Result<VoiceId, ApiError> {
    let Some(given) = named else { return Ok(engine.default_voice().name().clone()) };
    engine
        .voice(given.as_str())
        .map(|voice| voice.name().clone())
        .ok_or_else(|| unknown_voice(given, engine.voices().iter().map(|voice| voice.name().as_str())))
}

/// The error for a name that none of the server's voices has.
pub(crate) fn unknown_voice<'a>(given: &VoiceId, voices: impl Iterator<Item = &'a str>) -> ApiError {
    let voices: Vec<&str> = voices.collect();
    let voices = match voices.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        few => few.join(""),
    };
    let message = format!("voice '{given}' does not exist; voices are {voices}");
    ApiError::new(ErrorCode::UnknownVoice, message).with_param("voice")
}

/// The lexicon of a request, whose entries come before the server's own.
pub(crate) fn lexicon(
    entries: &BTreeMap<String, String>,
    servers: &Arc<Lexicon>,
) -> Result<Arc<Lexicon>, ApiError> {
    if entries.is_empty() {
        return Ok(Arc::clone(servers));
    }
    let entries = entries.iter().map(|(word, reading)| (word.as_str(), reading.as_str()));
    let own = Lexicon::new(entries).map_err(|bad| {
        ApiError::new(ErrorCode::InvalidField, bad.flaw.to_string())
            .with_param(format!("lexicon.{}", bad.word))
    })?;
    Ok(Arc::new(own.over(Arc::clone(servers))))
}

/// The error for a turn that broke off, or never began.
pub(crate) fn failure(cause: &Failure) -> ApiError {
    match cause {
        Failure::QueueFull => {
            ApiError::new(ErrorCode::QueueFull, format!("{MAX_QUEUED} turns wait already; no more may"))
        }
        Failure::Refused(why) => refused(why),
        Failure::Fault(fault) => {
            tracing::error!(error = %fault, "a turn broke off");
            internal()
        }
    }
}

/// The error for a speech that the engine did not begin.
fn refused(refused: &Refused) -> ApiError {
    match refused {
        Refused::Overloaded { retry_after } => overloaded(*retry_after),
        Refused::Draining => draining(),
        Refused::UnknownVoice(_) => {
            ApiError::new(ErrorCode::UnknownVoice, "this server does not have this voice").with_param("voice")
        }
        Refused::UnsupportedLanguage(language) => {
            let message = format!("this voice does not speak {}", language.name());
            ApiError::new(ErrorCode::UnsupportedLanguage, message).with_param("language")
        }
        Refused::OutOfRange(field) => {
            ApiError::new(ErrorCode::InvalidField, format!("{field} is outside its range")).with_param(*field)
        }
        Refused::Text(error) => {
            tracing::error!(%error, "a text within the limits of a request was refused");
            internal()
        }
    }
}

/// The server has as much to speak as it can do well.
pub(crate) fn overloaded(retry_after: Duration) -> ApiError {
    let milliseconds = u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX);
    let message = "the server has as much to speak as it can do well; try again";
    ApiError::new(ErrorCode::Overloaded, message).with_retry_after_ms(milliseconds)
}

/// Samples as they are sent: little-endian.
pub(crate) fn sample_bytes(samples: &[i16]) -> bytes::Bytes {
    shruti_audio::wav::bytes(samples).into()
}
