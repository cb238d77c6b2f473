//! Markup, emoji and control characters out; what is meant to be spoken stays, and knows where it stood.
//!
//! The cleaner works on a text that arrives in pieces. It decides about a character as soon as what follows can no
//! longer change the decision, and looks ahead at most [`LOOK_AHEAD`] characters: an unclosed `<` or `[` holds
//! nothing back for longer.

mod html;
mod markdown;
mod ssml;

use std::collections::VecDeque;
use std::ops::Range;

use shruti_lang::Language;
use unicode_normalization::UnicodeNormalization;

use crate::chars::{is_brahmic, is_mark};
use crate::script::Script;
use crate::ssml::{Document, Marked};
pub(crate) use html::entity_char;
pub use ssml::is_ssml;

/// The most characters that are looked at before markup that is not closed is taken for plain text.
pub const LOOK_AHEAD: usize = 512;

/// Stands where markup ends a sentence. No character of the text becomes it: controls go, or become line ends.
pub(crate) const SENTENCE_END: char = '\u{c}';

/// Stands where markup asks for a pause.
pub(crate) const BREAK: char = '\u{b}';

/// May stand before a text and is no part of it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Marks on one letter beyond these are noise.
const MOST_MARKS: u32 = 6;

/// A character that stays, with its place in the text as sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CleanChar {
    /// The character.
    pub c: char,
    /// Its place, in Unicode scalar values.
    pub start: u32,
    /// Where what it stands for ends: an entity such as `&amp;` is longer than one character.
    pub end: u32,
    /// Whether it stands inside emphasis.
    pub emphasis: bool,
    /// Whether it belongs to an element that is read as one: nothing is cut there.
    pub whole: bool,
}

/// What became of the first waiting character.
enum Step {
    /// So many characters were dealt with.
    Took(usize),
    /// What follows decides.
    NeedMore,
}

/// Cleans a text that arrives in pieces.
#[derive(Debug)]
pub struct Cleaner {
    raw: VecDeque<(char, u32)>,
    /// How far into `raw` a search for the end of markup has already looked in vain.
    searched: usize,
    clean: VecDeque<CleanChar>,
    previous: char,
    /// The last character that is not a space.
    last_visible: char,
    marks: u32,
    emphasis: u32,
    /// Square brackets open on this line.
    brackets: u32,
    /// Whether only white space and markup have been seen on this line.
    line_start: bool,
    table_row: bool,
    /// Whether a code span is open on this line: tags in it are text.
    code: bool,
    /// The element whose content is not text, such as `script`, whose end is being looked for.
    element: Option<html::Silent>,
    /// For each such element, the place in the text before which no end of it was found.
    unended: [u32; html::Silent::COUNT],
    markup: Markup,
}

/// What a text is written in.
#[derive(Debug, Default)]
enum Markup {
    /// Nothing but white space has come.
    #[default]
    Unknown,
    /// Plain text, with what there is of Markdown and HTML.
    Loose,
    /// SSML.
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
    /// Takes a character of the text as sent and its place.
    pub fn push(&mut self, c: char, offset: u32) {
        self.raw.push_back((c, offset));
    }

    /// The next character that stays. `None` when there is none, or when what follows must be seen first; with
    /// `all` nothing is waited for.
    pub fn next_char(&mut self, all: bool) -> Option<CleanChar> {
        loop {
            if let Some(kept) = self.clean.pop_front() {
                return Some(kept);
            }
            let Some(&(c, offset)) = self.raw.front() else {
                if !(all && self.give_up_element()) {
                    return None;
                }
                continue;
            };
            // most of a text goes straight through
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
                Step::Took(count) => {
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

    /// Whether the text is SSML; known once a character has been kept.
    pub fn is_document(&self) -> bool {
        matches!(self.markup, Markup::Document(_))
    }

    /// The language that an SSML text says it is in.
    pub(crate) fn document_language(&self) -> Option<Language> {
        match &self.markup {
            Markup::Document(document) => document.language(),
            Markup::Unknown | Markup::Loose => None,
        }
    }

    /// What markup asks for in a part of the text that has been kept.
    pub(crate) fn marked(&mut self, part: Range<u32>) -> Vec<Marked> {
        self.document().map(|document| document.marked(part)).unwrap_or_default()
    }

    /// The length of the pause at the next [`BREAK`] that was kept, in milliseconds.
    pub(crate) fn next_pause(&mut self) -> u32 {
        self.document().map_or(0, Document::next_pause)
    }

    /// What an SSML text is read into.
    fn document(&mut self) -> Option<&mut Document> {
        match &mut self.markup {
            Markup::Document(document) => Some(document),
            Markup::Unknown | Markup::Loose => None,
        }
    }

    /// Lets go of the characters of an element that is not closed; whether there were any.
    fn give_up_element(&mut self) -> bool {
        let Markup::Document(document) = &mut self.markup else { return false };
        document.give_up(&mut self.clean);
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
                    return Step::Took(0);
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
                Step::Took(1)
            }
            _ => {
                self.plain(c);
                Step::Took(1)
            }
        }
    }

    /// The waiting character at `at`: the outer `None` says that it has not arrived, the inner that none will.
    #[allow(clippy::option_option)] // both layers are said above, and every caller tells them apart
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
                Step::Took(2)
            }
            Some(_) => {
                self.emit('\n', 0, 1);
                Step::Took(1)
            }
        }
    }

    /// A character that is no markup.
    fn plain(&mut self, c: char) {
        if c.is_whitespace() || matches!(c, '\u{2800}' | '\u{3164}') {
            self.emit(' ', 0, 1);
        } else if matches!(c, '\u{200c}' | '\u{200d}') {
            // joiners shape letters of Indian scripts; elsewhere they glue emoji
            if Script::of(self.previous).is_some_and(|script| script != Script::Latin) {
                self.emit(c, 0, 1);
            }
        } else if is_dropped(c) {
        } else if is_picture(c) {
            self.emit(' ', 0, 1);
        } else if let Some(digit) = foreign_digit(c) {
            self.emit(digit, 0, 1);
        } else if let Some(letters) = sacred_sign(c) {
            for letter in letters.chars() {
                self.emit(letter, 0, 1);
            }
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

    /// Keeps `c` for the waiting characters from `at` on, `length` of them.
    fn emit(&mut self, c: char, at: usize, length: usize) {
        let start = self.raw.get(at).map_or(0, |&(_, offset)| offset);
        let end = self.raw.get(at + length - 1).map_or(start, |&(_, offset)| offset) + 1;
        let Some(kept) = self.keep(c, start, end) else { return };
        match &mut self.markup {
            Markup::Document(document) => document.keep(kept, &mut self.clean),
            Markup::Unknown | Markup::Loose => self.clean.push_back(kept),
        }
    }

    /// Passes `c` on for the part of the text from `start` to `end`, unless it is one mark too many.
    fn keep(&mut self, c: char, start: u32, end: u32) -> Option<CleanChar> {
        if is_mark(c) {
            self.marks += 1;
            if self.marks > MOST_MARKS {
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

/// Letters, marks and digits that are no markup wherever they stand, and stay as they are.
fn is_plain_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || is_brahmic(c) && sacred_sign(c).is_none()
}

/// Controls, bidirectional marks, invisible and unassigned-for-text characters.
fn is_dropped(c: char) -> bool {
    c.is_control()
        || matches!(c as u32,
            0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B | 0x200E | 0x200F
            | 0x202A..=0x202E | 0x2060..=0x206F | 0xFE00..=0xFE0F | 0xFEFF | 0xFFF0..=0xFFFF | 0x20D0..=0x20FF
            | 0xE000..=0xF8FF | 0xE0000..=0xE0FFF | 0xF0000..)
}

/// Emoji, dingbats and other little pictures.
fn is_picture(c: char) -> bool {
    matches!(c as u32,
        0x2300..=0x23FF | 0x2400..=0x245F | 0x2500..=0x27BF | 0x2900..=0x297F | 0x2B00..=0x2BFF | 0x3030 | 0x303D
        | 0x3297 | 0x3299 | 0x1F000..=0x1F0FF | 0x1F170..=0x1F1FF | 0x1F200..=0x1FBEF)
}

/// Digits of scripts that none of the languages is written in: Arabic, Thai, Ol Chiki and the like.
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

/// Signs that stand for whole words, in the letters of their script.
fn sacred_sign(c: char) -> Option<&'static str> {
    match c {
        'ॐ' => Some("ओम्"),
        'ૐ' => Some("ઓમ્"),
        'ௐ' => Some("ஓம்"),
        'ੴ' => Some("ਇੱਕ ਓਅੰਕਾਰ"),
        _ => None,
    }
}

/// Forms that stand for plain characters: full width, circled, small Roman numerals, ligatures, mathematical letters.
fn is_compatibility_form(c: char) -> bool {
    matches!(c as u32,
        0xAA | 0xBA | 0x132 | 0x133 | 0x13F | 0x140 | 0x149 | 0x17F | 0x1C4..=0x1CC | 0x1F1..=0x1F3
        | 0x207C..=0x207E | 0x2080..=0x209C | 0x2150..=0x217F | 0x2189 | 0x2460..=0x24FF | 0x3200..=0x33FF
        | 0xFB00..=0xFB06 | 0xFF01..=0xFF5E | 0x1D400..=0x1D7CB | 0x1F100..=0x1F16F | 0x2100..=0x2109)
}

#[cfg(test)]
mod tests;
