//! Word timestamps on the wire.

use shruti_engine::WordMark;
use shruti_protocol::stream::WordTime;

/// The timestamp of a word.
pub(crate) fn word_time(word: WordMark) -> WordTime {
    let WordMark { text, start_ms, end_ms, char_start, char_end, spoken } = word;
    WordTime { text, start_ms, end_ms, char_start, char_end, spoken }
}
