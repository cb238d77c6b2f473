//! HTML: tags, comments and entities.
//!
//! The entities are a list of our own and not a library's: a text arrives in pieces and must be cleaned alike however
//! it is cut, so that an `&` waits until it is decided, at most [`LONGEST_ENTITY`] characters; the libraries decode
//! whole strings. HTML's 2,231 names, of up to 31 letters and some without a semicolon, would hold more back and change
//! what is said of texts that only look like entities (`AT&times`). The list has what people write in prose.

use super::{Cleaner, LOOK_AHEAD, Step};

/// Tags after which a new line begins.
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

/// Tags that emphasise.
const EMPHASIS: [&str; 5] = ["b", "strong", "em", "i", "mark"];

/// Tags that stand inside words.
const INLINE: [&str; 12] =
    ["a", "abbr", "code", "font", "kbd", "s", "small", "span", "sub", "sup", "u", "wbr"];

/// An element whose content is not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silent {
    Script,
    Style,
}

impl Silent {
    /// How many there are.
    pub(super) const COUNT: usize = 2;

    /// What the end of one begins with.
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

/// How far the end of a silent element is looked for, in characters: past what scripts and styles in prose hold. So
/// many are held back at most. One that is not ended is a tag that the text speaks of, and must not swallow what
/// follows.
const FARTHEST_END: usize = 5_000;

/// The most characters of an entity, `&` and `;` among them: `&#x10FFFF;` and a leading zero or two.
const LONGEST_ENTITY: usize = 12;

/// Names of characters that people write as entities.
const ENTITIES: [(&str, char); 38] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("ensp", ' '),
    ("emsp", ' '),
    ("thinsp", ' '),
    ("shy", '\u{ad}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("hellip", '…'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("bull", '•'),
    ("middot", '·'),
    ("copy", '©'),
    ("reg", '®'),
    ("trade", '™'),
    ("times", '×'),
    ("divide", '÷'),
    ("plusmn", '±'),
    ("minus", '−'),
    ("deg", '°'),
    ("frac12", '½'),
    ("frac14", '¼'),
    ("frac34", '¾'),
    ("euro", '€'),
    ("pound", '£'),
    ("yen", '¥'),
    ("cent", '¢'),
];

impl Cleaner {
    /// A `<`: a tag, a comment, or itself.
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
        Step::Took(at + 1)
    }

    /// Whether the `c` at `at` shows that an address stands in the brackets: `<https://…>`, `<name@host>`.
    fn is_address(&self, at: usize, c: char) -> bool {
        let scheme = c == '/' && at > 2 && self.raw.get(at - 1).is_some_and(|&(c, _)| c == ':');
        (scheme || c == '@') && !self.raw.iter().take(at).any(|&(c, _)| c.is_whitespace())
    }

    /// Whether the `>` at `at` ends what began: a comment ends with `-->` only.
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

    /// Behind the tag of a silent element: what it holds goes if it ends, and is text if it does not.
    ///
    /// A text of such tags alone is searched once, not once for each of them.
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
        Step::Took(if ended { at } else { 0 })
    }

    /// Whether an element ends at `at`; `None` while what has come does not tell.
    fn ends_at(&self, element: Silent, at: usize, all: bool) -> Option<bool> {
        for (place, wanted) in (at..).zip(element.end().chars()) {
            if self.peek(place, all)?.is_none_or(|c| c.to_ascii_lowercase() != wanted) {
                return Some(false);
            }
        }
        Some(true)
    }

    /// An `&`: an entity, or itself.
    pub(super) fn entity(&mut self, all: bool) -> Step {
        let mut name = String::new();
        for at in 1..LONGEST_ENTITY {
            match self.peek(at, all) {
                None => return Step::NeedMore,
                Some(Some(';')) => {
                    let Some(c) = entity_char(&name) else { break };
                    if c == '\u{ad}' || c.is_control() {
                        return Step::Took(at + 1);
                    }
                    self.emit(c, 0, at + 1);
                    return Step::Took(at + 1);
                }
                Some(Some(c)) if c.is_ascii_alphanumeric() || (at == 1 && c == '#') => name.push(c),
                Some(_) => break,
            }
        }
        self.literal('&')
    }

    pub(super) fn literal(&mut self, c: char) -> Step {
        self.emit(c, 0, 1);
        Step::Took(1)
    }
}

/// The character of an entity, given without `&` and `;`.
pub(crate) fn entity_char(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        return char::from_u32(code.ok()?);
    }
    ENTITIES.iter().find(|(entity, _)| *entity == name).map(|&(_, c)| c)
}
