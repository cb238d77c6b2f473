//! Errors that any path can return.

use std::time::Duration;

use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::StoreError;

/// Returns the error for an unknown path.
pub fn not_found() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "this path does not exist; the path for speech is POST /v1/tts")
}

/// Returns the error for an internal failure. The request itself may be valid.
pub fn internal() -> ApiError {
    ApiError::new(ErrorCode::Internal, "an internal error occurred; try again")
}

/// Returns the error for a server that is shutting down.
pub fn draining() -> ApiError {
    ApiError::new(ErrorCode::Draining, "the server is shutting down and does not accept new work")
        .with_retry_after_ms(5_000)
}

/// Returns the error for a server at its capacity.
pub fn overloaded(retry_after: Duration) -> ApiError {
    let milliseconds = u64::try_from(retry_after.as_millis()).unwrap_or(u64::MAX);
    let message = "the server is at capacity; try again";
    ApiError::new(ErrorCode::Overloaded, message).with_retry_after_ms(milliseconds)
}

/// Returns the error for an attempt to replace a lexicon that has changed in the meantime. `version` is its current
/// version.
pub fn lexicon_changed(version: i64) -> ApiError {
    let message = format!(
        "the lexicon has been changed in the meantime: it now has version \"{version}\"; read it again"
    );
    ApiError::new(ErrorCode::LexiconChanged, message)
}

/// Returns the error for a failed store operation.
pub fn store_error(error: &StoreError) -> ApiError {
    let (code, message) = match error {
        StoreError::Busy => (ErrorCode::Overloaded, "the server is busy; try again"),
        StoreError::Locked => {
            tracing::warn!(%error, "a request was refused");
            (ErrorCode::Overloaded, "another program has locked the server's database; try again")
        }
        StoreError::PasswordsWait => {
            (ErrorCode::RateLimited, "too many passwords are being checked; this one was not checked")
        }
        StoreError::Away(_) => {
            tracing::warn!(%error, "a request was refused");
            (ErrorCode::Overloaded, "the server's database is unavailable at the moment; try again")
        }
        StoreError::Disk { .. } => {
            tracing::warn!(%error, "a request was refused");
            (
                ErrorCode::Overloaded,
                "the server's database cannot be used at the moment; the reason is in the server's log",
            )
        }
        other => {
            tracing::error!(error = %other, "a request to the store failed");
            return internal();
        }
    };
    ApiError::new(code, message).with_retry_after_ms(1_000)
}
