//! Decision between the possible readings of a number, based on its context.
//!
//! Each class of written forms may propose a reading. This module compares the weight of a digit-by-digit reading with
//! the weight of the alternative. The nearest word that names a kind of number weighs more than the form of the number,
//! and the form weighs more than no evidence. This file defines all weights.

use std::fmt;

use serde::Serialize;

use super::identifier::{self, Candidate};
use super::money;
use super::scan::{Reading, Scan};
use super::{calendar, date, forms, year};
use crate::class::Class;
use crate::data::naming::Kinds;

/// Bit set of reasons for a digit-by-digit reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reasons(u16);

macro_rules! reasons {
    ($($(#[$doc:meta])* $reason:ident $name:literal $bit:literal;)*) => {
        impl Reasons {
            $($(#[$doc])* pub(super) const $reason: Self = Self(1 << $bit);)*
            const ALL: &'static [(Self, &'static str)] = &[$((Self::$reason, $name),)*];
        }
    };
}

reasons! {
    /// A directly adjacent word names the number.
    NAMED "naming word" 0;
    /// A more distant word names the number.
    NEAR "naming word near" 1;
    /// A word for "number" precedes the number.
    NUMBERED "word for number" 2;
    /// A linking word like "is" occurs between the naming word and the number.
    LINKED "link to the naming word" 3;
    /// The clause ends after the number.
    CLOSES "end of clause" 4;
    /// The number is long and has no digit grouping.
    LONG "length" 5;
    /// The number has the form of a telephone, card or order number.
    FORM "form" 6;
    /// Mask characters precede the number.
    MASKED "mask" 7;
    /// The number is one of several codes in a list.
    LISTED "list" 8;
    /// The number ends in zeros.
    ROUND "round number" 9;
    /// The code consists of several numbers with hyphens or slashes.
    PARTS "parts" 10;
}

impl Reasons {
    /// Returns the union of both sets.
    #[must_use]
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns the set if `holds` is `true`, and the empty set otherwise.
    #[must_use]
    pub(super) const fn only_if(self, holds: bool) -> Self {
        if holds { self } else { Self(0) }
    }

    pub(super) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl fmt::Display for Reasons {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> =
            Self::ALL.iter().filter(|&&(reason, _)| self.has(reason)).map(|&(_, name)| name).collect();
        f.write_str(&names.join(", "))
    }
}

/// Weights of digit-by-digit readings.
pub(super) mod weight {
    /// A sign before the number rules out any other reading: `+91`, `****2345`.
    pub(in super::super) const CERTAIN: i32 = 120;
    /// Parts with hyphens or slashes after a word for a house.
    pub(in super::super) const DOOR: i32 = 95;
    /// Last digits of an account that is named: `card ending in 2034`.
    pub(in super::super) const ENDING: i32 = 90;
    /// A directly adjacent word names a code.
    pub(in super::super) const NAMED: i32 = 80;
    /// A directly adjacent word names the number, with a word for "number" between them.
    pub(in super::super) const NUMBERED: i32 = 78;
    /// Form of a mobile, card or toll-free number, or more digits than people use for quantities.
    pub(in super::super) const FORM: i32 = 70;
    /// Other forms of telephone and order numbers; a nearby naming word.
    pub(in super::super) const NEAR: i32 = 50;
    /// A naming word in the same clause, if no text follows the number.
    pub(in super::super) const FAR: i32 = 30;
    /// A short number after a word for "number" without a naming word.
    pub(in super::super) const NUMBER: i32 = 35;
    /// Four digits after a word for an account or a card.
    pub(in super::super) const ACCOUNT: i32 = 46;
    /// Each word between a number and its naming word.
    pub(in super::super) const DISTANCE: i32 = -7;
    /// A linking word precedes the number.
    pub(in super::super) const LINKED: i32 = 20;
    /// The clause ends with the number.
    pub(in super::super) const CLOSES: i32 = 15;
    /// Six or more digits.
    pub(in super::super) const LONG: i32 = 20;
    /// Final zeros.
    pub(in super::super) const ROUND: i32 = -15;
    /// A long number without words around it.
    pub(in super::super) const ALONE: i32 = 5;
    /// A naming word that is not sufficient alone.
    pub(in super::super) const WEAK: i32 = 20;
    /// An L after a number denotes liters unless the context is about money.
    pub(in super::super) const LITRE: i32 = 10;
    /// A number with a dot is a decimal unless the context is about time.
    pub(in super::super) const DECIMAL: i32 = 35;
    /// Minutes that are a multiple of five: 7.30, 9.45.
    pub(in super::super) const FIVE_MINUTES: i32 = 10;
    /// No other words: `at 7.30`.
    pub(in super::super) const BARE: i32 = 10;
}

/// Evidence for and against reading a number digit by digit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// Whether the number is read digit by digit.
    pub digits: bool,
    /// Weight of the digit-by-digit reading.
    pub weight: i32,
    /// Reasons for this weight.
    pub reasons: String,
    /// Word that names the number, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_by: Option<String>,
    /// Class of the alternative reading, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<Class>,
    /// Weight of the alternative reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_weight: Option<i32>,
}

impl fmt::Display for Evidence {
    /// Formats the evidence: `digits 80 (naming word: OTP), date 30`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "digits {} ({}", self.weight, self.reasons)?;
        if let Some(name) = &self.named_by {
            write!(f, ": {name}")?;
        }
        f.write_str(")")?;
        match (self.other, self.other_weight) {
            (Some(other), Some(weight)) => write!(f, ", {other} {weight}"),
            _ => Ok(()),
        }
    }
}

/// Returns the best reading at `at`.
pub(super) fn best_reading(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let Some(candidate) = identifier::read(scan, at) else { return forms::read(scan, at) };
    let alternative = forms::read(scan, at);
    let weight = alternative.as_ref().map(|alternative| alternative_weight(scan, at, alternative));
    if wins(&candidate, weight) { Some(candidate.reading) } else { alternative }
}

fn wins(candidate: &Candidate, alternative: Option<i32>) -> bool {
    alternative.is_none_or(|alternative| candidate.score > alternative)
}

/// Returns the evidence for each number of a segment that may be read digit by digit, with the position of its first
/// character in the source text.
pub(super) fn of_segment(scan: &Scan<'_>) -> Vec<(u32, Evidence)> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < scan.items.len() {
        let Some(candidate) = identifier::read(scan, at) else {
            at += 1;
            continue;
        };
        let alternative = forms::read(scan, at);
        let weight = alternative.as_ref().map(|alternative| alternative_weight(scan, at, alternative));
        let digits = wins(&candidate, weight);
        let evidence = Evidence {
            digits,
            weight: candidate.score,
            reasons: candidate.reasons.to_string(),
            named_by: candidate.name.map(|name| written_word(scan, name)),
            other: alternative.as_ref().map(|alternative| alternative.class),
            other_weight: weight,
        };
        all.push((scan.source(scan.items[at].start..scan.items[at].end).start, evidence));
        at += if digits {
            candidate.reading.items
        } else {
            alternative.map_or(1, |alternative| alternative.items)
        }
        .max(1);
    }
    all
}

/// Returns the word at `at` with the parts that are joined before it: `A/c`.
fn written_word(scan: &Scan<'_>, at: usize) -> String {
    let start = (0..=at).rev().find(|&place| place == 0 || scan.spaced(place)).unwrap_or(at);
    scan.raw(start, at + 1).to_owned()
}

/// Returns the weight of the alternative reading that the form of a number suggests.
fn alternative_weight(scan: &Scan<'_>, at: usize, alternative: &Reading) -> i32 {
    let numbers = (at..at + alternative.items).filter(|&place| scan.number(place).is_some()).count();
    let words = (at..at + alternative.items).any(|place| scan.is_word(place));
    match alternative.class {
        Class::Date if alternative.items == 1 => year_weight(scan, at),
        Class::Date if words || numbers > 2 || date::is_month_and_year(scan, at) => 90,
        Class::Date => 40,
        // the number of a record: ଖାତା ନଂ ୨୧୪/୧୭
        Class::Ratio
            if scan.is_sign(at + 1, '/')
                && !scan.data.number.slash_between_words
                && scan.number(at).is_some_and(|whole| whole.len() < 5) =>
        {
            weight::NUMBERED
        }
        Class::Time | Class::Ratio => 75,
        // 022.29411128 starts with the zero of a telephone number
        Class::Decimal if scan.number(at).is_some_and(|whole| whole.starts_with('0') && whole.len() > 2) => {
            10
        }
        Class::Fraction | Class::Decimal | Class::Dimensions => 60,
        Class::Version => 45,
        Class::Range => 20,
        Class::Digits => 25,
        // the reading includes the counted noun or a multiplier
        Class::Cardinal if alternative.items > 1 => 100,
        Class::Cardinal if counts_noun(scan, at + 1) => 35,
        Class::Cardinal => 10,
        _ => 100,
    }
}

/// Number of items around a number that are searched for the measured quantity.
const NEAR_MEASURE: usize = 10;

/// Returns whether the L after the number at `at` is a lakh: the nearest word is about money and not about a volume.
pub(super) fn is_lakh(scan: &Scan<'_>, at: usize) -> bool {
    let money = |place: usize| scan.names(place).has(Kinds::AMOUNT) || money::is_sign(scan, place);
    let poured = |place: usize| scan.names(place).has(Kinds::VOLUME);
    let volume = nearest(scan, at, poured);
    nearest(scan, at, money) > volume.max(weight::LITRE)
        || volume == 0 && scan.sentence_context.is_about_money
}

/// Returns the weight of the nearest word of a kind, which decreases with each word in between.
fn nearest(scan: &Scan<'_>, at: usize, is_kind: impl Fn(usize) -> bool) -> i32 {
    let places = at.saturating_sub(NEAR_MEASURE)..(at + NEAR_MEASURE).min(scan.items.len());
    let score = |place: usize| {
        let between = if place < at { place + 1..at } else { at + 1..place };
        let words = between.filter(|&place| scan.is_word(place)).count();
        weight::NEAR + weight::DISTANCE * i32::try_from(words).unwrap_or(i32::from(i16::MAX))
    };
    places.filter(|&place| is_kind(place)).map(score).max().unwrap_or(0)
}

/// Returns whether the number with a dot at `at` is a time, based on the words around it. It needs a preposition of
/// time and a word for something that has a time of day and not a rate: `reach by 9.45`, but not `rose by 9.45`.
pub(super) fn is_dotted_time(scan: &Scan<'_>, at: usize) -> bool {
    let Some(minutes) = scan.number(at + 2) else { return false };
    let sign = || scan.has_case() && scan.is_sign(at - 1, '@');
    let led = at > 0 && scan.spaced(at) && (scan.is_one_of(&scan.data.time.at_words, at - 1) || sign());
    let end = at + 3;
    if !led || scan.joined(end) && (scan.number(end).is_some() || scan.is_word(end)) {
        return false;
    }
    let kind = |kinds: Kinds| (0..scan.items.len()).any(|place| scan.names(place).has(kinds));
    let follows = |place: usize| scan.word(place).is_some_and(|word| !scan.is_function(word));
    let counts = follows(end) && !scan.names(end).has(Kinds::HOUR);
    let scores = [
        (true, weight::WEAK),
        (minutes.ends_with(['0', '5']), weight::FIVE_MINUTES),
        (kind(Kinds::HOUR), weight::FAR),
        (scan.words == 1 || end >= scan.items.len() && at == 1, weight::BARE),
        (kind(Kinds::RATE) || counts && !kind(Kinds::HOUR), -weight::NEAR),
    ];
    let score: i32 = scores.into_iter().filter(|&(holds, _)| holds).map(|(_, weight)| weight).sum();
    score > weight::DECIMAL
}

/// Returns whether a content word at `at` may be counted by the preceding number.
fn counts_noun(scan: &Scan<'_>, at: usize) -> bool {
    let noun = scan.word(at).filter(|word| scan.spaced(at) && !scan.is_function(word));
    noun.is_some() && scan.names(at).without(Kinds::MEASURES).is_empty()
}

/// Returns the weight of a year.
fn year_weight(scan: &Scan<'_>, at: usize) -> i32 {
    let dated = |place: usize| {
        scan.word(place).is_some_and(|word| calendar::named_month(scan.language, word).is_some())
    };
    if at > 0 && (year::is_named(scan, at - 1) || dated(at - 1)) || year::is_in_era(scan, at) {
        85
    } else if year::is_named(scan, at + 1) {
        60
    } else if year::is_before_function_word(scan, at + 1) {
        45
    } else {
        30
    }
}
