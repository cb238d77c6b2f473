//! Segmenter: cuts a text that arrives in pieces into segments, each spoken in one breath.
//!
//! Unless the text is flushed, a cut depends only on the text, never on how the text was split into pieces. A segment
//! ends immediately at a mark whose function does not depend on later text (`।`, `?`, a comma after a word). A full
//! stop, a colon, a dash or a comma after a month waits for the one or two characters that determine its function
//! (`3.14`, `OTP: 4582`, `10 - 15`, `15 August, 1947`). Text is processed one segment at a time. Each character is
//! examined once; if a long segment is cut before its last clause or phrase, the characters after the cut are examined
//! again.

mod boundaries;
mod sentence_start;
mod sourced;
mod typing_faults;

use std::collections::VecDeque;

use shruti_lang::Language;

use crate::chars::{is_alphanumeric, is_numeric};
use crate::clean::Cleaner;
use crate::clean_char::CleanChar;
use crate::prosody::{begins_clause, ends_phrase};
pub use sourced::SourcedText;

/// Number of words after which a segment is cut: before the last word that starts a clause, otherwise before the last
/// phrase, otherwise at the next white space.
const MAX_WORDS: usize = 25;

/// Minimum number of words before a conjunction at which a long segment is cut.
const FEWEST_WORDS: usize = 8;

/// Minimum number of words before a phrase boundary at which a long segment is cut.
const LATE_WORDS: usize = 16;

/// Number of words after which a segment is cut even if its last word is a number, an abbreviation or a sign.
const MAX_WORDS_WITH_NUMBERS: usize = 40;

/// Number of characters, without white space, after which a segment is unconditionally cut at the next white space. A
/// sign does not count as a word and a number counts as one, but both can be spoken as many words.
const MAX_CHARACTERS: usize = 1000;

/// Maximum number of bytes kept from the preceding part of the sentence. This text is the context for reading numbers.
const MAX_CONTEXT_BYTES: usize = 400;

/// Number of characters after which a word without white space is cut between two letters.
const LONGEST_WORD: usize = 200;

/// Number of characters after which a word is cut even between a letter and its marks.
const LONGEST_CLUSTERS: usize = 2 * LONGEST_WORD;

/// Kind of end of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// `.`, `।`, `…` and other marks that end a sentence.
    Sentence,
    /// `?`.
    Question,
    /// `!`.
    Exclamation,
    /// `;`, `:` and dashes.
    Clause,
    /// `,`.
    Comma,
    /// A line or paragraph ended without punctuation.
    Line,
    /// The text ended without punctuation.
    End,
    /// The text grew too long without punctuation.
    Long,
    /// The text was flushed, or a word, a sequence of signs or the whole segment exceeded its limit of characters.
    Cut,
    /// Markup requests a pause.
    Break,
}

/// Stretch of text that is spoken in one breath, including its closing punctuation.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Index in the turn, from 0. A pause without text has the index of the next segment with text.
    pub index: u32,
    /// Cleaned text, including its closing punctuation. It is empty only for a pause without text.
    pub text: SourcedText,
    /// Part of the sentence before this segment, without its beginning if it is long; empty if the segment starts the
    /// sentence.
    pub sentence_context: String,
    /// Kind of end.
    pub close: Close,
    /// Whether the segment starts a sentence.
    pub begins_sentence: bool,
    /// Whether the segment starts a line.
    pub begins_line: bool,
    /// Length of the pause that markup requests after the segment, in milliseconds.
    pub pause_ms: u32,
    /// End of the segment in the source text, including the white space after it, in Unicode scalar values.
    pub char_end: u32,
}

/// Part of the held-back text that is released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Drain {
    /// Complete segments only.
    #[default]
    Nothing,
    /// Words that are followed by white space.
    Words,
    /// All text; more may follow.
    Everything,
    /// All text; no more follows.
    End,
}

/// Segmenter for a text that arrives in pieces. The segments do not depend on how the text is split into pieces.
#[derive(Debug)]
pub struct Segmenter {
    cleaner: Cleaner,
    /// Language of the text, if it is known.
    language: Option<Language>,
    /// Cleaned characters that are not part of a segment yet.
    waiting: VecDeque<CleanChar>,
    /// Number of characters at the start of `waiting` that have been scanned and contain no cut.
    scanned: usize,
    /// Word at the scan position, as far as it has been read.
    word: String,
    /// Length of the word in characters; `word` keeps at most the first [`LONGEST_WORD`] characters.
    word_length: usize,
    /// Preceding word.
    previous_word: String,
    words: usize,
    /// Index in `waiting` of the start of the last clause before which the segment may be cut.
    clause: Option<usize>,
    /// Index in `waiting` of the start of the last phrase before which the segment may be cut.
    phrase: Option<usize>,
    /// Number of scanned characters that are not white space.
    visible: usize,
    received: u32,
    produced: u32,
    in_sentence: bool,
    /// Latest part of the sentence that the previous segment left open.
    sentence_context: String,
    in_line: bool,
    drain: Drain,
}

impl Default for Segmenter {
    fn default() -> Self {
        Self {
            cleaner: Cleaner::default(),
            language: None,
            waiting: VecDeque::new(),
            scanned: 0,
            word: String::new(),
            word_length: 0,
            previous_word: String::new(),
            words: 0,
            clause: None,
            phrase: None,
            visible: 0,
            received: 0,
            produced: 0,
            in_sentence: false,
            sentence_context: String::new(),
            in_line: false,
            drain: Drain::Nothing,
        }
    }
}

/// Decision about a character.
enum Decision {
    /// A segment ends after the given number of characters of `waiting`.
    End(usize, Close),
    /// No segment ends here.
    Continue,
    /// More text is needed to decide.
    NeedMore,
}

impl Segmenter {
    /// Creates a segmenter at the start of a turn.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the language of the text from the next segment on. This call matters only for a language in beta, whose
    /// abbreviations and conjunctions the segmenter would otherwise not know.
    pub fn set_language(&mut self, language: Language) {
        self.language = Some(language);
    }

    /// Adds the next piece of the text.
    pub fn push(&mut self, piece: &str) {
        self.cleaner.reserve(piece.chars().count());
        for c in piece.chars() {
            self.cleaner.push(c, self.received);
            self.received = self.received.saturating_add(1);
        }
    }

    /// Releases the text up to the last white space, or up to the closing mark of a sentence or clause. Holds back the
    /// unfinished last word.
    pub fn flush_words(&mut self) {
        self.drain = self.drain.max(Drain::Words);
    }

    /// Releases all held-back text; more text may follow.
    pub fn flush(&mut self) {
        self.drain = self.drain.max(Drain::Everything);
    }

    /// Marks the end of the text.
    pub fn finish(&mut self) {
        self.drain = Drain::End;
    }

    /// Returns the next complete segment, or `None` if more text is needed or no text is left.
    pub fn next_segment(&mut self) -> Option<Segment> {
        loop {
            let Some((length, close)) = self.find_end() else {
                self.drain = Drain::Nothing;
                return None;
            };
            let characters: Vec<CleanChar> = self.waiting.drain(..length).collect();
            let pause_ms = if close == Close::Break { self.cleaner.next_pause() } else { 0 };
            let char_end = characters.last().map_or(0, |clean| clean.end);
            self.scanned = 0;
            self.words = 0;
            self.visible = 0;
            self.word.clear();
            self.word_length = 0;
            self.previous_word.clear();
            self.clause = None;
            self.phrase = None;
            let begin = characters.iter().take_while(|clean| clean.c.is_whitespace()).count();
            let end = characters.len()
                - characters.iter().rev().take_while(|clean| clean.c.is_whitespace()).count();
            let begins_sentence = !self.in_sentence;
            let index = self.produced;
            if begin < end {
                self.in_sentence =
                    matches!(close, Close::Comma | Close::Clause | Close::Long | Close::Cut | Close::Break);
                let mut text = SourcedText::composed(&characters[begin..end]);
                text.marked = self.cleaner.marked(characters[begin].start..characters[end - 1].end);
                let sentence_context = self.context_before(&text.text);
                let begins_line = !std::mem::replace(&mut self.in_line, close != Close::Line);
                self.produced += 1;
                return Some(Segment {
                    index,
                    text,
                    sentence_context,
                    close,
                    begins_sentence,
                    begins_line,
                    pause_ms,
                    char_end,
                });
            }
            match close {
                Close::Break => {
                    let (text, begins_line) = (SourcedText::default(), !self.in_line);
                    return Some(Segment {
                        index,
                        text,
                        sentence_context: String::new(),
                        close,
                        begins_sentence,
                        begins_line,
                        pause_ms,
                        char_end,
                    });
                }
                Close::Line => {
                    self.in_sentence = false;
                    self.sentence_context.clear();
                    self.in_line = false;
                }
                _ => {}
            }
        }
    }

    /// Returns the stored context of the segment `text`, and stores the context of the next segment. The new context
    /// includes `text` if this segment leaves the sentence open.
    fn context_before(&mut self, text: &str) -> String {
        let sentence_context = std::mem::take(&mut self.sentence_context);
        if self.in_sentence {
            let start = (sentence_context.len() + text.len()).saturating_sub(MAX_CONTEXT_BYTES);
            let context_start = (start..=sentence_context.len())
                .find(|&at| sentence_context.is_char_boundary(at))
                .unwrap_or(sentence_context.len());
            let text_start = (start.saturating_sub(sentence_context.len())..=text.len())
                .find(|&at| text.is_char_boundary(at));
            self.sentence_context.push_str(&sentence_context[context_start..]);
            if !self.sentence_context.is_empty() {
                self.sentence_context.push(' ');
            }
            self.sentence_context.push_str(&text[text_start.unwrap_or(text.len())..]);
        }
        sentence_context
    }

    /// Returns whether the text is SSML. The result is final once a segment has been cut.
    pub fn is_document(&self) -> bool {
        self.cleaner.is_document()
    }

    /// Returns the language that an SSML document declares. The language is known once a segment has been cut.
    pub fn document_language(&self) -> Option<Language> {
        self.cleaner.document_language()
    }

    /// Returns the length of the next segment in characters and the kind of its end, or `None` if the end is not known
    /// yet.
    fn find_end(&mut self) -> Option<(usize, Close)> {
        let all = self.drain >= Drain::Everything;
        while let Some(c) = self.peek(self.scanned, all) {
            let is_whole = self.waiting.get(self.scanned).is_some_and(|clean| clean.whole);
            let found = if is_whole { Decision::Continue } else { self.look(c, all) };
            match found {
                Decision::End(length, close) => return Some((length, close)),
                Decision::Continue => self.pass(c),
                Decision::NeedMore => break,
            }
        }
        if self.drain == Drain::Words
            && let Some(end) = self.end_before_pause()
        {
            return Some(end);
        }
        let length = match self.drain {
            Drain::Nothing => 0,
            Drain::Everything | Drain::End => self.waiting.len(),
            Drain::Words => {
                let seen = self.waiting.iter().take(self.scanned);
                self.scanned - seen.rev().take_while(|clean| !clean.c.is_whitespace()).count()
            }
        };
        let close = if self.drain == Drain::End { Close::End } else { Close::Cut };
        (length > 0).then_some((length, close))
    }

    /// Returns the cleaned character at index `at` of `waiting` if it has arrived. If `all` is true, an unfinished
    /// element in the cleaner is released as text.
    fn peek(&mut self, at: usize, all: bool) -> Option<char> {
        while self.waiting.len() <= at {
            let clean = self.cleaner.next_char(all)?;
            self.waiting.push_back(clean);
        }
        self.waiting.get(at).map(|clean| clean.c)
    }

    /// Returns the character after index `at`. The outer `None` means that the character has not arrived yet, the inner
    /// `None` that the text ends before it.
    #[allow(clippy::option_option)] // documented above, and every caller distinguishes both layers
    fn after(&mut self, at: usize, all: bool) -> Option<Option<char>> {
        match self.peek(at + 1, all) {
            Some(c) => Some(Some(c)),
            None if all => Some(None),
            None => None,
        }
    }

    /// Moves the scan past a character that does not end a segment.
    fn pass(&mut self, c: char) {
        self.scanned += 1;
        if c.is_whitespace() {
            if !self.word.is_empty() {
                let start = self.scanned - 1 - self.word_length;
                if self.words >= FEWEST_WORDS && begins_clause(&self.word, self.language) {
                    self.clause = Some(start);
                }
                if self.words >= LATE_WORDS && ends_phrase(&self.previous_word, &self.word, self.language) {
                    self.phrase = Some(start);
                }
                self.words += usize::from(self.word.chars().any(is_alphanumeric));
                // swap the words to keep the capacity of both buffers
                std::mem::swap(&mut self.previous_word, &mut self.word);
                self.word.clear();
            }
            self.word_length = 0;
        } else {
            self.visible += 1;
            self.word_length += 1;
            if self.word_length <= LONGEST_WORD {
                self.word.push(c);
            }
        }
    }

    /// Decides, at white space at index `at`, whether the segment is too long and, if so, where it is cut.
    fn white_space(&self, at: usize) -> Decision {
        if self.word.is_empty() {
            return Decision::Continue;
        }
        if self.visible >= MAX_CHARACTERS {
            return Decision::End(at + 1, Close::Cut);
        }
        if self.words + 1 < MAX_WORDS {
            return Decision::Continue;
        }
        let open = self.word.chars().any(is_numeric)
            || self.word.ends_with('.')
            || !self.word.chars().any(is_alphanumeric);
        if open && self.words < MAX_WORDS_WITH_NUMBERS {
            Decision::Continue
        } else {
            let before = begins_clause(&self.word, self.language).then(|| at - self.word_length);
            Decision::End(before.or(self.clause).or(self.phrase).unwrap_or(at + 1), Close::Long)
        }
    }
}

#[cfg(test)]
mod tests;
