//! Errors of a reading.

use shruti_engine::{Fault, SpeakError};

/// Error that prevents or interrupts the reading of a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The text is longer than [`MAX_TEXT_BYTES`](crate::MAX_TEXT_BYTES).
    #[error("the text is longer than {} bytes", crate::MAX_TEXT_BYTES)]
    TooLong,
    /// The named setting is outside its range.
    #[error("the {0} is out of range")]
    OutOfRange(&'static str),
    /// The engine rejected the request.
    #[error(transparent)]
    Refused(#[from] SpeakError),
    /// The engine failed during synthesis.
    #[error(transparent)]
    Fault(#[from] Fault),
}
