//! Limits of speech settings and lexicons. The limits of the wire protocol are in `shruti_protocol::limits`.

use std::ops::RangeInclusive;

/// Accepted speaking rates; 1.0 is the normal rate of the voice.
pub const SPEED: RangeInclusive<f64> = 0.5..=2.0;

/// Accepted pitch shifts, in semitones; 0.0 is the normal pitch of the voice.
pub const PITCH: RangeInclusive<f64> = -6.0..=6.0;

/// Maximum length of a lexicon word, in Unicode scalar values after trimming.
pub const MAX_LEXICON_WORD_CHARS: usize = 64;

/// Maximum length of a lexicon spelling, in Unicode scalar values after trimming.
pub const MAX_LEXICON_SPELLING_CHARS: usize = 128;

/// Maximum duration of audio per billed character at speed 1, as an average over a whole text, in milliseconds.
pub const MAX_SOUND_MS_PER_CHAR: u32 = 2_500;
