//! HTML: tags, comments and entities.

use super::{Cleaner, LOOK_AHEAD, Step};
use crate::entity::entity_char;

/// Tags that start a new line.
const BLOCKS: [&str; 16] = [
    "br",
    "p",
    "div",
    "li",
    "ul",
    "ol",
    "tr",
    "table",
    "hr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
];

/// Tags that emphasise their content.
const EMPHASIS: [&str; 5] = ["b", "strong", "em", "i", "mark"];

/// Tags that may occur inside a word.
const INLINE: [&str; 12] =
    ["a", "abbr", "code", "font", "kbd", "s", "small", "span", "sub", "sup", "u", "wbr"];

/// Element whose content is not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silent {
    Script,
    Style,
}

impl Silent {
    /// Number of variants.
    pub(super) const COUNT: usize = 2;

    /// Returns the start of the closing tag.
    const fn end(self) -> &'static str {
        match self {
            Self::Script => "</script",
            Self::Style => "</style",
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Script, Self::Style].into_iter().find(|element| element.end().strip_prefix("</") == Some(name))
    }
}

/// Maximum number of characters to search for the end of a silent element. Scripts and styles in prose are shorter, and
/// the limit bounds the amount of text that is held back. If the closing tag is farther away or missing, the opening
/// tag is treated as a mention of the element in prose, and the text after it is kept.
const FARTHEST_END: usize = 5_000;

/// Maximum number of characters of an entity, including `&` and `;`. It allows `&#x10FFFF;` with two leading zeros.
const LONGEST_ENTITY: usize = 12;

impl Cleaner {
    /// Handles a `<`: a tag, a comment or a literal `<`.
    pub(super) fn tag(&mut self, all: bool) -> Step {
        match self.peek(1, all) {
            None => return Step::NeedMore,
            Some(Some(c)) if c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?') => {}
            Some(_) => return self.literal('<'),
        }
        let mut at = self.searched.max(1);
        loop {
            match self.peek(at, all) {
                None => {
                    self.searched = at;
                    return Step::NeedMore;
                }
                Some(Some('>')) if self.closes_markup(at) => break,
                Some(Some('<') | None) => return self.literal('<'),
                Some(Some(c)) if self.is_address(at, c) => return self.literal('<'),
                Some(Some(_)) => at += 1,
            }
            if at >= LOOK_AHEAD {
                return self.literal('<');
            }
        }
        self.apply_tag(at);
        Step::Consumed(at + 1)
    }

    /// Returns whether `c` at `at` indicates that the angle brackets contain an address: `<https://…>`, `<name@host>`.
    fn is_address(&self, at: usize, c: char) -> bool {
        let scheme = c == '/' && at > 2 && self.raw.get(at - 1).is_some_and(|&(c, _)| c == ':');
        (scheme || c == '@') && !self.raw.iter().take(at).any(|&(c, _)| c.is_whitespace())
    }

    /// Returns whether the `>` at `at` ends the open markup. Only `-->` ends a comment.
    fn closes_markup(&self, at: usize) -> bool {
        let is = |place: usize, wanted: char| self.raw.get(place).is_some_and(|&(c, _)| c == wanted);
        let comment = is(1, '!') && is(2, '-') && is(3, '-');
        !comment || (at >= 5 && is(at - 1, '-') && is(at - 2, '-'))
    }

    fn apply_tag(&mut self, end: usize) {
        let inside: Vec<char> =
            self.raw.iter().take(end).skip(1).map(|&(c, _)| c.to_ascii_lowercase()).collect();
        let closing = inside.first() == Some(&'/');
        let name: String =
            inside.iter().skip(usize::from(closing)).take_while(|c| c.is_ascii_alphanumeric()).collect();
        if BLOCKS.contains(&name.as_str()) {
            self.emit('\n', 0, end + 1);
        } else if EMPHASIS.contains(&name.as_str()) {
            self.emphasis = if closing { self.emphasis.saturating_sub(1) } else { self.emphasis + 1 };
        } else if let Some(element) = Silent::named(&name).filter(|_| !closing && inside.last() != Some(&'/'))
        {
            self.element = Some(element);
            self.emit(' ', 0, end + 1);
        } else if !INLINE.contains(&name.as_str()) && !inside.starts_with(&['!']) {
            self.emit(' ', 0, end + 1);
        }
    }

    /// Handles the text after the opening tag of a silent element: removes the content if a closing tag is found within
    /// [`FARTHEST_END`] characters, and otherwise keeps the content as text.
    ///
    /// The search position is remembered per element, so a text that consists only of unclosed tags is searched once,
    /// not once per tag.
    pub(super) fn silent_element(&mut self, element: Silent, all: bool) -> Step {
        let first = self.raw.front().map_or(0, |&(_, offset)| offset);
        let mut at = self.unended[element as usize].saturating_sub(first) as usize;
        let ended = loop {
            if at >= FARTHEST_END {
                break false;
            }
            match self.ends_at(element, at, all) {
                Some(true) => break true,
                Some(false) if at >= self.raw.len() => break false,
                Some(false) => at += 1,
                None => {
                    self.unended[element as usize] = first + at as u32;
                    return Step::NeedMore;
                }
            }
        };
        self.element = None;
        self.unended[element as usize] = first + at as u32;
        Step::Consumed(if ended { at } else { 0 })
    }

    /// Returns whether the closing tag of `element` starts at `at`, or `None` if more text is needed to decide.
    fn ends_at(&self, element: Silent, at: usize, all: bool) -> Option<bool> {
        for (place, wanted) in (at..).zip(element.end().chars()) {
            if self.peek(place, all)?.is_none_or(|c| c.to_ascii_lowercase() != wanted) {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Handles an `&`: an entity or a literal `&`.
    pub(super) fn entity(&mut self, all: bool) -> Step {
        let mut name = String::new();
        for at in 1..LONGEST_ENTITY {
            match self.peek(at, all) {
                None => return Step::NeedMore,
                Some(Some(';')) => {
                    let Some(c) = entity_char(&name) else { break };
                    if c == '\u{ad}' || c.is_control() {
                        return Step::Consumed(at + 1);
                    }
                    self.emit(c, 0, at + 1);
                    return Step::Consumed(at + 1);
                }
                Some(Some(c)) if c.is_ascii_alphanumeric() || (at == 1 && c == '#') => name.push(c),
                Some(_) => break,
            }
        }
        self.literal('&')
    }

    pub(super) fn literal(&mut self, c: char) -> Step {
        self.emit(c, 0, 1);
        Step::Consumed(1)
    }
}
