//! View of a segment for the readers of written forms: its items and the tables of the language.

pub(crate) mod address_labels;
pub(crate) mod calendar;
pub(crate) mod sentence_context;

use std::ops::Range;

use shruti_lang::Language;

use self::sentence_context::SentenceContext;
use crate::chars::{is_alphanumeric, is_mark, lowercase};
use crate::class::Class;
use crate::data::keywords::{self, Kinds};
use crate::data::{self, Data, SHORTEST_STEM};
use crate::item::{Item, Kind, items};
use crate::language::spec;
use crate::script::Script;
use crate::segment::Segment;
use crate::table::{Set, Table};

/// Maximum number of stem lengths that are tried for a word with an ending, starting with the shortest one.
const LONGEST_STEM: usize = 12;

/// Items of a segment with the tables of the turn's language.
#[derive(Debug)]
pub(crate) struct Scan<'a> {
    segment: &'a Segment,
    pub(crate) items: Vec<Item<'a>>,
    text: &'a str,
    pub(crate) data: &'a Data,
    pub(crate) language: Language,
    /// Number of items that are words.
    pub(crate) words: usize,
    /// Number of items that are numbers.
    pub(crate) numbers: usize,
    /// Whether the sentence contains an address word.
    pub(crate) names_address: bool,
    /// Whether the segment has at least three words, all in capitals, and no numbers. In such a segment, capitals do
    /// not indicate an initialism.
    pub(crate) all_caps: bool,
    /// Context from the preceding part of the sentence, if the segment contains numbers or may contain labels of an
    /// address.
    pub(crate) sentence_context: SentenceContext,
    /// Kinds of the keywords, by item; empty if the segment has no keywords, or neither numbers nor asterisks.
    names: Vec<Kinds>,
}

/// Marker that separates groups of digits among the words of a reading.
pub(crate) const GROUP_EDGE: &str = "\u{1d}";

/// Maximum number of items of an abbreviation: `रा.उ.मा.वि.`, `ಪ.ಜಾ. ಮತ್ತು ಪ.ಪಂ.`.
pub(crate) const MAX_ABBREVIATION: usize = 10;

/// Reading of one or more items: its words, separated by spaces, and the number of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) words: String,
    pub(crate) items: usize,
    /// Class of the reading.
    pub(crate) class: Class,
    /// Language of the words, if the class determines it.
    pub(crate) language: Option<Language>,
}

impl Reading {
    /// Creates a reading of the class [`Class::Word`].
    pub(crate) fn new(words: impl Into<String>, items: usize) -> Self {
        Self { words: words.into(), items, class: Class::Word, language: None }
    }

    /// Returns the reading with another class.
    pub(crate) fn of(self, class: Class) -> Self {
        Self { class, ..self }
    }
}

impl<'a> Scan<'a> {
    pub(crate) fn new(segment: &'a Segment, language: Language) -> Self {
        let text = segment.text.text.as_str();
        let items = items(text);
        let data = data::of(language);
        let words = || items.iter().filter(|item| matches!(item.kind, Kind::Word(_)));
        let address = &data.context.address;
        // an abbreviation in an address is a separate word, unlike the suffix of 1st
        let ends_address = |item: &Item<'_>| {
            item.spaced && item.text.len() > 1 && data.address.contains_key(item.text.as_ref())
        };
        let begins_address = |item: &Item<'_>| address.contains(lowercase(&item.text).as_ref());
        let is_address =
            |item: &Item<'_>| !address.is_empty() && (begins_address(item) || ends_address(item));
        let numbers = items.iter().filter(|item| item.kind == Kind::Number).count();
        // labels of an address are recognised with the help of labels earlier in the sentence
        let labelled = || {
            let hyphened = items.iter().any(|item| item.kind == Kind::Sign('-'));
            !data.address_labels.is_empty() && (hyphened || address_labels::begins_dotted(&items, data))
        };
        let sentence_context = if numbers > 0 || labelled() {
            SentenceContext::read(&segment.sentence_context, language, is_address)
        } else {
            SentenceContext::default()
        };
        let names_address = sentence_context.names_address || words().any(is_address);
        let all_caps = numbers == 0
            && words().count() >= 3
            && words().all(|word| word.text.chars().all(|c| c.is_ascii_uppercase()));
        let star = |item: &Item<'_>| item.kind == Kind::Sign('*');
        let names = if numbers > 0 || items.iter().any(star) {
            keywords::of_items(&items, language)
        } else {
            Vec::new()
        };
        Self {
            segment,
            sentence_context,
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

    /// Returns whether the sentence may contain a keyword for a number.
    pub(crate) fn names_numbers(&self) -> bool {
        !self.names.is_empty() || self.sentence_context.name.is_some()
    }

    /// Returns the kinds of the keyword at `at`, or no kinds if there is no keyword.
    pub(crate) fn names(&self, at: usize) -> Kinds {
        self.names.get(at).copied().unwrap_or_default()
    }

    /// Returns whether the word before `at` has one of the given kinds. A colon, a dot or a dash may follow the word.
    pub(crate) fn names_before(&self, at: usize, kinds: Kinds) -> bool {
        let sign = usize::from(at > 1 && matches!(self.sign(at - 1), Some(':' | '.' | '-' | '–')));
        at > sign && self.names(at - 1 - sign).has(kinds)
    }

    /// Returns the source range of a range of characters of the segment.
    pub(crate) fn source(&self, chars: Range<usize>) -> Range<u32> {
        self.segment.text.source(chars)
    }

    /// Returns whether the sentence up to the end of the segment contains one of `words`, which are in lower case. The
    /// items in the range `except` are ignored.
    pub(crate) fn mentions(&self, words: &Set<String>, except: Range<usize>) -> bool {
        let other = self.items.iter().enumerate().filter(|(at, _)| !except.contains(at));
        let mut here = other.filter(|(_, item)| matches!(item.kind, Kind::Word(_)));
        let before = self.segment.sentence_context.split(|c: char| !is_alphanumeric(c) && !is_mark(c));
        here.any(|(_, item)| words.contains(lowercase(&item.text).as_ref()))
            || before.into_iter().any(|word| words.contains(lowercase(word).as_ref()))
    }

    /// Returns the part of the sentence before the segment.
    pub(crate) fn sentence_before(&self) -> &str {
        &self.segment.sentence_context
    }

    /// Returns whether the script of the language has capital letters, which mark names.
    pub(crate) fn has_case(&self) -> bool {
        self.script() == Script::Latin
    }

    /// Returns the script of the turn's language.
    pub(crate) fn script(&self) -> Script {
        spec(self.language).script
    }

    pub(crate) fn item(&self, at: usize) -> Option<&Item<'a>> {
        self.items.get(at)
    }

    pub(crate) fn is_sign(&self, at: usize, wanted: char) -> bool {
        self.item(at).is_some_and(|item| item.kind == Kind::Sign(wanted))
    }

    /// Returns whether the segment contains one of the signs.
    pub(crate) fn has_sign(&self, wanted: &[char]) -> bool {
        self.items.iter().any(|item| matches!(item.kind, Kind::Sign(c) if wanted.contains(&c)))
    }

    pub(crate) fn sign(&self, at: usize) -> Option<char> {
        match self.item(at)?.kind {
            Kind::Sign(c) => Some(c),
            _ => None,
        }
    }

    /// Returns the digits at `at`, in ASCII.
    pub(crate) fn number(&self, at: usize) -> Option<&str> {
        let item = self.item(at)?;
        (item.kind == Kind::Number).then_some(item.text.as_ref())
    }

    pub(crate) fn word(&self, at: usize) -> Option<&str> {
        let item = self.item(at)?;
        matches!(item.kind, Kind::Word(_)).then_some(item.text.as_ref())
    }

    pub(crate) fn is_word(&self, at: usize) -> bool {
        self.word(at).is_some()
    }

    /// Returns the Latin word at `at`.
    pub(crate) fn latin(&self, at: usize) -> Option<&str> {
        let item = self.item(at)?;
        (item.kind == Kind::Word(Some(Script::Latin))).then_some(item.text.as_ref())
    }

    /// Returns the superscript digits at `at`, in ASCII.
    pub(crate) fn power(&self, at: usize) -> Option<&str> {
        let item = self.item(at)?;
        (item.kind == Kind::Power).then_some(item.text.as_ref())
    }

    /// Returns whether white space precedes the item at `at`, or the text has no such item.
    pub(crate) fn spaced(&self, at: usize) -> bool {
        self.item(at).is_none_or(|item| item.spaced)
    }

    /// Returns whether the item at `at` directly follows the preceding item.
    pub(crate) fn joined(&self, at: usize) -> bool {
        !self.spaced(at)
    }

    /// Returns whether the word at `at` is in a list of lower-case words. A word that is not ASCII may have an ending.
    pub(crate) fn is_one_of(&self, list: &Set<String>, at: usize) -> bool {
        let Some(word) = self.word(at).filter(|_| !list.is_empty()) else { return false };
        if list.contains(lowercase(word).as_ref()) {
            return true;
        }
        let stems = word.char_indices().map(|(end, _)| end).skip(SHORTEST_STEM);
        !word.is_ascii() && stems.take(LONGEST_STEM).any(|end| list.contains(&word[..end]))
    }

    /// Returns the words and the number of items of the longest abbreviation at `at` that the table contains. The
    /// abbreviation has at most `most` items.
    pub(crate) fn abbreviated<'t>(
        &self,
        table: &'t Table<String, String>,
        at: usize,
        most: usize,
    ) -> Option<(&'t str, usize)> {
        self.word(at).filter(|_| !table.is_empty())?;
        let ends = |end: usize| self.spaced(end) || self.sign(end - 1).is_some() || self.sign(end).is_some();
        let form = |items: usize| Some((table.get(self.raw(at, at + items))?.as_str(), items));
        (1..=most).rev().filter(|items| ends(at + items)).find_map(form)
    }

    /// Returns whether the word at `at` is the word for "and" between the parts of a number, if the language has one.
    pub(crate) fn is_and(&self, at: usize) -> bool {
        let and = self.data.number.and.as_deref();
        and.is_some() && self.word(at) == and
    }

    /// Returns whether a word is a function word.
    pub(crate) fn is_function(&self, word: &str) -> bool {
        self.data.prosody.function.contains(word)
    }

    /// Returns the source text of the items from `from` up to, but not including, `to`.
    pub(crate) fn raw(&self, from: usize, to: usize) -> &'a str {
        match (self.item(from), to.checked_sub(1).and_then(|last| self.item(last))) {
            (Some(first), Some(last)) if to > from => &self.text[first.bytes.start..last.bytes.end],
            _ => "",
        }
    }

    /// Returns the index of the item after the token that contains `at`. Tokens are separated by spaces.
    pub(crate) fn token_end(&self, at: usize) -> usize {
        (at + 1..self.items.len()).find(|&next| self.spaced(next)).unwrap_or(self.items.len())
    }
}
