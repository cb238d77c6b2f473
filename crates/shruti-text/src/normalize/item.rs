//! A segment taken apart: runs of digits, runs of letters of one script, and single signs.

use unicode_normalization::char::is_combining_mark;

use super::data::{self, Data};
use crate::script::{Script, digit_value};
use crate::segment::Segment;
use shruti_protocol::Language;

/// What a run of characters is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) struct Item {
    pub(super) kind: Kind,
    /// The characters; digits in ASCII.
    pub(super) text: String,
    /// Its first character in the segment.
    pub(super) start: usize,
    /// The character after its last.
    pub(super) end: usize,
    /// Whether white space, or the beginning, stands before it.
    pub(super) spaced: bool,
}

/// The items of a segment with the tables of the turn's language: what the classes read.
#[derive(Debug)]
pub(super) struct Scan<'a> {
    pub(super) items: Vec<Item>,
    pub(super) chars: Vec<char>,
    pub(super) data: &'a Data,
    pub(super) language: Language,
    /// How many of the items are words.
    pub(super) words: usize,
    /// How many are numbers.
    pub(super) numbers: usize,
    /// Whether a word of an address is among them.
    pub(super) names_address: bool,
    /// Whether everything is written in capitals, which then mark no initialism.
    pub(super) shouts: bool,
}

/// What a class makes of some items: the words, separated by spaces, and how many items they stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) words: String,
    pub(super) items: usize,
}

impl Reading {
    pub(super) fn new(words: impl Into<String>, items: usize) -> Self {
        Self { words: words.into(), items }
    }
}

impl Scan<'static> {
    pub(super) fn new(segment: &Segment, language: Language) -> Self {
        let chars: Vec<char> = segment.text.text.chars().collect();
        let items = items(&chars);
        let data = data::of(language);
        let words = || items.iter().filter(|item| matches!(item.kind, Kind::Word(_)));
        let address = &data.context.address;
        // a word of its own, not the suffix of 1st
        let ends_address =
            |item: &Item| item.spaced && item.text.len() > 1 && data.address.contains_key(&item.text);
        let names_address = !address.is_empty()
            && words().any(|word| address.contains(&word.text.to_lowercase()) || ends_address(word));
        let numbers = items.iter().filter(|item| item.kind == Kind::Number).count();
        let shouts = numbers == 0
            && words().count() >= 3
            && words().all(|word| word.text.chars().all(|c| c.is_ascii_uppercase()));
        Self { words: words().count(), numbers, names_address, shouts, items, chars, data, language }
    }
}

impl Scan<'_> {
    pub(super) fn item(&self, at: usize) -> Option<&Item> {
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
        (item.kind == Kind::Number).then_some(item.text.as_str())
    }

    pub(super) fn word(&self, at: usize) -> Option<&str> {
        let item = self.item(at)?;
        matches!(item.kind, Kind::Word(_)).then_some(item.text.as_str())
    }

    pub(super) fn is_word(&self, at: usize) -> bool {
        self.word(at).is_some()
    }

    /// The Latin word at `at`.
    pub(super) fn latin(&self, at: usize) -> Option<&str> {
        let item = self.item(at)?;
        (item.kind == Kind::Word(Some(Script::Latin))).then_some(item.text.as_str())
    }

    /// The raised digits at `at`, in ASCII.
    pub(super) fn power(&self, at: usize) -> Option<&str> {
        let item = self.item(at)?;
        (item.kind == Kind::Power).then_some(item.text.as_str())
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
        self.data.prosody.function.iter().any(|known| known == word)
    }

    /// The text of the items from `from` up to `to`, as it is written.
    pub(super) fn raw(&self, from: usize, to: usize) -> String {
        match (self.item(from), to.checked_sub(1).and_then(|last| self.item(last))) {
            (Some(first), Some(last)) if to > from => self.chars[first.start..last.end].iter().collect(),
            _ => String::new(),
        }
    }

    /// The item after the token, what stands between two spaces, that `at` is in.
    pub(super) fn token_end(&self, at: usize) -> usize {
        (at + 1..self.items.len()).find(|&next| self.spaced(next)).unwrap_or(self.items.len())
    }
}

/// Letters, with what belongs to them: marks, joiners, the apostrophe of `don't`.
fn belongs(c: char, next: Option<char>, script: Option<Script>) -> bool {
    if is_combining_mark(c) || matches!(c, '\u{200c}' | '\u{200d}') {
        return true;
    }
    if matches!(c, '\'' | '’') {
        return script == Some(Script::Latin) && next.is_some_and(|c| Script::of(c) == Some(Script::Latin));
    }
    is_letter(c) && (Script::of(c) == script || (script.is_some() && Script::of(c).is_none() && is_shared(c)))
}

/// Letters, but not the letters that some scripts count with.
fn is_letter(c: char) -> bool {
    c.is_alphabetic() && !c.is_numeric()
}

/// Letters that the blocks do not tell apart, such as the Vedic signs.
fn is_shared(c: char) -> bool {
    matches!(c as u32, 0x1CD0..=0x1CFF | 0xA8E0..=0xA8FF)
}

fn items(chars: &[char]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut at = 0;
    let mut spaced = true;
    while let Some(&c) = chars.get(at) {
        if c.is_whitespace() {
            spaced = true;
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        let (kind, text) = if digit_value(c).is_some() {
            at += chars[at..].iter().take_while(|&&c| digit_value(c).is_some()).count();
            let digits = chars[start..at].iter().filter_map(|&c| digit_value(c));
            (Kind::Number, digits.filter_map(|digit| char::from_digit(digit, 10)).collect())
        } else if is_letter(c) {
            let script = Script::of(c);
            while chars.get(at).is_some_and(|&c| belongs(c, chars.get(at + 1).copied(), script)) {
                at += 1;
            }
            (Kind::Word(script), chars[start..at].iter().map(|&c| if c == '’' { '\'' } else { c }).collect())
        } else if let Some(digits) = power(&chars[start..]) {
            at = start + digits.chars().count();
            (Kind::Power, digits)
        } else {
            (Kind::Sign(c), c.to_string())
        };
        items.push(Item { kind, text, start, end: at, spaced });
        spaced = false;
    }
    items
}

/// The raised digits, and the sign before them, that the characters begin with, in ASCII. A single `²` or `³` is a sign
/// of its own.
fn power(chars: &[char]) -> Option<String> {
    let digits: String = chars.iter().map_while(|&c| raised(c)).collect();
    let alone = digits.len() == 1 && matches!(chars[0], '²' | '³');
    (!digits.is_empty() && !alone).then_some(digits)
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
