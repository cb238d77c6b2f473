//! What can go wrong between this server and the one that makes the sound.

use std::time::Duration;

use http::StatusCode;
use shruti_backend::BackendError;

/// A remote voice cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RemoteLoadError {
    /// The environment variable for the key is not set.
    #[error("the environment variable {0}, which `remote.secret_env` names, is not set")]
    NoSecret(String),
    /// What it holds is no key.
    #[error("the environment variable {0} holds what cannot stand in a header: a key is one line of ASCII")]
    Secret(String),
    /// The address is none.
    #[error("`remote.url`: {0}")]
    Address(String),
    /// TLS could not be set up.
    #[error("TLS: {0}")]
    Tls(String),
}

/// A request failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RequestError {
    /// Too many have failed; none is sent for now.
    #[error("the upstream has failed too often and is left alone for {0:?}")]
    Open(Duration),
    /// The request could not be sent, or the connection ended before an answer.
    #[error("no answer from the upstream: {0}")]
    Connection(String),
    /// It answers that it has too much to do.
    #[error("the upstream answers {status}")]
    Busy {
        /// 429 or 503.
        status: StatusCode,
        /// What it says of when to come again.
        retry_after: Option<Duration>,
    },
    /// It answers with another status than 200.
    #[error("the upstream answers {0}{1}")]
    Status(StatusCode, &'static str),
    /// It did not begin to send sound in time.
    #[error("no sound from the upstream within {0:?}")]
    FirstByte(Duration),
    /// It paused too long.
    #[error("the upstream stalled for {0:?} after {1} ms of sound")]
    Stalled(Duration, u64),
    /// It is slower than anyone can listen.
    #[error("the upstream is too slow: {0:?} of waiting for {1} ms of sound")]
    Slow(Duration, u64),
    /// The connection ended in the middle.
    #[error("the connection to the upstream broke after {0} ms of sound: {1}")]
    Broken(u64, String),
    /// It sends something else than sound.
    #[error("the upstream sends {0}; it must send signed 16-bit PCM of one channel, bare or as WAV")]
    NotSound(String),
    /// It sends another rate than the manifest says.
    #[error("the upstream sends {found} samples a second; `remote.rate` says {expected}")]
    Rate {
        /// What its header says.
        found: u32,
        /// What the manifest says.
        expected: u32,
    },
    /// It sent none, or nothing audible.
    #[error("the upstream sent no sound")]
    Silence,
    /// It sends more than the text can be.
    #[error("the upstream sent more than {0:?} of sound, which the text cannot be")]
    TooMuch(Duration),
}

impl RequestError {
    /// Whether it shows that the server is away or broken: what counts for being left alone.
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

    /// Whether the same request, sent again at once, may go well.
    pub(crate) fn is_worth_a_retry(&self) -> bool {
        match self {
            Self::Connection(_) => true,
            Self::Busy { status, retry_after } => status.is_server_error() && retry_after.is_none(),
            Self::Status(status, _) => status.is_server_error(),
            _ => false,
        }
    }

    /// As the engine has it.
    pub(crate) fn into_backend_error(self) -> BackendError {
        const LEAST: Duration = Duration::from_secs(1);
        const MOST: Duration = Duration::from_mins(1);
        let retry_after = match &self {
            Self::Open(wait) => *wait,
            Self::Busy { retry_after, .. } => retry_after.unwrap_or(LEAST),
            error if error.is_outage() => LEAST,
            _ => return BackendError::Failed(self.to_string()),
        };
        BackendError::Unavailable { reason: self.to_string(), retry_after: retry_after.clamp(LEAST, MOST) }
    }
}
