//! Digit-by-digit reading of a number, with the evidence for it.

use super::evidence::Reasons;
use super::scan::Reading;

/// Digit-by-digit reading with the evidence for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) reading: Reading,
    pub(super) reasons: Reasons,
    pub(super) score: i32,
    /// Index of the item that names the number.
    pub(super) name: Option<usize>,
}
