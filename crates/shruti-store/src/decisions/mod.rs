//! Pure decisions, without I/O.
//!
//! The input of a decision is the state that a [flow](crate::flows) has looked up. The result is the change to write,
//! or the value to return if nothing is written. A flow looks up, decides and writes in one transaction.

pub(crate) mod allowance;
pub(crate) mod keys;
pub(crate) mod lexicon;
pub(crate) mod login_attempts;
pub(crate) mod promo;
pub(crate) mod tokens;
pub(crate) mod verification;

/// Result of a decision.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Decision<W, A> {
    /// Write this change.
    Write(W),
    /// Write nothing and return this value.
    Answer(A),
}
