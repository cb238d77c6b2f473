//! Context from the part of a sentence before a segment, for the numbers in the segment.
//!
//! A comma ends a segment but not the sentence: `Your OTP, valid for ten minutes, is 4512`, `the Companies Act, 1956`,
//! `21-18, 14-21, 21-19`.

use shruti_lang::Language;

use super::{address_labels, calendar};
use crate::data;
use crate::data::keywords::{self, Kinds};
use crate::item::{Item, Kind, items};

/// Maximum number of words in the place name in the dateline of a news report.
const LONGEST_PLACE: usize = 3;
/// Number of items before a word for a code that are searched for a word about laws.
const NEAR_LAW: usize = 3;

/// Context from the part of a sentence before a segment. In the comments on the fields, *the context* is this part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // each is a separate piece of evidence
pub(crate) struct SentenceContext {
    /// Whether the context is not empty: the sentence starts before the segment.
    pub(crate) is_present: bool,
    /// Last keyword of the context, if no number that it could identify follows it in the context.
    pub(crate) name: Option<ContextName>,
    /// Whether the context contains an address word.
    pub(crate) names_address: bool,
    /// Whether the context ends in the name of a statute, which is cited with its year: the Companies Act.
    pub(crate) ends_in_statute: bool,
    /// Whether the context contains a word for a quantity.
    pub(crate) counts: bool,
    /// Whether the context ends in pairs of numbers that are scores, not ranges, because at least one pair descends:
    /// `21-18, 14-21`.
    pub(crate) ends_in_scores: bool,
    /// Whether the context contains a part of the day before an hour with a dot: രാത്രി 9.15.
    pub(crate) has_time: bool,
    /// Whether the context contains a word for something that takes place at a time of day.
    pub(crate) names_hour: bool,
    /// Whether the context contains a word for a price or something that is sold, and none for a volume.
    pub(crate) is_about_money: bool,
    /// Whether the context contains an abbreviation that is a label of an address.
    pub(crate) has_label: bool,
    /// Whether the context consists of one to three words and a comma, like the place name in a dateline.
    pub(crate) is_place: bool,
}

/// Keyword that may identify a number in a later segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ContextName {
    pub(crate) kinds: Kinds,
    /// Whether the word is part of the name of a law: the Penal Code, 1860.
    pub(crate) is_law: bool,
    /// Number of words between the keyword and the segment.
    pub(crate) distance: usize,
}

impl SentenceContext {
    /// Reads the part of a sentence before a segment. `is_address` identifies address words.
    pub(crate) fn read(text: &str, language: Language, is_address: impl Fn(&Item<'_>) -> bool) -> Self {
        if text.is_empty() {
            return Self::default();
        }
        let items = items(text);
        let is_word = |item: &Item<'_>| matches!(item.kind, Kind::Word(_));
        let names = keywords::of_items(&items, language);
        let kinds = |at: usize| names.get(at).copied().unwrap_or_default();
        let last_word = items.iter().rposition(is_word);
        Self {
            is_present: true,
            name: last_name(&items, &names),
            names_address: items.iter().filter(|item| is_word(item)).any(is_address),
            ends_in_statute: last_word.is_some_and(|at| {
                kinds(at).has(Kinds::STATUTE) && !items[at..].iter().any(|item| item.kind == Kind::Number)
            }),
            counts: names.iter().any(|kinds| kinds.has(Kinds::QUANTITY)),
            ends_in_scores: ends_in_scores(&items),
            has_time: has_time(&items, language),
            names_hour: names.iter().any(|kinds| kinds.has(Kinds::HOUR)),
            is_about_money: names.iter().any(|kinds| kinds.has(Kinds::AMOUNT))
                && !names.iter().any(|kinds| kinds.has(Kinds::VOLUME)),
            has_label: address_labels::occurs(&items, data::of(language)),
            is_place: is_place(&items),
        }
    }
}

/// Returns the last keyword, or `None` if a number that it could identify already follows it. A number directly before
/// the final comma does not count.
fn last_name(items: &[Item<'_>], names: &[Kinds]) -> Option<ContextName> {
    let mut distance = 0;
    // a list of numbers may continue after the comma: Helpline 1098, 112
    let listed = items.len().saturating_sub(2);
    for (at, item) in items.iter().enumerate().rev() {
        let kinds = names.get(at).copied().unwrap_or_default();
        if kinds.has(Kinds::NAMES) {
            let before = at.saturating_sub(NEAR_LAW)..at;
            let is_law =
                names.get(before).is_some_and(|names| names.iter().any(|kinds| kinds.has(Kinds::LAW)));
            return Some(ContextName { kinds, is_law, distance });
        }
        match item.kind {
            Kind::Number if at != listed && keywords::is_long_enough(&item.text) => return None,
            Kind::Sign(_) => {}
            _ => distance += 1,
        }
    }
    None
}

/// Returns whether a part of the day precedes an hour and its minutes with a dot (இரவு 8.00), or something that runs at
/// a scheduled time precedes an hour with a leading zero (ട്രെയിൻ 06.15).
fn has_time(items: &[Item<'_>], language: Language) -> bool {
    let words = &data::of(language).time;
    items.windows(4).any(|place| {
        let dot = place[2].kind == Kind::Sign('.') && !place[2].spaced && !place[3].spaced;
        let minutes = place[3].kind == Kind::Number && place[3].text.len() == 2;
        let hour = place[1].kind == Kind::Number && place[1].text.len() <= 2;
        let named = data::is_in(&words.day_words, &place[0].text)
            || calendar::is_padded(&place[1].text) && data::is_in(&words.scheduled, &place[0].text);
        dot && minutes && hour && named
    })
}

/// Returns whether the items are one to three words and a comma.
fn is_place(items: &[Item<'_>]) -> bool {
    let Some((last, words)) = items.split_last() else { return false };
    last.kind == Kind::Sign(',')
        && (1..=LONGEST_PLACE).contains(&words.len())
        && words.iter().all(|item| matches!(item.kind, Kind::Word(_)))
}

/// Returns whether the items end in pairs of numbers with commas after them, at least one of which descends.
fn ends_in_scores(items: &[Item<'_>]) -> bool {
    let number = |item: &Item<'_>| item.text.parse::<u32>().ok().filter(|_| item.kind == Kind::Number);
    let pairs = items.rchunks_exact(4).map_while(|pair| {
        let dash = matches!(pair[1].kind, Kind::Sign('-' | '–')) && !pair[1].spaced && !pair[2].spaced;
        let comma = pair[3].kind == Kind::Sign(',');
        Some((number(&pair[0])?, number(&pair[2])?)).filter(|_| dash && comma)
    });
    pairs.into_iter().any(|(first, second)| first > second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentence_context_names_later_numbers() {
        let read = |text| SentenceContext::read(text, Language::English, |item| item.text == "Road");
        let name = |text| read(text).name.map(|name| name.distance);
        assert_eq!(name("Your OTP, valid for 10 minutes,"), Some(4));
        assert_eq!(name("Your OTP 4512, valid for 10 minutes,"), None, "it has its number");
        assert_eq!(name("Helpline 1098,"), Some(1), "a list of its numbers may continue");
        assert_eq!(name("In Delhi,"), None);
        assert!(read("under the Companies Act,").ends_in_statute);
        assert!(!read("Act now,").ends_in_statute);
        assert!(read("the Penal Code,").name.is_some_and(|name| name.is_law));
        assert!(!read("the Companies Act, 1956,").ends_in_statute);
        assert!(read("won 21-18, 14-21,").ends_in_scores);
        assert!(!read("won 14-21,").ends_in_scores);
        assert!(read("Main Road, Burari,").names_address);
        assert!(read("A population of,").counts);
        assert_eq!(read(""), SentenceContext::default());
    }
}
