//! Limits on how a text is spoken. The wire's own limits are in `shruti_protocol::limits`.

use std::ops::RangeInclusive;

/// Speaking rates that are accepted; 1.0 is the voice's own.
pub const SPEED: RangeInclusive<f64> = 0.5..=2.0;

/// Pitch shifts that are accepted, in semitones; 0.0 is the voice's own.
pub const PITCH: RangeInclusive<f64> = -6.0..=6.0;

/// The longest word of a lexicon, in Unicode scalar values after trimming.
pub const MAX_LEXICON_WORD_CHARS: usize = 64;

/// The longest spelling of a lexicon, in Unicode scalar values after trimming.
pub const MAX_LEXICON_SPELLING_CHARS: usize = 128;

/// The most sound of a charged character at speed 1 over a whole text, in milliseconds.
pub const MAX_SOUND_MS_PER_CHAR: u32 = 2_500;
