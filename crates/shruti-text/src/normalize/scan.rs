//! A segment as the classes of written forms read it: its items with the tables of the language.

use std::ops::Range;

use shruti_lang::Language;

use super::data::{self, Data, SHORTEST_STEM};
use super::lead::Lead;
use super::naming::{self, Kinds};
use crate::chars::lowercase;
use crate::class::Class;
use crate::item::{Item, Kind, items};
use crate::language::spec;
use crate::script::Script;
use crate::segment::Segment;
use crate::table::Set;

/// A stem has at most so many characters more than the shortest.
const LONGEST_STEM: usize = 12;

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
    /// What the sentence says before the segment, where that has numbers.
    pub(super) lead: Lead,
    /// What the words say of numbers beside them; empty where there is neither.
    names: Vec<Kinds>,
}

/// Stands among the words of a reading where a group of digits ends.
pub(super) const GROUP_EDGE: &str = "\u{1d}";

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
        let is_address =
            |item: &Item<'_>| !address.is_empty() && (begins_address(item) || ends_address(item));
        let numbers = items.iter().filter(|item| item.kind == Kind::Number).count();
        let lead =
            if numbers > 0 { Lead::read(&segment.lead, language, is_address) } else { Lead::default() };
        let names_address = lead.names_address || words().any(is_address);
        let all_caps = numbers == 0
            && words().count() >= 3
            && words().all(|word| word.text.chars().all(|c| c.is_ascii_uppercase()));
        let star = |item: &Item<'_>| item.kind == Kind::Sign('*');
        let names = if numbers > 0 || items.iter().any(star) {
            naming::of_items(&items, language)
        } else {
            Vec::new()
        };
        Self {
            segment,
            lead,
            names,
            words: words().count(),
            numbers,
            names_address,
            all_caps,
            items,
            text,
            data,
            language,
        }
    }

    /// Whether a word of the sentence says what a number is.
    pub(super) fn names_numbers(&self) -> bool {
        !self.names.is_empty() || self.lead.name.is_some()
    }

    /// What the word at `at` says of numbers beside it.
    pub(super) fn names(&self, at: usize) -> Kinds {
        self.names.get(at).copied().unwrap_or_default()
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

    /// Whether the word at `at` is in a list of words in lower case; one of the language may have an ending.
    pub(super) fn is_one_of(&self, list: &Set<String>, at: usize) -> bool {
        let Some(word) = self.word(at).filter(|_| !list.is_empty()) else { return false };
        if list.contains(lowercase(word).as_ref()) {
            return true;
        }
        let stems = word.char_indices().map(|(end, _)| end).skip(SHORTEST_STEM);
        !word.is_ascii() && stems.take(LONGEST_STEM).any(|end| list.contains(&word[..end]))
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
