//! Word marks: the times at which the words of the original text are spoken.

use std::collections::VecDeque;
use std::ops::Range;

use shruti_text::is_closing_punctuation;
use shruti_text::utterance::Word;
use unicode_normalization::UnicodeNormalization;

/// Time range in which a whitespace-delimited token of the text is spoken.
///
/// Marks are in text order and do not overlap. Words of the same token share its mark, and tokens that are covered by
/// one expansion (`Rs. 1,25,000`) have a single mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordMark {
    /// Original token, including its punctuation.
    pub text: String,
    /// Start of the token in the audio of the stream, in milliseconds.
    pub start_ms: u32,
    /// End of the token in the audio of the stream, in milliseconds.
    pub end_ms: u32,
    /// Start of the token in the text, in Unicode scalar values.
    pub char_start: u32,
    /// End of the token in the text, in Unicode scalar values.
    pub char_end: u32,
    /// Spoken words, if they differ from the token.
    pub spoken: Option<String>,
}

/// A mark whose position in the audio may still change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedMark {
    /// Original token.
    pub text: String,
    /// Position in the text, in Unicode scalar values.
    pub source: Range<u32>,
    /// Position in the audio, in samples of the stream.
    pub samples: Range<u64>,
    /// Spoken words, if they differ from the token.
    pub spoken: Option<String>,
}

impl TimedMark {
    /// Converts the mark to a mark for the listener, with times in milliseconds.
    pub fn finish(self, sample_rate: u32) -> WordMark {
        let rate = u64::from(sample_rate);
        let ms = |samples: u64| u32::try_from((samples * 1000 + rate / 2) / rate).unwrap_or(u32::MAX);
        WordMark {
            text: self.text,
            start_ms: ms(self.samples.start),
            end_ms: ms(self.samples.end),
            char_start: self.source.start,
            char_end: self.source.end,
            spoken: self.spoken,
        }
    }
}

/// The part of the original text that has not been marked.
#[derive(Debug, Default)]
pub struct Transcript {
    /// Characters of the text from position `marked` on.
    ahead: VecDeque<char>,
    marked: u32,
    /// Whether the text continues directly after a mark, possibly in the middle of a token.
    within_token: bool,
    /// Whether the text is SSML. In SSML, tags separate tokens as whitespace does.
    pub is_ssml: bool,
}

/// Words that share a mark.
struct Group {
    source: Range<u32>,
    samples: Range<u64>,
    spoken: String,
}

impl Transcript {
    /// Appends the next piece of the text.
    pub fn push(&mut self, piece: &str) {
        self.ahead.extend(piece.chars());
    }

    /// Returns the marks of the words of an utterance. The utterance ends at `end` in the text; `times` contains the
    /// time range of each word, in samples of the stream.
    ///
    /// A token that is spoken in two utterances (`है।मैं`) has one mark per part. The result must not depend on whether
    /// the second part had arrived when the first one was spoken.
    pub fn mark(
        &mut self,
        words: &[Word],
        end: u32,
        times: impl Iterator<Item = Range<u64>>,
    ) -> Vec<TimedMark> {
        let mut groups: Vec<Group> = Vec::new();
        for (word, samples) in words.iter().zip(times) {
            let source = self.token(&word.source, end);
            if source.is_empty() {
                continue;
            }
            let mut group = Group { source, samples, spoken: word.text.clone() };
            while let Some(before) = groups.pop_if(|before| before.source.end > group.source.start) {
                group = before.joined(&group);
            }
            groups.push(group);
        }
        let marks = groups.into_iter().map(|group| self.timed(group)).collect::<Vec<_>>();
        if let Some(last) = marks.last() {
            self.ahead.drain(..(last.source.end - self.marked) as usize);
            self.marked = last.source.end;
            self.within_token = true;
        }
        marks
    }

    /// Returns the text at the positions `part`, without characters that have not arrived or have been marked.
    pub fn text(&self, part: &Range<u32>) -> String {
        let index = |at: u32| (at.saturating_sub(self.marked) as usize).min(self.ahead.len());
        let (start, end) = (index(part.start), index(part.end));
        self.ahead.range(start.min(end)..end).collect()
    }

    /// Removes the text of a clause without word marks. Returns the end of the clause in the text, including closing
    /// punctuation that has arrived and excluding trailing whitespace. Later marks start after this position.
    pub fn end_clause(&mut self, end: u32) -> u32 {
        let mut length = (end.saturating_sub(self.marked) as usize).min(self.ahead.len());
        while self.ahead.get(length).is_some_and(|&c| closes(c)) {
            length += 1;
        }
        while length > 0 && self.ahead.get(length - 1).is_some_and(|c| c.is_whitespace()) {
            length -= 1;
        }
        if length > 0 {
            self.ahead.drain(..length);
            self.marked += length as u32;
            self.within_token = true;
        }
        self.marked
    }

    /// Returns the range of the token or tokens that contain a part of the text. The range excludes text that has been
    /// marked and, after the end of the utterance, everything except closing punctuation.
    fn token(&self, part: &Range<u32>, utterance_end: u32) -> Range<u32> {
        let length = self.ahead.len();
        let index = |at: u32| (at.saturating_sub(self.marked) as usize).min(length);
        let (mut start, mut end) = (index(part.start), index(part.end));
        if start >= end {
            return 0..0;
        }
        let blank = |at: usize| self.ahead.get(at).is_none_or(|c| c.is_whitespace());
        let is_edge = |at: usize, c: char| self.is_ssml && self.ahead.get(at) == Some(&c);
        let offset = start;
        while start > 0 && !blank(start - 1) && !is_edge(start - 1, '>') {
            start -= 1;
        }
        if start == 0 && self.within_token {
            // closing punctuation belongs to the preceding part, even if it arrived too late for the mark of that part
            start += self.ahead.range(..offset).take_while(|&&c| closes(c)).count();
        }
        let utterance_end = index(utterance_end);
        while !blank(end)
            && !is_edge(end, '<')
            && (end < utterance_end || self.ahead.get(end).is_some_and(|&c| closes(c)))
        {
            end += 1;
        }
        while start < end && blank(start) {
            start += 1;
        }
        while start < end && blank(end - 1) {
            end -= 1;
        }
        self.marked + start as u32..self.marked + end as u32
    }

    fn timed(&self, group: Group) -> TimedMark {
        let Group { source, samples, spoken } = group;
        let (start, end) = ((source.start - self.marked) as usize, (source.end - self.marked) as usize);
        let text: String = self.ahead.range(start..end).collect();
        let spoken = (!same_words(&text, &spoken)).then_some(spoken);
        TimedMark { text, source, samples, spoken }
    }
}

impl Group {
    /// Returns the union of this group and a group that is spoken after it.
    fn joined(self, after: &Self) -> Self {
        Self {
            source: self.source.start.min(after.source.start)..self.source.end.max(after.source.end),
            samples: self.samples.start..after.samples.end.max(self.samples.end),
            spoken: format!("{} {}", self.spoken, after.spoken),
        }
    }
}

/// Returns whether a character belongs to the token before it, as closing punctuation and Markdown characters do.
pub fn closes(c: char) -> bool {
    is_closing_punctuation(c) || matches!(c, ',' | ';' | ':' | '،' | '؛' | '*' | '_' | '~' | '`')
}

/// Returns whether two texts have the same letters and digits, ignoring case, punctuation and Unicode normalisation.
fn same_words(written: &str, spoken: &str) -> bool {
    fn letters(text: &str) -> impl Iterator<Item = char> {
        text.nfd().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
    }
    letters(written).eq(letters(spoken))
}

#[cfg(test)]
mod tests {
    use shruti_lang::Language;
    use shruti_text::Class;
    use shruti_text::utterance::{Break, Delivery, Weight};

    use super::*;

    fn word(text: &str, source: Range<u32>) -> Word {
        Word {
            text: text.to_owned(),
            language: Language::Hindi,
            class: Class::Word,
            phones: Vec::new(),
            syllables: Vec::new(),
            source,
            extra_chars: 0,
            weight: Weight::Content,
            break_after: Break::None,
            aside: false,
            delivery: Delivery::default(),
        }
    }

    /// A mark as (text, samples, spoken).
    type Mark<T> = (T, Range<u64>, Option<String>);

    /// Words as (text, source).
    type Words<'a> = &'a [(&'a str, Range<u32>)];

    /// Returns the marks of words that last 100 samples each.
    fn marks(transcript: &mut Transcript, words: Words<'_>) -> Vec<Mark<String>> {
        let end = words.iter().map(|(_, source)| source.end).max().unwrap_or(0);
        marks_up_to(transcript, words, end)
    }

    /// Returns the marks of the words of an utterance that ends at `end`.
    fn marks_up_to(transcript: &mut Transcript, words: Words<'_>, end: u32) -> Vec<Mark<String>> {
        let words: Vec<Word> = words.iter().map(|(text, source)| word(text, source.clone())).collect();
        let times = (0..).map(|n: u64| n * 100..n * 100 + 100);
        let marks = transcript.mark(&words, end, times);
        marks.into_iter().map(|mark| (mark.text, mark.samples, mark.spoken)).collect()
    }

    #[test]
    fn tags_separate_tokens() {
        let mut transcript = Transcript { is_ssml: true, ..Transcript::default() };
        transcript.push("<speak>a<break time='1s'/>well-<b x='y z'>known</b>, b.</speak>");
        let words = [("a", 7..8), ("well", 26..30), ("known", 42..47), ("b", 53..54)];
        let marks = marks(&mut transcript, &words);
        let texts: Vec<&str> = marks.iter().map(|(text, ..)| text.as_str()).collect();
        assert_eq!(texts, ["a", "well-", "known", "b."]);
    }

    #[test]
    fn every_token_has_one_mark() {
        let some = |spoken: &str| Some(spoken.to_owned());
        #[rustfmt::skip]
        let cases: [(&str, Words<'_>, Vec<Mark<&str>>); 8] = [
            ("Hello, world.", &[("hello", 0..5), ("world", 7..12)],
             vec![("Hello,", 0..100, None), ("world.", 100..200, None)]),
            // two words in one token
            ("well-known fact", &[("well", 0..4), ("known", 5..10), ("fact", 11..15)],
             vec![("well-known", 0..200, None), ("fact", 200..300, None)]),
            // one expansion: its words share the source
            ("दाम ₹50 है", &[("दाम", 0..3), ("पचास", 4..7), ("रुपये", 4..7), ("है", 8..10)],
             vec![("दाम", 0..100, None), ("₹50", 100..300, some("पचास रुपये")), ("है", 300..400, None)]),
            // one expansion that covers two tokens
            ("Rs. 1,25,000 net", &[("one", 0..12), ("lakh", 0..12), ("net", 13..16)],
             vec![("Rs. 1,25,000", 0..200, some("one lakh")), ("net", 200..300, None)]),
            // words spoken in a different order from the text
            ("$5 million now", &[("five", 1..2), ("million", 3..10), ("dollars", 0..1), ("now", 11..14)],
             vec![("$5 million", 0..300, some("five million dollars")), ("now", 300..400, None)]),
            // tokens that are not spoken have no mark
            ("a - b", &[("a", 0..1), ("b", 4..5)], vec![("a", 0..100, None), ("b", 100..200, None)]),
            // composed and decomposed forms of a letter count as the same letter
            ("\u{958}लम", &[("\u{915}\u{93c}लम", 0..3)], vec![("\u{958}लम", 0..100, None)]),
            // a source range outside the text has no mark
            ("ab", &[("ab", 0..2), ("x", 7..9), ("y", 1..1)], vec![("ab", 0..100, None)]),
        ];
        for (text, words, expected) in cases {
            let mut transcript = Transcript::default();
            transcript.push(text);
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(text, samples, spoken)| (text.to_owned(), samples, spoken))
                .collect();
            let length = text.chars().count() as u32;
            assert_eq!(marks_up_to(&mut transcript, words, length), expected, "{text}");
        }
    }

    /// Creates an expected mark.
    fn mark(text: &str, samples: Range<u64>) -> Mark<String> {
        (text.to_owned(), samples, None)
    }

    #[test]
    fn marks_continue_across_utterances_without_overlap() {
        let mut transcript = Transcript::default();
        transcript.push("है।मैं ");
        assert_eq!(marks_up_to(&mut transcript, &[("है", 0..2)], 3), [mark("है।", 0..100)]);
        assert_eq!(marks(&mut transcript, &[("मैं", 3..6)]), [mark("मैं", 0..100)]);
        transcript.push("आया");
        assert_eq!(marks(&mut transcript, &[("आया", 7..10)]), [mark("आया", 0..100)]);
        assert_eq!(transcript.marked, 10);
    }

    #[test]
    fn marks_exclude_later_text_except_closing_punctuation() {
        // the first utterance ends with the comma
        let cases = [
            (["\"हाँ,\"", " मैं"], ["\"हाँ,\"", "मैं"]),
            (["\"हाँ,", "\" मैं"], ["\"हाँ,", "मैं"]),
            (["\"हाँ,\"(", "मैं"], ["\"हाँ,\"", "(मैं"]),
            (["\"हाँ,", "\"(मैं"], ["\"हाँ,", "(मैं"]),
        ];
        for (pieces, expected) in cases {
            let mut transcript = Transcript::default();
            transcript.push(pieces[0]);
            let first = marks_up_to(&mut transcript, &[("हाँ", 1..4)], 5);
            assert_eq!(first, [mark(expected[0], 0..100)], "{pieces:?}");
            transcript.push(pieces[1]);
            let start = pieces.concat().chars().position(|c| c == 'म').unwrap() as u32;
            let second = marks(&mut transcript, &[("मैं", start..start + 3)]);
            assert_eq!(second, [mark(expected[1], 0..100)], "{pieces:?}");
        }
    }

    #[test]
    fn word_split_by_a_flush_has_two_marks() {
        let mut transcript = Transcript::default();
        transcript.push("hel");
        assert_eq!(marks(&mut transcript, &[("hel", 0..3)]), [("hel".to_owned(), 0..100, None)]);
        transcript.push("lo you");
        let rest = marks(&mut transcript, &[("lo", 3..5), ("you", 6..9)]);
        assert_eq!(rest, [("lo".to_owned(), 0..100, None), ("you".to_owned(), 100..200, None)]);
    }

    #[test]
    fn times_are_rounded_to_milliseconds() {
        let mark = TimedMark { text: "a".to_owned(), source: 3..4, samples: 36..2_388, spoken: None };
        let mark = mark.finish(24_000);
        assert_eq!((mark.start_ms, mark.end_ms, mark.char_start, mark.char_end), (2, 100, 3, 4));
    }
}
