//! Text in pieces to segments: what is spoken in one breath.
//!
//! A cut is decided by the text up to the segment's closing punctuation, never by how the text was cut into pieces.
//! Where nothing that follows can take a mark back (`।`, `?`, a comma behind a letter) the segment ends at once; a
//! full stop, a colon or a dash waits for the one or two characters that tell what it is (`3.14`, `10:30`, `Dr. Rao`).
//! Work is done for one segment at a time, and each character is looked at once.

mod sourced;

use std::collections::VecDeque;

use unicode_normalization::char::is_combining_mark;

use crate::clean::{Cleaner, Kept};
use crate::normalize::abbreviation;
pub use sourced::SourcedText;

/// Words after which a segment is cut at the next white space.
const MOST_WORDS: usize = 25;

/// Words after which it is cut even behind a number or an abbreviation.
const MOST_WORDS_WITH_NUMBERS: usize = 40;

/// Characters after which it is cut whatever they are: signs and digits are spoken as many words, and count as none.
const MOST_CHARACTERS: usize = 1000;

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

/// How much of what is held back is to be given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Drain {
    /// Only what is complete.
    #[default]
    Nothing,
    /// What ends at white space.
    Words,
    /// Everything.
    Everything,
}

/// Cuts text that arrives in pieces into segments, the same ones however it was cut into pieces.
#[derive(Debug)]
pub struct Segmenter {
    cleaner: Cleaner,
    /// Cleaned characters that are in no segment yet.
    waiting: VecDeque<Kept>,
    /// How many of `waiting` have been decided about: no cut lies among them.
    scanned: usize,
    /// The word that the scan is in, as far as it has been read.
    word: String,
    /// Its length in characters; `word` keeps no more than [`LONGEST_WORD`].
    word_length: usize,
    /// The word before it.
    previous_word: String,
    words: usize,
    /// Characters before the scan that are no white space.
    visible: usize,
    received: u32,
    produced: u32,
    in_sentence: bool,
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
            visible: 0,
            received: 0,
            produced: 0,
            in_sentence: false,
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
        self.drain = Drain::Everything;
    }

    /// Says that no more text follows.
    pub fn finish(&mut self) {
        self.drain = Drain::Everything;
    }

    /// The next complete segment, or `None` when what is there is held back.
    pub fn next_segment(&mut self) -> Option<Segment> {
        loop {
            let Some((length, close)) = self.find_end() else {
                self.drain = Drain::Nothing;
                return None;
            };
            let characters: Vec<Kept> = self.waiting.drain(..length).collect();
            self.scanned = 0;
            self.words = 0;
            self.visible = 0;
            self.word.clear();
            self.word_length = 0;
            self.previous_word.clear();
            let begin = characters.iter().take_while(|kept| kept.c.is_whitespace()).count();
            let end =
                characters.len() - characters.iter().rev().take_while(|kept| kept.c.is_whitespace()).count();
            let begins_sentence = !self.in_sentence;
            if begin < end {
                self.in_sentence = matches!(close, Close::Comma | Close::Clause | Close::Cut);
                let text = SourcedText::composed(characters.into_iter().take(end).skip(begin));
                let segment = Segment { index: self.produced, text, close, begins_sentence };
                self.produced += 1;
                return Some(segment);
            }
            if close == Close::Line {
                self.in_sentence = false;
            }
        }
    }

    /// Where the next segment ends, if that is known.
    fn find_end(&mut self) -> Option<(usize, Close)> {
        let all = self.drain == Drain::Everything;
        while let Some(c) = self.peek(self.scanned, all) {
            match self.look(c, all) {
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
            Drain::Everything => self.waiting.len(),
            Drain::Words => {
                let seen = self.waiting.iter().take(self.scanned);
                self.scanned - seen.rev().take_while(|kept| !kept.c.is_whitespace()).count()
            }
        };
        (length > 0).then_some((length, Close::Cut))
    }

    /// Where a segment ends whose closing mark the text stopped behind: a pause there decides what the next character
    /// would have, unless the mark may belong to a number or an abbreviation.
    fn end_before_pause(&self) -> Option<(usize, Close)> {
        let mark = self.waiting.get(self.scanned)?.c;
        let close = match mark {
            '.' => Close::Sentence,
            ':' | ';' => Close::Clause,
            _ => return None,
        };
        let mut rest = self.waiting.iter().skip(self.scanned + 1);
        let decided = self.ends_in_letter() && !self.word_is_abbreviated() && !self.in_address();
        (decided && rest.all(|kept| is_closing(kept.c))).then_some((self.waiting.len(), close))
    }

    /// The cleaned character at `at`, if it has come.
    fn peek(&mut self, at: usize, all: bool) -> Option<char> {
        while self.waiting.len() <= at {
            let kept = self.cleaner.next_kept(all)?;
            self.waiting.push_back(kept);
        }
        self.waiting.get(at).map(|kept| kept.c)
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
                self.words += usize::from(self.word.chars().any(char::is_alphanumeric));
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

    /// Whether a segment ends with the character at the scan.
    fn look(&mut self, c: char, all: bool) -> Found {
        let at = self.scanned;
        match c {
            '\n' => return Found::End(at + 1, Close::Line),
            // nothing that may follow takes these back, so that a turn that pauses here is spoken at once
            '।' | '॥' | '۔' | '。' | '…' | '؟' | '？' | '！' | '෴' => {
                return Found::End(at + 1, close_of(c));
            }
            '?' | '!' if !self.in_address() => return Found::End(at + 1, close_of(c)),
            ',' | '،' | '、' if !self.ends_in_digit() => return Found::End(at + 1, Close::Comma),
            _ if c.is_whitespace() => return self.white_space(at),
            _ => {}
        }
        let Some(next) = self.after(at, all) else {
            return if needs_next(c) || self.word_length >= LONGEST_WORD {
                Found::NeedMore
            } else {
                Found::Nothing
            };
        };
        let found = match c {
            '?' | '!' if next.is_some_and(char::is_alphanumeric) => Found::Nothing,
            '?' | '!' => self.sentence(at, close_of(c), all),
            '.' => self.full_stop(at, next, all),
            ',' | '،' | '、' => {
                let within = next.is_some_and(char::is_numeric) && self.ends_in_digit();
                if within || self.is_day_of_month() {
                    Found::Nothing
                } else {
                    Found::End(at + 1, Close::Comma)
                }
            }
            ';' | ':' if next.is_none_or(char::is_whitespace) => Found::End(at + 1, Close::Clause),
            '—' | '–' | '-' => self.dash(at, c, next, all),
            _ => Found::Nothing,
        };
        match found {
            Found::Nothing if self.word_is_too_long(c, next) => Found::End(at + 1, Close::Cut),
            found => found,
        }
    }

    /// Whether a word without white space must be cut behind `c`.
    fn word_is_too_long(&self, c: char, next: Option<char>) -> bool {
        let within_cluster = c == '\u{200d}' || next.is_some_and(continues_cluster);
        self.word_length >= if within_cluster { LONGEST_CLUSTERS } else { LONGEST_WORD }
    }

    /// The end of a sentence: takes the marks and quotation marks that stand directly behind it.
    fn sentence(&mut self, at: usize, close: Close, all: bool) -> Found {
        let mut end = at + 1;
        let mut close = close;
        loop {
            match self.after(end - 1, all) {
                None => return Found::NeedMore,
                Some(Some(c)) if is_closing(c) && end - at < LONGEST_WORD => {
                    if matches!(c, '?' | '؟' | '？') {
                        close = Close::Question;
                    }
                    end += 1;
                }
                Some(_) => return Found::End(end, close),
            }
        }
    }

    fn full_stop(&mut self, at: usize, next: Option<char>, all: bool) -> Found {
        match next {
            Some('.') => return self.sentence(at, Close::Sentence, all),
            Some(c) if !c.is_whitespace() && !is_closing(c) => return Found::Nothing,
            _ => {}
        }
        // of what is behind, only white space can follow an abbreviation that does not end the segment
        if next.is_some_and(char::is_whitespace) && self.word_is_abbreviated() {
            return Found::Nothing;
        }
        self.sentence(at, Close::Sentence, all)
    }

    /// Whether the word before a full stop is an abbreviation, an initial, or the number of an item in a list.
    fn word_is_abbreviated(&self) -> bool {
        let word = self.word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let only_word = self.words == 0 && self.previous_word.is_empty();
        if only_word && self.word_length <= 3 && word.chars().all(char::is_numeric) {
            return true;
        }
        abbreviation::keeps_its_dot(word)
    }

    /// Whether the word is a web or mail address, in which `?` and `!` may stand.
    fn in_address(&self) -> bool {
        self.word.contains("://") || self.word.starts_with("www.") || self.word.contains('@')
    }

    fn ends_in_letter(&self) -> bool {
        self.word.chars().next_back().is_some_and(|c| c.is_alphabetic() || is_combining_mark(c))
    }

    fn ends_in_digit(&self) -> bool {
        self.word.chars().next_back().is_some_and(char::is_numeric)
    }

    /// Whether the comma stands in `August 15, 1947`.
    fn is_day_of_month(&self) -> bool {
        let digits = self.word.trim_end_matches(char::is_alphabetic);
        let day = !digits.is_empty() && self.word_length <= 4 && digits.chars().all(char::is_numeric);
        day && abbreviation::is_month(&self.previous_word)
    }

    /// A dash closes a clause unless it joins numbers or words.
    fn dash(&mut self, at: usize, c: char, next: Option<char>, all: bool) -> Found {
        let spaced_before = self.word.is_empty();
        let spaced_after = next.is_none_or(char::is_whitespace);
        if c == '-' && !(spaced_before && spaced_after)
            || self.words == 0 && self.previous_word.is_empty() && spaced_before
        {
            return Found::Nothing;
        }
        let before = if spaced_before { &self.previous_word } else { &self.word };
        if !before.chars().next_back().is_some_and(char::is_numeric) {
            return Found::End(at + 1, Close::Clause);
        }
        let beyond = if spaced_after && next.is_some() {
            match self.after(at + 1, all) {
                None => return Found::NeedMore,
                Some(beyond) => beyond,
            }
        } else {
            next
        };
        if beyond.is_some_and(char::is_numeric) { Found::Nothing } else { Found::End(at + 1, Close::Clause) }
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
        let open = self.word.chars().any(char::is_numeric)
            || self.word.ends_with('.')
            || !self.word.chars().any(char::is_alphanumeric);
        if open && self.words < MOST_WORDS_WITH_NUMBERS {
            Found::Nothing
        } else {
            Found::End(at + 1, Close::Cut)
        }
    }
}

fn close_of(c: char) -> Close {
    match c {
        '?' | '؟' | '？' => Close::Question,
        '!' | '！' => Close::Exclamation,
        _ => Close::Sentence,
    }
}

/// Whether the character after `c` has a say in whether `c` ends a segment.
fn needs_next(c: char) -> bool {
    matches!(c, '?' | '!' | '.' | ',' | '،' | '、' | ';' | ':' | '—' | '–' | '-')
}

/// Marks that belong to the end of the sentence before them.
fn is_closing(c: char) -> bool {
    matches!(
        c,
        '.' | '?'
            | '!'
            | '…'
            | '।'
            | '॥'
            | '"'
            | '\''
            | '”'
            | '’'
            | '»'
            | ')'
            | ']'
            | '}'
            | '؟'
            | '？'
            | '！'
            | '。'
    ) || is_combining_mark(c)
}

fn continues_cluster(c: char) -> bool {
    is_combining_mark(c) || matches!(c, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests;
