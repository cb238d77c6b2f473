//! Errors of remote voices: of their configuration, and of requests to the server that synthesises the audio.

use std::time::Duration;

use http::StatusCode;
use shruti_backend::BackendError;

/// Reason why a remote voice cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteLoadError {
    /// The environment variable for the key is not set.
    #[error("the environment variable {0}, which `remote.secret_env` names, is not set")]
    MissingSecret(String),
    /// The value of the environment variable is not a valid key.
    #[error(
        "the environment variable {0} contains characters that are not allowed in a header; a key is a single line of ASCII"
    )]
    Secret(String),
    /// The URL is invalid.
    #[error("`remote.url`: {0}")]
    Address(String),
    /// TLS could not be set up.
    #[error("TLS: {0}")]
    Tls(String),
}

/// Reason why a request failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RequestError {
    /// The circuit breaker is open after too many failures.
    #[error("the upstream has failed too often; no requests are sent for {0:?}")]
    Open(Duration),
    /// The request could not be sent, or the connection ended before the first audio.
    #[error("no response from the upstream: {0}")]
    Connection(String),
    /// The server reports that it is overloaded.
    #[error("the upstream responded with {status}")]
    Busy {
        /// Status 429 or 503.
        status: StatusCode,
        /// Delay from the header `Retry-After`.
        retry_after: Option<Duration>,
    },
    /// The server responded with a status other than 200, 429 and 503.
    #[error("the upstream responded with {0}{1}")]
    Status(StatusCode, &'static str),
    /// The server did not start to send audio within the time limit.
    #[error("no audio from the upstream within {0:?}")]
    FirstByte(Duration),
    /// The server paused for longer than the time limit.
    #[error("the upstream stalled for {0:?} after {1} ms of audio")]
    Stalled(Duration, u64),
    /// The server is slower than real time.
    #[error("the upstream is too slow: {0:?} of waiting for {1} ms of audio")]
    Slow(Duration, u64),
    /// The connection ended before the response was complete.
    #[error("the connection to the upstream broke after {0} ms of audio: {1}")]
    Broken(u64, String),
    /// The response is not audio in a supported format.
    #[error("the upstream sent {0}; it must send signed 16-bit PCM with one channel, raw or as WAV")]
    InvalidAudio(String),
    /// The sample rate of the response differs from the manifest.
    #[error("the upstream sent {found} samples per second, but `remote.rate` is {expected}")]
    Rate {
        /// Sample rate in the WAV header.
        found: u32,
        /// Sample rate in the manifest.
        expected: u32,
    },
    /// The server sent no audio or only silence.
    #[error("the upstream sent no audio, or only silence")]
    Silence,
    /// The server sent more audio than is plausible for the text.
    #[error("the upstream sent more than {0:?} of audio, which is too long for the text")]
    TooMuch(Duration),
}

impl RequestError {
    /// Returns whether the error indicates that the server is unreachable or broken. The circuit breaker counts only
    /// these errors as failures.
    pub(crate) fn is_outage(&self) -> bool {
        match self {
            Self::Connection(_)
            | Self::FirstByte(_)
            | Self::Stalled(..)
            | Self::Slow(..)
            | Self::Broken(..) => true,
            Self::Busy { status, .. } | Self::Status(status, _) => status.is_server_error(),
            _ => false,
        }
    }

    /// Returns whether an immediate retry of the request may succeed.
    pub(crate) fn is_worth_a_retry(&self) -> bool {
        match self {
            Self::Connection(_) => true,
            Self::Busy { status, retry_after } => status.is_server_error() && retry_after.is_none(),
            Self::Status(status, _) => status.is_server_error(),
            _ => false,
        }
    }

    /// Converts the error to an error of the engine.
    pub(crate) fn into_backend_error(self) -> BackendError {
        const MIN: Duration = Duration::from_secs(1);
        const MAX: Duration = Duration::from_mins(1);
        let retry_after = match &self {
            Self::Open(wait) => *wait,
            Self::Busy { retry_after, .. } => retry_after.unwrap_or(MIN),
            error if error.is_outage() => MIN,
            _ => return BackendError::Failed(self.to_string()),
        };
        BackendError::Unavailable { reason: self.to_string(), retry_after: retry_after.clamp(MIN, MAX) }
    }
}
