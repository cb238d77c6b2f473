//! Items of a text: runs of digits, runs of letters of one script, and single signs. Recognition of written forms and
//! lexicon lookup work on items.

use std::borrow::Cow;
use std::ops::Range;

use crate::chars::{is_alphabetic, is_mark, is_numeric};
use crate::script::{Script, digit_value};

/// Kind of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Digits of any script; the text of the item contains them in ASCII.
    Number,
    /// Letters of one script with their marks; `None` for a script that no supported language uses.
    Word(Option<Script>),
    /// Superscript digits after a base: `10⁻³`, `x⁵`. The text of the item contains them in ASCII.
    Power,
    /// A single character of any other kind.
    Sign(char),
}

/// Item of a segment: a run of characters of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item<'a> {
    pub(crate) kind: Kind,
    /// Characters of the item, with digits in ASCII.
    pub(crate) text: Cow<'a, str>,
    /// Position in the segment, in bytes.
    pub(crate) bytes: Range<usize>,
    /// Index of the first character in the segment.
    pub(crate) start: usize,
    /// Index after the last character in the segment.
    pub(crate) end: usize,
    /// `true` if the item follows white space or begins the segment.
    pub(crate) spaced: bool,
}

/// Returns whether `c` continues a word: a letter, a mark, a joiner, or the apostrophe of `don't` and of Assamese ল'ৰা.
/// `after` is the text after `c`.
fn belongs(c: char, after: &str, script: Option<Script>) -> bool {
    if c.is_ascii_alphabetic() {
        return script == Some(Script::Latin);
    }
    if is_mark(c) || matches!(c, '\u{200c}' | '\u{200d}') {
        return true;
    }
    if matches!(c, '\'' | '’') {
        let next = || after.chars().next().and_then(Script::of);
        return matches!(script, Some(Script::Latin | Script::Bengali)) && next() == script;
    }
    is_letter(c) && (Script::of(c) == script || (script.is_some() && Script::of(c).is_none() && is_shared(c)))
}

/// Returns whether `c` is a letter. Letters that some scripts use as numerals do not count.
fn is_letter(c: char) -> bool {
    is_alphabetic(c) && !is_numeric(c)
}

/// Returns whether `c` is a letter that several scripts share, such as a Vedic sign.
fn is_shared(c: char) -> bool {
    matches!(c as u32, 0x1CD0..=0x1CFF | 0xA8E0..=0xA8FF)
}

/// Splits a text into items.
pub(crate) fn items(text: &str) -> Vec<Item<'_>> {
    let mut items = Vec::with_capacity(text.len() / 4);
    let mut rest = text;
    // start of `rest` in the segment, in characters
    let mut start = 0;
    let mut spaced = true;
    while let Some(c) = rest.chars().next() {
        if c.is_whitespace() {
            spaced = true;
            start += 1;
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let begin = text.len() - rest.len();
        let kind = match () {
            () if digit_value(c).is_some() => Kind::Number,
            () if is_letter(c) => Kind::Word(Script::of(c)),
            () if begins_power(rest) => Kind::Power,
            () => Kind::Sign(c),
        };
        let run;
        (run, rest) = rest.split_at(length(rest, kind));
        let end = start + run.chars().count();
        items.push(Item {
            kind,
            text: plain(run, kind),
            bytes: begin..begin + run.len(),
            start,
            end,
            spaced,
        });
        start = end;
        spaced = false;
    }
    items
}

/// Returns the length in bytes of the item at the start of `rest`.
fn length(rest: &str, kind: Kind) -> usize {
    let plain = rest.bytes().take_while(|&byte| match kind {
        Kind::Word(Some(Script::Latin)) => byte.is_ascii_alphabetic(),
        Kind::Number => byte.is_ascii_digit(),
        _ => false,
    });
    let plain = plain.count();
    let mut after = rest[plain..].char_indices().map(|(at, c)| (plain + at, c));
    let end = match kind {
        Kind::Sign(sign) => return sign.len_utf8(),
        Kind::Number => after.find(|&(_, c)| digit_value(c).is_none()),
        Kind::Power => after.find(|&(_, c)| raised(c).is_none()),
        Kind::Word(script) => {
            after.find(|&(at, c)| at > 0 && !belongs(c, &rest[at + c.len_utf8()..], script))
        }
    };
    end.map_or(rest.len(), |(at, _)| at)
}

/// Returns the text of an item with ASCII digits and straight apostrophes.
fn plain(run: &str, kind: Kind) -> Cow<'_, str> {
    match kind {
        Kind::Number if !run.is_ascii() => {
            let digits = run.chars().filter_map(digit_value);
            Cow::Owned(digits.filter_map(|digit| char::from_digit(digit, 10)).collect())
        }
        Kind::Power => Cow::Owned(run.chars().filter_map(raised).collect()),
        Kind::Word(Some(Script::Latin | Script::Bengali)) if run.contains('’') => {
            Cow::Owned(run.replace('’', "'"))
        }
        _ => Cow::Borrowed(run),
    }
}

/// Returns whether a text begins with superscript digits, signed or not. A single `²` or `³` does not count: it is a
/// [`Kind::Sign`].
fn begins_power(text: &str) -> bool {
    let mut chars = text.chars();
    let (first, second) = (chars.next(), chars.next());
    let alone = matches!(first, Some('²' | '³')) && second.and_then(raised).is_none();
    first.and_then(raised).is_some() && !alone
}

fn raised(c: char) -> Option<char> {
    match c {
        '⁰' => Some('0'),
        '¹' => Some('1'),
        '²' => Some('2'),
        '³' => Some('3'),
        '⁴'..='⁹' => char::from_digit(c as u32 - '⁰' as u32, 10),
        '⁺' => Some('+'),
        '⁻' => Some('-'),
        _ => None,
    }
}
