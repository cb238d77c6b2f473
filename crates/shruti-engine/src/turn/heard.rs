//! Part of a turn that the listener can have heard, cut after a word, or after a clause if the word times are not
//! known.

use std::time::Duration;

/// Ends of the units of a turn, in its audio and in its text. A unit is a word, or a clause without word times.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextEnds {
    ends: Vec<(u32, u32)>,
}

impl TextEnds {
    /// Adds a word or a clause: its end in milliseconds of the turn and in characters of the text.
    pub(crate) fn push(&mut self, end_ms: u32, char_end: u32) {
        self.ends.push((end_ms, char_end));
    }

    /// Returns the end, in characters, of the last unit that was heard completely up to a time in the turn.
    pub(crate) fn heard(&self, up_to: Duration) -> u32 {
        // the durations of the pieces of audio are rounded down to nanoseconds, so their sum may be slightly too small
        let up_to = (up_to + Duration::from_micros(1)).as_millis();
        let count = self.ends.partition_point(|&(end_ms, _)| u128::from(end_ms) <= up_to);
        self.ends[..count].last().map_or(0, |&(_, char_end)| char_end)
    }
}

/// Splits a text after a number of characters.
pub(crate) fn split(text: &str, chars: u32) -> (&str, &str) {
    let byte = text.char_indices().nth(chars as usize).map_or(text.len(), |(byte, _)| byte);
    text.split_at(byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_heard_when_they_have_ended() {
        let mut ends = TextEnds::default();
        for (end_ms, char_end) in [(300, 7), (300, 12), (900, 20)] {
            ends.push(end_ms, char_end);
        }
        for (ms, chars) in [(0, 0), (299, 0), (300, 12), (899, 12), (900, 20), (5_000, 20)] {
            assert_eq!(ends.heard(Duration::from_millis(ms)), chars, "at {ms}");
        }
    }

    #[test]
    fn texts_split_after_characters_not_bytes() {
        assert_eq!(split("नमस्ते जी", 6), ("नमस्ते", " जी"));
        assert_eq!(split("abc", 9), ("abc", ""));
    }
}
