//! Limits of the wire format.

pub use shruti_lang::limits::{MAX_LEXICON_SPELLING_CHARS, MAX_LEXICON_WORD_CHARS, PITCH, SPEED};

/// Maximum length of a request's text, in Unicode scalar values after trimming.
pub const MAX_TEXT_CHARS: usize = 5_000;

/// Maximum size of a request body, in bytes.
pub const MAX_BODY_BYTES: usize = 64 * 1024;

/// Maximum number of entries in a request's lexicon.
pub const MAX_LEXICON_ENTRIES: usize = 100;

/// Maximum number of entries in an account's lexicon.
pub const MAX_ACCOUNT_LEXICON_ENTRIES: usize = 1_000;

/// Maximum number of characters charged for a request: the characters of its text, plus the characters by which lexicon
/// readings are longer than the words they replace.
pub const MAX_CHARGED_CHARS: usize = 2 * MAX_TEXT_CHARS;

/// Maximum length of an `x-client-request-id` header that the server echoes, in bytes.
pub const MAX_CLIENT_REQUEST_ID_BYTES: usize = 128;

/// Maximum length of an invalid value that an error message repeats, in Unicode scalar values.
pub const MAX_QUOTED_CHARS: usize = 40;
