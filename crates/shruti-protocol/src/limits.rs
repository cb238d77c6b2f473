//! Every limit of the wire, in one place.

use std::ops::RangeInclusive;

/// The longest text of a request, in Unicode scalar values after trimming.
pub const MAX_TEXT_CHARS: usize = 5_000;

/// The largest request body, in bytes.
pub const MAX_BODY_BYTES: usize = 64 * 1024;

/// Speaking rates that are accepted; 1.0 is the voice's own.
pub const SPEED: RangeInclusive<f64> = 0.5..=2.0;

/// Pitch shifts that are accepted, in semitones; 0.0 is the voice's own.
pub const PITCH: RangeInclusive<f64> = -6.0..=6.0;

/// The most entries of a request's lexicon.
pub const MAX_LEXICON_ENTRIES: usize = 100;

/// The most entries of an account's lexicon.
pub const MAX_ACCOUNT_LEXICON_ENTRIES: usize = 1_000;

/// The longest word of a lexicon, in Unicode scalar values after trimming.
pub const MAX_LEXICON_WORD_CHARS: usize = 64;

/// The longest spelling of a lexicon, in Unicode scalar values after trimming.
pub const MAX_LEXICON_SPELLING_CHARS: usize = 128;

/// The most characters that a request may be charged: those of its text, and those by which readings are longer than
/// the words they replace.
pub const MAX_CHARGED_CHARS: usize = 2 * MAX_TEXT_CHARS;

/// The most sound of a charged character at speed 1 over a whole text, in milliseconds.
pub const MAX_SOUND_MS_PER_CHAR: u32 = 2_500;

/// The longest `x-client-request-id` that is echoed, in bytes.
pub const MAX_CLIENT_REQUEST_ID_BYTES: usize = 128;

/// How much of a refused value an error message repeats, in Unicode scalar values.
pub const MAX_QUOTED_CHARS: usize = 40;
