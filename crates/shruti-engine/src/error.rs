//! Errors of a speech stream.

use std::time::Duration;

use shruti_backend::BackendError;
use shruti_lang::{Language, VoiceId};

/// Reason why a stream was not started or could not continue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpeakError {
    /// The number of active streams has reached the limit.
    #[error("too many active streams; retry after {retry_after:?}")]
    Overloaded {
        /// Time after which capacity is likely to be available.
        retry_after: Duration,
    },
    /// The engine is shutting down.
    #[error("the engine is shutting down")]
    Draining,
    /// No back end provides the voice.
    #[error("voice '{0}' does not exist")]
    UnknownVoice(VoiceId),
    /// The voice does not speak the language.
    #[error("the voice does not speak {0}")]
    UnsupportedLanguage(Language),
    /// The back end that speaks the language cannot shift the pitch of the voice.
    #[error("the pitch of the voice cannot be shifted")]
    UnsupportedPitch,
    /// The engine has no learned voices.
    #[error("there are no learned voices")]
    NoLearnedVoices,
    /// The setting with this name is out of range.
    #[error("{0} is out of range")]
    OutOfRange(&'static str),
    /// The text was refused.
    #[error(transparent)]
    Text(#[from] PushError),
}

/// Reason why a piece of text was refused. No part of the piece was accepted; text that was accepted before is still
/// spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PushError {
    /// The number of unspoken characters would exceed the limit.
    #[error("too much unspoken text; the limit is {limit} characters")]
    TooMuch {
        /// Maximum number of unspoken characters.
        limit: usize,
    },
    /// The text has already been marked as complete.
    #[error("the text is already complete")]
    Finished,
}

/// Error that ended a stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Internal error; the log has the details.
    #[error("internal error")]
    Internal,
    /// The back end failed.
    #[error(transparent)]
    Backend(BackendError),
    /// The back end for a language that was detected in the text has no capacity or cannot shift the pitch, or the
    /// voice does not speak this language.
    #[error(transparent)]
    Rejected(SpeakError),
}
