//! Conversion of synthesis failures to API errors.

use shruti_backend::BackendError;
use shruti_engine::turn::{Failure, MAX_QUEUED};
use shruti_engine::{Fault, SpeakError};
use shruti_protocol::{ApiError, ErrorCode};

use crate::http::errors::{draining, internal, overloaded};

/// Returns the error for a failed turn.
pub(crate) fn turn_error(cause: &Failure) -> ApiError {
    match cause {
        Failure::QueueFull => ApiError::new(
            ErrorCode::QueueFull,
            format!("{MAX_QUEUED} turns are already queued, which is the maximum"),
        ),
        Failure::Rejected(why) => refused(why),
        Failure::Fault(Fault::Backend(BackendError::Unavailable { retry_after, .. })) => {
            let message = "the back end of this voice does not respond at the moment; try again";
            let milliseconds = u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX);
            ApiError::new(ErrorCode::Overloaded, message).with_retry_after_ms(milliseconds)
        }
        Failure::TooMuchSound { chars, limit } => {
            let limit_ms = limit.as_millis() as u64;
            tracing::error!(
                chars,
                limit_ms,
                "a turn was stopped because its audio is longer than its charge allows"
            );
            let message = format!(
                "the audio of the text is longer than {} s, the maximum for the {chars} characters that are charged; \
                 the rest is omitted",
                limit.as_secs_f64()
            );
            ApiError::new(ErrorCode::Internal, message)
        }
        Failure::Fault(fault) => {
            tracing::error!(error = %fault, "a turn failed");
            internal()
        }
    }
}

/// Returns the error for a synthesis request that the engine refused.
fn refused(refused: &SpeakError) -> ApiError {
    match refused {
        SpeakError::Overloaded { retry_after } => overloaded(*retry_after),
        SpeakError::Draining => draining(),
        SpeakError::UnknownVoice(_) => {
            ApiError::new(ErrorCode::UnknownVoice, "this server does not have this voice").with_param("voice")
        }
        SpeakError::UnsupportedLanguage(language) => {
            let message = format!("this voice does not support {}", language.name());
            ApiError::new(ErrorCode::UnsupportedLanguage, message).with_param("language")
        }
        SpeakError::UnsupportedPitch => {
            let message =
                "the pitch of this voice cannot be changed, at least in this language; omit `pitch`";
            ApiError::new(ErrorCode::InvalidField, message).with_param("pitch")
        }
        SpeakError::NoLearnedVoices => {
            let message = "this server has no learned voices; omit `engine`, or send \"rules\" or \"auto\"";
            ApiError::new(ErrorCode::InvalidField, message).with_param("engine")
        }
        SpeakError::OutOfRange(field) => {
            ApiError::new(ErrorCode::InvalidField, format!("{field} is outside its range")).with_param(*field)
        }
        SpeakError::Text(error) => {
            tracing::error!(%error, "a text within the limits of a request was refused");
            internal()
        }
    }
}
