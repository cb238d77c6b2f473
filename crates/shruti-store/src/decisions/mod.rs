//! Decisions, apart from statements.
//!
//! What a database has looked up goes in; what it has to write, or the answer where nothing is written, comes out.
//! Nothing here performs I/O. A database looks up, decides and writes in one transaction, so that a second database
//! brings statements only.

pub(crate) mod allowance;
pub(crate) mod keys;
pub(crate) mod lexicon;
pub(crate) mod login_attempts;
pub(crate) mod promo;
pub(crate) mod tokens;
pub(crate) mod verification;

/// What a decision comes to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Decision<W, A> {
    /// Write this: what was asked for happens.
    Write(W),
    /// Write nothing, and answer so.
    Answer(A),
}
