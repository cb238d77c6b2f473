//! Playback progress within a text: the part that was heard, the word that is being spoken, and the rest.

use std::ops::Range;

use shruti_protocol::stream::WordTime;

/// Positions in the text of a turn, in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// End of the text that has been heard.
    pub(crate) heard: usize,
    /// Word that is being spoken; empty during a pause.
    pub(crate) now: Range<usize>,
}

impl Progress {
    /// Returns the progress at a playback position, according to the word timestamps received so far.
    pub(crate) fn at(marks: &[WordTime], position_ms: u128) -> Self {
        let mut progress = Self::default();
        for mark in marks {
            let (from, to) = (mark.char_start as usize, mark.char_end as usize);
            if u128::from(mark.end_ms) <= position_ms {
                progress.heard = progress.heard.max(to);
                progress.now = progress.heard..progress.heard;
            } else if u128::from(mark.start_ms) <= position_ms {
                progress.now = from.max(progress.heard)..to.max(progress.heard);
            }
        }
        progress
    }

    /// Returns the end of the last word whose beginning has been heard.
    pub(crate) fn begun(&self) -> usize {
        self.now.end.max(self.heard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_heard_when_they_have_ended() {
        let mark = |start_ms, end_ms, char_start, char_end| WordTime {
            text: String::new(),
            start_ms,
            end_ms,
            char_start,
            char_end,
            spoken: None,
        };
        let marks = [mark(10, 200, 0, 4), mark(200, 300, 5, 8), mark(500, 600, 9, 12)];
        for (position, heard, now) in [
            (0, 0, 0..0),
            (10, 0, 0..4),
            (199, 0, 0..4),
            (200, 4, 5..8),
            (400, 8, 8..8),
            (500, 8, 9..12),
            (900, 12, 12..12),
        ] {
            assert_eq!(Progress::at(&marks, position), Progress { heard, now }, "{position} ms");
        }
    }
}
