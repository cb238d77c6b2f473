//! Cleaner that removes markup, emoji and control characters, and keeps the source position of the remaining text.
//!
//! The cleaner works on a text that arrives in pieces. It decides about a character as soon as the following text can
//! no longer change the decision. It looks ahead at most [`LOOK_AHEAD`] characters, so an unclosed `<` or `[` delays
//! the text by at most that many characters. Only the search for the end of a script or style element may take longer.

mod html;
mod markdown;
mod ssml;

use std::collections::VecDeque;
use std::ops::Range;

use shruti_lang::Language;
use unicode_normalization::UnicodeNormalization;

use crate::chars::{is_brahmic, is_mark};
pub use crate::clean_char::CleanChar;
use crate::script::Script;
use crate::ssml::{Document, MarkupSpan};
pub use ssml::is_ssml;

/// Maximum number of characters to look ahead before unclosed markup is treated as plain text.
pub const LOOK_AHEAD: usize = 512;

/// Byte order mark, which may precede a text and is not part of it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Maximum number of combining marks on one letter. Further marks are dropped as noise.
const MAX_MARKS: u32 = 6;

/// Result of processing the first buffered character.
enum Step {
    /// The given number of characters was processed.
    Consumed(usize),
    /// More text is needed to decide.
    NeedMore,
}

/// Cleaner for a text that arrives in pieces.
#[derive(Debug)]
pub struct Cleaner {
    raw: VecDeque<(char, u32)>,
    /// Number of buffered characters that have been searched for the end of the first markup, without success.
    searched: usize,
    clean: VecDeque<CleanChar>,
    previous: char,
    /// Last character that is not a space.
    last_visible: char,
    marks: u32,
    emphasis: u32,
    /// Number of square brackets that are open on this line.
    brackets: u32,
    /// Whether this line contains only white space and markup so far.
    line_start: bool,
    table_row: bool,
    /// Whether a code span is open on this line. Tags inside a code span are text.
    code: bool,
    /// Open element whose content is not text, for example `script`. The cleaner searches for its end.
    element: Option<html::Silent>,
    /// For each kind of silent element, the source position up to which no closing tag was found.
    unended: [u32; html::Silent::COUNT],
    markup: Markup,
}

/// Markup language of a text.
#[derive(Debug, Default)]
enum Markup {
    /// Only white space has arrived so far.
    #[default]
    Unknown,
    /// Plain text that may contain Markdown and HTML.
    Loose,
    /// SSML document.
    Document(Box<Document>),
}

impl Default for Cleaner {
    fn default() -> Self {
        Self {
            raw: VecDeque::new(),
            searched: 0,
            clean: VecDeque::new(),
            previous: '\n',
            last_visible: '\n',
            marks: 0,
            emphasis: 0,
            brackets: 0,
            line_start: true,
            table_row: false,
            code: false,
            element: None,
            unended: [0; html::Silent::COUNT],
            markup: Markup::Unknown,
        }
    }
}

impl Cleaner {
    /// Reserves memory for the given number of further characters.
    pub fn reserve(&mut self, characters: usize) {
        self.raw.reserve(characters);
    }

    /// Adds a character of the source text, with its position.
    pub fn push(&mut self, c: char, offset: u32) {
        self.raw.push_back((c, offset));
    }

    /// Returns the next character that is kept. Returns `None` if there is none or if more text is needed to decide.
    /// If `all` is true, the text is complete and nothing is held back.
    pub fn next_char(&mut self, all: bool) -> Option<CleanChar> {
        loop {
            if let Some(kept) = self.clean.pop_front() {
                return Some(kept);
            }
            let Some(&(c, offset)) = self.raw.front() else {
                if !(all && self.release_open_element()) {
                    return None;
                }
                continue;
            };
            // fast path: most characters of a text are plain letters
            if is_plain_letter(c) && self.element.is_none() && !self.is_document() {
                self.markup = Markup::Loose;
                self.raw.pop_front();
                self.searched = 0;
                match self.keep(c, offset, offset + 1) {
                    Some(kept) => return Some(kept),
                    None => continue,
                }
            }
            match self.step(c, all) {
                Step::Consumed(count) => {
                    if count == 1 {
                        self.raw.pop_front();
                    } else {
                        self.raw.drain(..count.min(self.raw.len()));
                    }
                    self.searched = 0;
                }
                Step::NeedMore => return None,
            }
        }
    }

    /// Returns whether the text is SSML. The result is final once a character has been kept.
    pub fn is_document(&self) -> bool {
        matches!(self.markup, Markup::Document(_))
    }

    /// Returns the language that an SSML document declares.
    pub(crate) fn document_language(&self) -> Option<Language> {
        match &self.markup {
            Markup::Document(document) => document.language(),
            Markup::Unknown | Markup::Loose => None,
        }
    }

    /// Returns the markup instructions for a part of the cleaned text.
    pub(crate) fn marked(&mut self, part: Range<u32>) -> Vec<MarkupSpan> {
        self.document().map(|document| document.marked(part)).unwrap_or_default()
    }

    /// Returns the length of the pause at the next [`BREAK`](crate::clean_char::BREAK) that was kept, in milliseconds.
    pub(crate) fn next_pause(&mut self) -> u32 {
        self.document().map_or(0, Document::next_pause)
    }

    /// Returns the document if the text is SSML.
    fn document(&mut self) -> Option<&mut Document> {
        match &mut self.markup {
            Markup::Document(document) => Some(document),
            Markup::Unknown | Markup::Loose => None,
        }
    }

    /// Releases the characters of an unclosed element as plain text. Returns whether there are any.
    fn release_open_element(&mut self) -> bool {
        let Markup::Document(document) = &mut self.markup else { return false };
        document.release_as_text(&mut self.clean);
        !self.clean.is_empty()
    }

    fn step(&mut self, c: char, all: bool) -> Step {
        if let Markup::Document(document) = &self.markup {
            return self.document_step(document.region, c, all);
        }
        if let Some(element) = self.element {
            return self.silent_element(element, all);
        }
        if matches!(self.markup, Markup::Unknown) && !c.is_whitespace() && c != BYTE_ORDER_MARK {
            match self.begins_document(all) {
                None => return Step::NeedMore,
                Some(true) => {
                    self.markup = Markup::Document(Box::default());
                    return Step::Consumed(0);
                }
                Some(false) => self.markup = Markup::Loose,
            }
        }
        match c {
            '<' if self.code => self.literal('<'),
            '<' => self.tag(all),
            '&' => self.entity(all),
            '\\' => self.escape(all),
            '*' | '_' | '~' | '`' | '#' | '=' | '-' | '+' | '>' => self.run(c, all),
            '[' => self.opening_bracket(all),
            '!' => self.exclamation(all),
            ']' => self.closing_bracket(all),
            '|' => self.bar(all),
            '\r' => self.carriage_return(all),
            '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{0b}' | '\u{0c}' => {
                self.emit('\n', 0, 1);
                Step::Consumed(1)
            }
            _ => {
                self.plain(c);
                Step::Consumed(1)
            }
        }
    }

    /// Returns the buffered character at `at`. The outer `None` means that the character has not arrived yet, the inner
    /// `None` that the text ends before it.
    #[allow(clippy::option_option)] // documented above, and every caller distinguishes both layers
    fn peek(&self, at: usize, all: bool) -> Option<Option<char>> {
        match self.raw.get(at) {
            Some(&(c, _)) => Some(Some(c)),
            None if all => Some(None),
            None => None,
        }
    }

    fn carriage_return(&mut self, all: bool) -> Step {
        match self.peek(1, all) {
            None => Step::NeedMore,
            Some(Some('\n')) => {
                self.emit('\n', 0, 2);
                Step::Consumed(2)
            }
            Some(_) => {
                self.emit('\n', 0, 1);
                Step::Consumed(1)
            }
        }
    }

    /// Keeps, replaces or drops a character that is not markup.
    fn plain(&mut self, c: char) {
        if c.is_whitespace() || matches!(c, '\u{2800}' | '\u{3164}') {
            self.emit(' ', 0, 1);
        } else if matches!(c, '\u{200c}' | '\u{200d}') {
            // joiners affect letter shapes in Indian scripts; elsewhere they combine emoji
            if Script::of(self.previous).is_some_and(|script| script != Script::Latin) {
                self.emit(c, 0, 1);
            }
        } else if is_dropped(c) {
        } else if is_star(c) && (self.last_visible.is_numeric() || matches!(self.last_visible, '★' | ':')) {
            // a star after a number, a colon or another star is part of a rating: 4/5 ⭐, ★★★½
            self.emit('★', 0, 1);
        } else if is_picture(c) {
            self.emit(' ', 0, 1);
        } else if let Some(sign) = foreign_digit(c).or_else(|| arabic_sign(c)) {
            self.emit(sign, 0, 1);
        } else if let Some(letters) = sacred_sign(c) {
            for letter in letters.chars() {
                self.emit(letter, 0, 1);
            }
        } else if c == 'ʼ' {
            // the modifier letter is a quotation mark or an apostrophe, not a letter: ʼಓ.ಟಿ.ಪಿʼಯನ್ನು
            self.emit('’', 0, 1);
        } else if c == 'º' && self.previous.is_numeric() {
            self.emit('°', 0, 1);
        } else if is_compatibility_form(c) {
            for plain in std::iter::once(c).nfkc() {
                self.emit(if plain == '\u{2044}' { '/' } else { plain }, 0, 1);
            }
        } else {
            self.emit(c, 0, 1);
        }
    }

    /// Emits `c` in place of `length` buffered characters from `at` on.
    fn emit(&mut self, c: char, at: usize, length: usize) {
        let start = self.raw.get(at).map_or(0, |&(_, offset)| offset);
        let end = self.raw.get(at + length - 1).map_or(start, |&(_, offset)| offset) + 1;
        let Some(kept) = self.keep(c, start, end) else { return };
        match &mut self.markup {
            Markup::Document(document) => document.keep(kept, &mut self.clean),
            Markup::Unknown | Markup::Loose => self.clean.push_back(kept),
        }
    }

    /// Returns `c` with its source range `start..end`, or `None` if it exceeds the maximum number of marks. Updates the
    /// state of the line.
    fn keep(&mut self, c: char, start: u32, end: u32) -> Option<CleanChar> {
        if is_mark(c) {
            self.marks += 1;
            if self.marks > MAX_MARKS {
                return None;
            }
        } else if !matches!(c, '\u{200c}' | '\u{200d}') {
            self.marks = 0;
        }
        if c == '\n' {
            self.line_start = true;
            self.table_row = false;
            self.emphasis = 0;
            self.brackets = 0;
            self.code = false;
        } else if c != ' ' {
            self.line_start = false;
            self.last_visible = c;
        }
        self.previous = c;
        Some(CleanChar { c, start, end, emphasis: self.emphasis > 0, whole: false })
    }
}

/// Returns whether `c` is a letter, mark or digit that is never markup and is kept unchanged.
fn is_plain_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || is_brahmic(c) && sacred_sign(c).is_none()
}

/// Returns whether `c` is dropped, because it is a control character, a bidirectional mark, the Arabic tatweel, or an
/// invisible or private-use character.
fn is_dropped(c: char) -> bool {
    c.is_control()
        || matches!(c as u32,
            0xAD | 0x34F | 0x61C | 0x640 | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B | 0x200E | 0x200F
            | 0x202A..=0x202E | 0x2060..=0x206F | 0xFE00..=0xFE0F | 0xFEFF | 0xFFF0..=0xFFFF | 0x20D0..=0x20FF
            | 0xE000..=0xF8FF | 0xE0000..=0xE0FFF | 0xF0000..)
}

/// Returns whether `c` is a star of a rating.
const fn is_star(c: char) -> bool {
    matches!(c, '★' | '⭐' | '🌟')
}

/// Returns whether `c` is an emoji, a dingbat or another pictogram. The white triangle △ is a sign of
/// geometry, not a pictogram: △ABC.
fn is_picture(c: char) -> bool {
    c != '△'
        && matches!(c as u32,
        0x2300..=0x23FF | 0x2400..=0x245F | 0x2500..=0x27BF | 0x2900..=0x297F | 0x2B00..=0x2BFF | 0x3030 | 0x303D
        | 0x3297 | 0x3299 | 0x1F000..=0x1F0FF | 0x1F170..=0x1F1FF | 0x1F200..=0x1FBEF)
}

/// Returns the ASCII equivalent of an Arabic percent sign, decimal separator, thousands separator or semicolon.
const fn arabic_sign(c: char) -> Option<char> {
    match c {
        '٪' => Some('%'),
        '٫' => Some('.'),
        '٬' => Some(','),
        '؛' => Some(';'),
        _ => None,
    }
}

/// Returns the ASCII digit for an Arabic digit, or for a digit of a script that no supported language uses, for example
/// Thai or Ol Chiki.
fn foreign_digit(c: char) -> Option<char> {
    let has_digits = matches!(
        c as u32,
        0x660..=0x6F9 | 0x7C0..=0x7C9 | 0xE50..=0x1C59 | 0xA620..=0xABF9 | 0x1D7CE..=0x1D7FF
    );
    if !has_digits || !c.is_numeric() {
        return None;
    }
    match any_ascii::any_ascii_char(c).as_bytes() {
        [digit] if digit.is_ascii_digit() => Some(char::from(*digit)),
        _ => None,
    }
}

/// Returns the word that a sign such as ॐ stands for, in letters of its script.
fn sacred_sign(c: char) -> Option<&'static str> {
    match c {
        'ॐ' => Some("ओम्"),
        'ૐ' => Some("ઓમ્"),
        'ௐ' => Some("ஓம்"),
        'ੴ' => Some("ਇੱਕ ਓਅੰਕਾਰ"),
        _ => None,
    }
}

/// Returns whether `c` is a compatibility form of plain characters, such as a full-width or circled character, a Roman
/// numeral, a ligature, a mathematical letter or an Arabic presentation form.
fn is_compatibility_form(c: char) -> bool {
    matches!(c as u32,
        0xAA | 0xBA | 0x132 | 0x133 | 0x13F | 0x140 | 0x149 | 0x17F | 0x1C4..=0x1CC | 0x1F1..=0x1F3
        | 0x207C..=0x207E | 0x2080..=0x209C | 0x2150..=0x217F | 0x2189 | 0x2460..=0x24FF | 0x3200..=0x33FF
        | 0xFB00..=0xFB06 | 0xFB50..=0xFDFF | 0xFE70..=0xFEFC | 0xFF01..=0xFF5E | 0x1D400..=0x1D7CB | 0x1F100..=0x1F16F | 0x2100..=0x2109)
}

#[cfg(test)]
mod tests;
