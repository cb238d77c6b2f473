//! Word timestamps in wire format.

use shruti_engine::WordMark;
use shruti_protocol::stream::WordTime;

/// Converts a word mark to its wire type.
pub(crate) fn word_time(word: WordMark) -> WordTime {
    let WordMark { text, start_ms, end_ms, char_start, char_end, spoken } = word;
    WordTime { text, start_ms, end_ms, char_start, char_end, spoken }
}
