//! Every limit of the wire, in one place.

pub use shruti_lang::limits::{MAX_LEXICON_SPELLING_CHARS, MAX_LEXICON_WORD_CHARS, PITCH, SPEED};

/// The longest text of a request, in Unicode scalar values after trimming.
pub const MAX_TEXT_CHARS: usize = 5_000;

/// The largest request body, in bytes.
pub const MAX_BODY_BYTES: usize = 64 * 1024;

/// The most entries of a request's lexicon.
pub const MAX_LEXICON_ENTRIES: usize = 100;

/// The most entries of an account's lexicon.
pub const MAX_ACCOUNT_LEXICON_ENTRIES: usize = 1_000;

/// The most characters that a request may be charged: those of its text, and those by which readings are longer than
/// the words they replace.
pub const MAX_CHARGED_CHARS: usize = 2 * MAX_TEXT_CHARS;

/// The longest `x-client-request-id` that is echoed, in bytes.
pub const MAX_CLIENT_REQUEST_ID_BYTES: usize = 128;

/// How much of a refused value an error message repeats, in Unicode scalar values.
pub const MAX_QUOTED_CHARS: usize = 40;
