//! A segment taken apart: runs of digits, runs of letters of one script, and single signs.

use std::borrow::Cow;
use std::ops::Range;

use super::data::{self, Data};
use crate::chars::{is_alphabetic, is_mark, is_numeric, lowercase};
use crate::class::Class;
use crate::language::spec;
use crate::script::{Script, digit_value};
use crate::segment::Segment;
use shruti_protocol::Language;

/// What a run of characters is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Digits of any script; the item's text has them in ASCII.
    Number,
    /// Letters of one script (`None`: of a script that is not Indian), with their marks.
    Word(Option<Script>),
    /// Raised digits behind what they raise: `10⁻³`, `x⁵`. The item's text has them in ASCII.
    Power,
    /// One character that is neither.
    Sign(char),
}

/// A run of characters of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item<'a> {
    pub(crate) kind: Kind,
    /// The characters; digits in ASCII.
    pub(crate) text: Cow<'a, str>,
    /// Where it stands in the segment, in bytes.
    bytes: Range<usize>,
    /// Its first character in the segment.
    pub(crate) start: usize,
    /// The character after its last.
    pub(crate) end: usize,
    /// Whether white space, or the beginning, stands before it.
    pub(crate) spaced: bool,
}

/// The items of a segment with the tables of the turn's language: what the classes read.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    segment: &'a Segment,
    pub(super) items: Vec<Item<'a>>,
    text: &'a str,
    pub(super) data: &'a Data,
    pub(super) language: Language,
    /// How many of the items are words.
    pub(super) words: usize,
    /// How many are numbers.
    pub(super) numbers: usize,
    /// Whether a word of an address is among them.
    pub(super) names_address: bool,
    /// Whether everything is written in capitals, which then mark no initialism.
    pub(super) all_caps: bool,
}

/// What a class makes of some items: the words, separated by spaces, and how many items they stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) words: String,
    pub(super) items: usize,
    /// The class that made it.
    pub(super) class: Class,
    /// The language of the words, where the class knows it.
    pub(super) language: Option<Language>,
}

impl Reading {
    /// A reading by the letters, until a class says that it is its own.
    pub(super) fn new(words: impl Into<String>, items: usize) -> Self {
        Self { words: words.into(), items, class: Class::Word, language: None }
    }

    /// The same as the reading of a class.
    pub(super) fn of(self, class: Class) -> Self {
        Self { class, ..self }
    }
}

impl<'a> Scan<'a> {
    pub(super) fn new(segment: &'a Segment, language: Language) -> Self {
        let text = segment.text.text.as_str();
        let items = items(text);
        let data = data::of(language);
        let words = || items.iter().filter(|item| matches!(item.kind, Kind::Word(_)));
        let address = &data.context.address;
        // a word of its own, not the suffix of 1st
        let ends_address = |item: &Item<'_>| {
            item.spaced && item.text.len() > 1 && data.address.contains_key(item.text.as_ref())
        };
        let begins_address = |item: &Item<'_>| address.contains(lowercase(&item.text).as_ref());
        let names_address =
            !address.is_empty() && words().any(|word| begins_address(word) || ends_address(word));
        let numbers = items.iter().filter(|item| item.kind == Kind::Number).count();
        let all_caps = numbers == 0
            && words().count() >= 3
            && words().all(|word| word.text.chars().all(|c| c.is_ascii_uppercase()));
        Self { segment, words: words().count(), numbers, names_address, all_caps, items, text, data, language }
    }

    /// Where characters of the segment stand in the text as sent.
    pub(super) fn source(&self, chars: Range<usize>) -> Range<u32> {
        self.segment.text.source(chars)
    }

    /// Whether the language is written in capitals and small letters, so that names show.
    pub(super) fn has_case(&self) -> bool {
        self.script() == Script::Latin
    }

    /// The script of the turn's language.
    pub(super) fn script(&self) -> Script {
        spec(self.language).script
    }

    pub(super) fn item(&self, at: usize) -> Option<&Item<'a>> {
        self.items.get(at)
    }

    pub(super) fn is_sign(&self, at: usize, wanted: char) -> bool {
        self.item(at).is_some_and(|item| item.kind == Kind::Sign(wanted))
    }

    pub(super) fn sign(&self, at: usize) -> Option<char> {
        match self.item(at)?.kind {
            Kind::Sign(c) => Some(c),
            _ => None,
        }
    }

    /// The digits at `at`, in ASCII.
    pub(super) fn number(&self, at: usize) -> Option<&str> {
        let item = self.item(at)?;
        (item.kind == Kind::Number).then_some(item.text.as_ref())
    }

    pub(super) fn word(&self, at: usize) -> Option<&str> {
        let item = self.item(at)?;
        matches!(item.kind, Kind::Word(_)).then_some(item.text.as_ref())
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.word(at).is_some()
    }

    /// The Latin word at `at`.
    pub(super) fn latin(&self, at: usize) -> Option<&str> {
        let item = self.item(at)?;
        (item.kind == Kind::Word(Some(Script::Latin))).then_some(item.text.as_ref())
    }

    /// The raised digits at `at`, in ASCII.
    pub(super) fn power(&self, at: usize) -> Option<&str> {
        let item = self.item(at)?;
        (item.kind == Kind::Power).then_some(item.text.as_ref())
    }

    /// Whether white space, or the end, stands before `at`.
    pub(super) fn spaced(&self, at: usize) -> bool {
        self.item(at).is_none_or(|item| item.spaced)
    }

    /// Whether `at` stands directly behind the item before it.
    pub(super) fn joined(&self, at: usize) -> bool {
        !self.spaced(at)
    }

    /// Whether a word leans on its neighbours.
    pub(super) fn is_function(&self, word: &str) -> bool {
        self.data.prosody.function.contains(word)
    }

    /// The text of the items from `from` up to `to`, as it is written.
    pub(super) fn raw(&self, from: usize, to: usize) -> &'a str {
        match (self.item(from), to.checked_sub(1).and_then(|last| self.item(last))) {
            (Some(first), Some(last)) if to > from => &self.text[first.bytes.start..last.bytes.end],
            _ => "",
        }
    }

    /// The item after the token, what stands between two spaces, that `at` is in.
    pub(super) fn token_end(&self, at: usize) -> usize {
        (at + 1..self.items.len()).find(|&next| self.spaced(next)).unwrap_or(self.items.len())
    }
}

/// Letters, with what belongs to them: marks, joiners, the apostrophe of `don't`. `after` is what stands behind `c`.
fn belongs(c: char, after: &str, script: Option<Script>) -> bool {
    if c.is_ascii_alphabetic() {
        return script == Some(Script::Latin);
    }
    if is_mark(c) || matches!(c, '\u{200c}' | '\u{200d}') {
        return true;
    }
    if matches!(c, '\'' | '’') {
        let next = || after.chars().next().and_then(Script::of);
        return script == Some(Script::Latin) && next() == Some(Script::Latin);
    }
    is_letter(c) && (Script::of(c) == script || (script.is_some() && Script::of(c).is_none() && is_shared(c)))
}

/// Letters, but not the letters that some scripts count with.
fn is_letter(c: char) -> bool {
    is_alphabetic(c) && !is_numeric(c)
}

/// Letters that the blocks do not tell apart, such as the Vedic signs.
fn is_shared(c: char) -> bool {
    matches!(c as u32, 0x1CD0..=0x1CFF | 0xA8E0..=0xA8FF)
}

/// The items of a text.
pub(crate) fn items(text: &str) -> Vec<Item<'_>> {
    let mut items = Vec::with_capacity(text.len() / 4);
    let mut rest = text;
    // where `rest` begins in the segment, in characters
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

/// The bytes of the item at the beginning of `rest`.
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

/// The text of an item: digits in ASCII, apostrophes straight.
fn plain(run: &str, kind: Kind) -> Cow<'_, str> {
    match kind {
        Kind::Number if !run.is_ascii() => {
            let digits = run.chars().filter_map(digit_value);
            Cow::Owned(digits.filter_map(|digit| char::from_digit(digit, 10)).collect())
        }
        Kind::Power => Cow::Owned(run.chars().filter_map(raised).collect()),
        Kind::Word(Some(Script::Latin)) if run.contains('’') => Cow::Owned(run.replace('’', "'")),
        _ => Cow::Borrowed(run),
    }
}

/// Whether a text begins with raised digits, or the sign before them. A single `²` or `³` is a sign of its own.
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
