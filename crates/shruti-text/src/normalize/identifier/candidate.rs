//! Digit-by-digit reading of a number, with the evidence for it.

use crate::normalize::evidence::Reasons;
use crate::normalize::scan::Reading;

/// Digit-by-digit reading with the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) reading: Reading,
    pub(crate) reasons: Reasons,
    pub(crate) score: i32,
    /// Index of the item that contains the keyword for the number.
    pub(crate) name: Option<usize>,
}
