//! What may go wrong.

use shruti_engine::{Fault, Refused};

/// Why a text is not read, or not read to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The text is too long.
    #[error("the text has more than {} bytes", crate::MAX_TEXT_BYTES)]
    TooLong,
    /// A number lies outside its range.
    #[error("{0} is outside its range")]
    OutOfRange(&'static str),
    /// The engine does not begin.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The speech broke off.
    #[error(transparent)]
    Fault(#[from] Fault),
}
