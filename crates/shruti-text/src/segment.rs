//! Text in pieces to segments: what is spoken in one breath.

use std::collections::VecDeque;
use std::ops::Range;

/// Cleaned text that knows where each of its characters stood in the text as it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourcedText {
    /// The text.
    pub text: String,
    /// For each character of `text`, its place in the text as sent, in Unicode scalar values.
    pub offsets: Vec<u32>,
}

impl SourcedText {
    /// Appends a character that came from `offset`.
    pub fn push(&mut self, c: char, offset: u32) {
        self.text.push(c);
        self.offsets.push(offset);
    }

    /// The part of the source that a range of characters (not bytes) covers.
    pub fn source(&self, chars: Range<usize>) -> Range<u32> {
        let covered = self.offsets.get(chars).unwrap_or(&[]);
        match (covered.first(), covered.last()) {
            (Some(&first), Some(&last)) => first..last + 1,
            _ => 0..0,
        }
    }
}

/// How a segment ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// `.` `।` `…` and their like.
    Sentence,
    /// `?`.
    Question,
    /// `!`.
    Exclamation,
    /// `;` `:` and dashes.
    Clause,
    /// `,`.
    Comma,
    /// A line or paragraph ended without punctuation.
    Line,
    /// The text ended, was flushed, or ran too long without a pause.
    Cut,
}

/// A stretch of text that is spoken in one breath; it ends with its punctuation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its place in the turn, from 0.
    pub index: u32,
    /// The cleaned text, its closing punctuation included.
    pub text: SourcedText,
    /// How it ended.
    pub close: Close,
    /// Whether a sentence begins here.
    pub begins_sentence: bool,
}

/// Cuts text that arrives in pieces into segments, the same ones however it was cut into pieces.
#[derive(Debug, Default)]
pub struct Segmenter {
    waiting: VecDeque<(char, u32)>,
    received: u32,
    produced: u32,
    in_sentence: bool,
    draining: bool,
}

impl Segmenter {
    /// A segmenter at the start of a turn.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece of the text.
    pub fn push(&mut self, piece: &str) {
        for c in piece.chars() {
            self.waiting.push_back((c, self.received));
            self.received += 1;
        }
    }

    /// Lets what is held back be spoken; more text may follow.
    pub fn flush(&mut self) {
        self.draining = true;
    }

    /// Says that no more text follows.
    pub fn finish(&mut self) {
        self.draining = true;
    }

    /// The next complete segment, or `None` when what is there is held back.
    pub fn next_segment(&mut self) -> Option<Segment> {
        let end = self.waiting.iter().position(|(c, _)| matches!(c, '.' | '?' | '!' | '।' | ',' | '\n'));
        let length = match end {
            Some(end) => end + 1,
            None if self.draining && !self.waiting.is_empty() => self.waiting.len(),
            None => {
                self.draining = false;
                return None;
            }
        };
        let mut text = SourcedText::default();
        for (c, offset) in self.waiting.drain(..length) {
            text.push(c, offset);
        }
        let close = match text.text.chars().last() {
            Some('.' | '।') => Close::Sentence,
            Some('?') => Close::Question,
            Some('!') => Close::Exclamation,
            Some(',') => Close::Comma,
            Some('\n') => Close::Line,
            _ => Close::Cut,
        };
        let segment = Segment { index: self.produced, text, close, begins_sentence: !self.in_sentence };
        self.produced += 1;
        self.in_sentence = matches!(close, Close::Comma | Close::Clause | Close::Cut);
        Some(segment)
    }
}
