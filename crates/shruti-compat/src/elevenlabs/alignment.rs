//! Character timestamps of a text: each character once and in order, including spaces.

use std::collections::VecDeque;

use serde::Serialize;
use shruti_engine::WordMark;

/// Aligner that derives the times of the characters of a turn from the times of its words.
#[derive(Debug, Default)]
pub(super) struct Aligner {
    /// Characters whose times have not been reported.
    untold: VecDeque<char>,
    /// Number of reported characters, which equals the position of the first character of `untold` in the text of
    /// the turn.
    told: usize,
    /// Number of leading white-space characters. The positions of the marks do not include them.
    skipped: usize,
    /// End of the reported times, in milliseconds.
    until_ms: u32,
    /// Delay that the encoder adds to the times of the marks, in milliseconds.
    delay_ms: u32,
}

/// Times of some characters, in milliseconds from the start of the turn.
#[derive(Debug, Default, PartialEq)]
pub(super) struct CharTimes(Vec<CharTime>);

#[derive(Clone, Copy, Debug, PartialEq)]
struct CharTime {
    text: char,
    start_ms: u32,
    end_ms: u32,
}

impl Aligner {
    pub(super) fn new(delay_ms: u32) -> Self {
        Self { delay_ms, until_ms: delay_ms, ..Self::default() }
    }

    /// Creates the aligner for a clip. The marks of a clip count from the first character that is not white space.
    pub(super) fn of_clip(text: &str, delay_ms: u32) -> Self {
        let skipped = text.chars().take_while(|c| c.is_whitespace()).count();
        Self { untold: text.chars().collect(), skipped, ..Self::new(delay_ms) }
    }

    /// Adds text of the turn.
    pub(super) fn push(&mut self, text: &str) {
        self.untold.extend(text.chars());
    }

    /// Returns the times of words, of the characters before them, and of the white space after them that has
    /// been received. Clients consider a word complete when they receive this white space.
    pub(super) fn words(&mut self, marks: &[WordMark]) -> CharTimes {
        let mut times = CharTimes::default();
        for mark in marks {
            let (start, end) =
                (mark.char_start as usize + self.skipped, mark.char_end as usize + self.skipped);
            self.tell(start, mark.start_ms + self.delay_ms, &mut times);
            self.tell(end, mark.end_ms + self.delay_ms, &mut times);
            while self.untold.front().is_some_and(|c| c.is_whitespace()) {
                self.tell(self.told + 1, self.until_ms, &mut times);
            }
        }
        times
    }

    /// Returns the times of the remaining characters. The last one ends with the audio: after `sound_ms`
    /// milliseconds plus the delay of the encoder.
    pub(super) fn rest(&mut self, sound_ms: u32) -> CharTimes {
        let mut times = CharTimes::default();
        self.tell(self.told + self.untold.len(), sound_ms + self.delay_ms, &mut times);
        times
    }

    /// Adds the characters up to a position to `times`, and divides the time up to `end_ms` equally among them.
    fn tell(&mut self, place: usize, end_ms: u32, times: &mut CharTimes) {
        let count = place.saturating_sub(self.told).min(self.untold.len());
        let begins = self.until_ms;
        let length = u64::from(end_ms.saturating_sub(begins));
        let at = |chars: usize| begins + (length * chars as u64 / count as u64) as u32;
        for (index, text) in self.untold.drain(..count).enumerate() {
            times.0.push(CharTime { text, start_ms: at(index), end_ms: at(index + 1) });
        }
        self.told += count;
        self.until_ms = begins.max(end_ms);
    }
}

impl CharTimes {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Appends later times.
    pub(super) fn extend(&mut self, later: Self) {
        self.0.extend(later.0);
    }

    /// Returns the end of the last character.
    pub(super) fn end_ms(&self) -> Option<u32> {
        self.0.last().map(|time| time.end_ms)
    }

    /// Returns the times in the format of the WebSocket, relative to the time `base_ms` in the turn.
    pub(super) fn for_socket(&self, base_ms: u32) -> SocketAlignment {
        let all = || self.0.iter();
        SocketAlignment {
            chars: all().map(|time| time.text).collect(),
            char_start_times_ms: all().map(|time| time.start_ms.saturating_sub(base_ms)).collect(),
            char_durations_ms: all().map(|time| time.end_ms - time.start_ms).collect(),
        }
    }

    /// Returns the times in the format of a clip's body.
    pub(super) fn for_clip(&self) -> ClipAlignment {
        let all = || self.0.iter();
        let seconds = |ms: u32| f64::from(ms) / 1_000.0;
        ClipAlignment {
            characters: all().map(|time| time.text).collect(),
            character_start_times_seconds: all().map(|time| seconds(time.start_ms)).collect(),
            character_end_times_seconds: all().map(|time| seconds(time.end_ms)).collect(),
        }
    }
}

/// Times in the format of the WebSocket.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SocketAlignment {
    chars: Vec<char>,
    char_start_times_ms: Vec<u32>,
    char_durations_ms: Vec<u32>,
}

/// Character timestamps, in seconds from the start of the clip: three lists of the same length.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = ElevenLabsAlignment)]
pub(crate) struct ClipAlignment {
    /// Each character of the text, once and in order.
    characters: Vec<char>,
    /// Start of each character.
    character_start_times_seconds: Vec<f64>,
    /// End of each character.
    character_end_times_seconds: Vec<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(text: &str, chars: std::ops::Range<u32>, ms: std::ops::Range<u32>) -> WordMark {
        WordMark {
            text: text.to_owned(),
            start_ms: ms.start,
            end_ms: ms.end,
            char_start: chars.start,
            char_end: chars.end,
            spoken: None,
        }
    }

    fn times(times: &CharTimes) -> Vec<(char, u32, u32)> {
        times.0.iter().map(|time| (time.text, time.start_ms, time.end_ms)).collect()
    }

    #[test]
    fn word_times_are_distributed_over_characters_including_spaces() {
        let mut aligner = Aligner::new(0);
        aligner.push(" ab - ");
        aligner.push("cd");
        let first = aligner.words(&[mark("ab", 1..3, 20..120)]);
        assert_eq!(times(&first), [(' ', 0, 20), ('a', 20, 70), ('b', 70, 120), (' ', 120, 120)]);
        let second = aligner.words(&[mark("cd", 6..8, 200..301)]);
        assert_eq!(times(&second), [('-', 120, 160), (' ', 160, 200), ('c', 200, 250), ('d', 250, 301)]);
        aligner.push(" 🙂");
        assert_eq!(times(&aligner.rest(401)), [(' ', 301, 351), ('🙂', 351, 401)]);
        assert!(aligner.rest(500).is_empty(), "each once");
    }

    #[test]
    fn times_are_relative_to_the_given_base() {
        let mut aligner = Aligner::new(0);
        aligner.push("ab cd");
        let first = aligner.words(&[mark("ab", 0..2, 10..110)]);
        let second = aligner.words(&[mark("cd", 3..5, 150..250)]);
        let json = |times: &CharTimes, base| serde_json::to_value(times.for_socket(base)).unwrap();
        let started = |times: &CharTimes, base| json(times, base)["charStartTimesMs"].clone();
        assert_eq!(started(&second, 0), serde_json::json!([150, 200]));
        assert_eq!(started(&second, first.end_ms().unwrap()), serde_json::json!([40, 90]));
        assert_eq!(json(&second, 0)["charDurationsMs"], serde_json::json!([50, 50]));
        assert_eq!(json(&second, 0)["chars"], serde_json::json!(["c", "d"]));
    }

    #[test]
    fn clip_marks_exclude_leading_space_and_include_encoder_delay() {
        let mut aligner = Aligner::of_clip("\n ab ", 50);
        let aligned = aligner.words(&[mark("ab", 0..2, 10..110)]);
        assert_eq!(
            times(&aligned),
            [('\n', 50, 55), (' ', 55, 60), ('a', 60, 110), ('b', 110, 160), (' ', 160, 160)]
        );
        let json = serde_json::to_value(aligned.for_clip()).unwrap();
        assert_eq!(json["character_end_times_seconds"][3], 0.16);
        assert!(aligner.rest(300).is_empty());
    }

    #[test]
    fn overlapping_or_excessive_marks_repeat_no_characters() {
        let mut aligner = Aligner::new(0);
        aligner.push("abc");
        let aligned = aligner.words(&[mark("ab", 0..2, 0..100), mark("bc", 1..9, 80..120)]);
        assert_eq!(times(&aligned), [('a', 0, 50), ('b', 50, 100), ('c', 100, 120)]);
    }
}
