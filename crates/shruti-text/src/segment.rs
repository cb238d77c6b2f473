//! Text in pieces to segments: what is spoken in one breath.
//!
//! A cut is decided by the text up to the segment's closing punctuation, never by how the text was cut into pieces.
//! Where nothing that follows can take a mark back (`।`, `?`, a comma behind a word) the segment ends at once; a full
//! stop, a colon, a dash or a comma behind a month waits for the one or two characters that tell what it is (`3.14`,
//! `OTP: 4582`, `10 - 15`, `15 August, 1947`).
//! Work is done for one segment at a time, and each character is looked at once, or again where a long segment is cut
//! before its last clause or phrase.

mod boundaries;
mod sourced;
mod typing_faults;

use std::collections::VecDeque;

use shruti_lang::Language;

use crate::chars::{is_alphanumeric, is_numeric};
use crate::clean::{CleanChar, Cleaner};
use crate::prosody::{begins_clause, ends_phrase};
pub use sourced::SourcedText;

/// Words after which a segment is cut before the last word that begins a clause, or else the last phrase, or else at
/// the next white space.
const MOST_WORDS: usize = 25;

/// Words that it keeps when it is cut before a conjunction, at least.
const FEWEST_WORDS: usize = 8;

/// The same where it is cut between phrases.
const LATE_WORDS: usize = 16;

/// Words after which it is cut even behind a number or an abbreviation.
const MOST_WORDS_WITH_NUMBERS: usize = 40;

/// Characters after which it is cut whatever they are: signs and digits are spoken as many words, and count as none.
const MOST_CHARACTERS: usize = 1000;

/// How many bytes of a sentence before a segment are kept for what they say of its numbers, at most.
const LONGEST_LEAD: usize = 400;

/// Characters after which a word without white space is cut, between two letters.
const LONGEST_WORD: usize = 200;

/// Characters after which it is cut even within a letter and its marks.
const LONGEST_CLUSTERS: usize = 2 * LONGEST_WORD;

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
    /// The text ended without punctuation.
    End,
    /// The text ran too long without punctuation.
    Long,
    /// The text was flushed, or a word or a row of signs ran too long.
    Cut,
    /// Markup asks for a pause.
    Break,
}

/// A stretch of text that is spoken in one breath; it ends with its punctuation.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    /// Its place in the turn, from 0.
    pub index: u32,
    /// The cleaned text, its closing punctuation included; empty only where there is a pause.
    pub text: SourcedText,
    /// The end of its sentence before it; empty where it begins the sentence.
    pub lead: String,
    /// How it ended.
    pub close: Close,
    /// Whether a sentence begins here.
    pub begins_sentence: bool,
    /// Whether a line begins here.
    pub begins_line: bool,
    /// How long a pause markup asks for behind it, in milliseconds.
    pub pause_ms: u32,
    /// Where the text as sent has been read up to, in Unicode scalar values.
    pub char_end: u32,
}

/// How much of what is held back is to be given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Drain {
    /// Only what is complete.
    #[default]
    Nothing,
    /// What ends at white space.
    Words,
    /// Everything; more may follow.
    Everything,
    /// Everything; it is the end of the text.
    End,
}

/// Cuts text that arrives in pieces into segments, the same ones however it was cut into pieces.
#[derive(Debug)]
pub struct Segmenter {
    cleaner: Cleaner,
    /// Cleaned characters that are in no segment yet.
    waiting: VecDeque<CleanChar>,
    /// How many of `waiting` have been decided about: no cut lies among them.
    scanned: usize,
    /// The word that the scan is in, as far as it has been read.
    word: String,
    /// Its length in characters; `word` keeps no more than [`LONGEST_WORD`].
    word_length: usize,
    /// The word before it.
    previous_word: String,
    words: usize,
    /// Where the last clause of the segment begins that may be left to the next one.
    clause: Option<usize>,
    /// The same of the last phrase.
    phrase: Option<usize>,
    /// Characters before the scan that are no white space.
    visible: usize,
    received: u32,
    produced: u32,
    in_sentence: bool,
    /// The end of the sentence that the last segment left open.
    lead: String,
    in_line: bool,
    drain: Drain,
}

impl Default for Segmenter {
    fn default() -> Self {
        Self {
            cleaner: Cleaner::default(),
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
            lead: String::new(),
            in_line: false,
            drain: Drain::Nothing,
        }
    }
}

/// What the scan found at a character.
enum Found {
    /// A segment ends after so many waiting characters.
    End(usize, Close),
    /// None ends here.
    Nothing,
    /// What follows decides.
    NeedMore,
}

impl Segmenter {
    /// A segmenter at the start of a turn.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece of the text.
    pub fn push(&mut self, piece: &str) {
        for c in piece.chars() {
            self.cleaner.push(c, self.received);
            self.received = self.received.saturating_add(1);
        }
    }

    /// Lets what ends at white space, or with the closing mark of a sentence or clause, be spoken; the unfinished last
    /// word stays.
    pub fn flush_words(&mut self) {
        self.drain = self.drain.max(Drain::Words);
    }

    /// Lets what is held back be spoken; more text may follow.
    pub fn flush(&mut self) {
        self.drain = self.drain.max(Drain::Everything);
    }

    /// Says that no more text follows.
    pub fn finish(&mut self) {
        self.drain = Drain::End;
    }

    /// The next complete segment, or `None` when what is there is held back.
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
                let lead = self.lead_before(&text.text);
                let begins_line = !std::mem::replace(&mut self.in_line, close != Close::Line);
                self.produced += 1;
                return Some(Segment {
                    index,
                    text,
                    lead,
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
                        lead: String::new(),
                        close,
                        begins_sentence,
                        begins_line,
                        pause_ms,
                        char_end,
                    });
                }
                Close::Line => {
                    self.in_sentence = false;
                    self.lead.clear();
                    self.in_line = false;
                }
                _ => {}
            }
        }
    }

    /// What has been kept of the sentence before the segment `text`; the segment is kept where it leaves the sentence open.
    fn lead_before(&mut self, text: &str) -> String {
        let lead = std::mem::take(&mut self.lead);
        if self.in_sentence {
            let start = (lead.len() + text.len()).saturating_sub(LONGEST_LEAD);
            let kept = (start..=lead.len()).find(|&at| lead.is_char_boundary(at)).unwrap_or(lead.len());
            let whole = (start.saturating_sub(lead.len())..=text.len()).find(|&at| text.is_char_boundary(at));
            self.lead.push_str(&lead[kept..]);
            if !self.lead.is_empty() {
                self.lead.push(' ');
            }
            self.lead.push_str(&text[whole.unwrap_or(text.len())..]);
        }
        lead
    }

    /// Whether the text is SSML; known once a segment has been cut.
    pub fn is_document(&self) -> bool {
        self.cleaner.is_document()
    }

    /// The language that an SSML text says it is in; known once a segment has been cut.
    pub fn document_language(&self) -> Option<Language> {
        self.cleaner.document_language()
    }

    /// Where the next segment ends, if that is known.
    fn find_end(&mut self) -> Option<(usize, Close)> {
        let all = self.drain >= Drain::Everything;
        while let Some(c) = self.peek(self.scanned, all) {
            let whole = self.waiting.get(self.scanned).is_some_and(|clean| clean.whole);
            let found = if whole { Found::Nothing } else { self.look(c, all) };
            match found {
                Found::End(length, close) => return Some((length, close)),
                Found::Nothing => self.pass(c),
                Found::NeedMore => break,
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

    /// The cleaned character at `at`, if it has come.
    fn peek(&mut self, at: usize, all: bool) -> Option<char> {
        while self.waiting.len() <= at {
            let clean = self.cleaner.next_char(all)?;
            self.waiting.push_back(clean);
        }
        self.waiting.get(at).map(|clean| clean.c)
    }

    /// The character after `at`: the outer `None` says that it has not come, the inner that none will.
    #[allow(clippy::option_option)] // both layers are said above, and every caller tells them apart
    fn after(&mut self, at: usize, all: bool) -> Option<Option<char>> {
        match self.peek(at + 1, all) {
            Some(c) => Some(Some(c)),
            None if all => Some(None),
            None => None,
        }
    }

    /// Goes past a character that ends nothing.
    fn pass(&mut self, c: char) {
        self.scanned += 1;
        if c.is_whitespace() {
            if !self.word.is_empty() {
                let start = self.scanned - 1 - self.word_length;
                if self.words >= FEWEST_WORDS && begins_clause(&self.word) {
                    self.clause = Some(start);
                }
                if self.words >= LATE_WORDS && ends_phrase(&self.previous_word, &self.word) {
                    self.phrase = Some(start);
                }
                self.words += usize::from(self.word.chars().any(is_alphanumeric));
                self.previous_word = std::mem::take(&mut self.word);
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

    /// White space: a cut when the segment has grown long.
    fn white_space(&self, at: usize) -> Found {
        if self.word.is_empty() {
            return Found::Nothing;
        }
        if self.visible >= MOST_CHARACTERS {
            return Found::End(at + 1, Close::Cut);
        }
        if self.words + 1 < MOST_WORDS {
            return Found::Nothing;
        }
        let open = self.word.chars().any(is_numeric)
            || self.word.ends_with('.')
            || !self.word.chars().any(is_alphanumeric);
        if open && self.words < MOST_WORDS_WITH_NUMBERS {
            Found::Nothing
        } else {
            let before = begins_clause(&self.word).then(|| at - self.word_length);
            Found::End(before.or(self.clause).or(self.phrase).unwrap_or(at + 1), Close::Long)
        }
    }
}

#[cfg(test)]
mod tests;
