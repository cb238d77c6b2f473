//! Decision between the possible readings of a number, based on its context.
//!
//! Each class of written forms may propose a reading. This module compares the weight of a digit-by-digit reading with
//! the weight of the alternative.

use crate::class::Class;
use crate::data::keywords::Kinds;
use crate::normalize::date::{reign, year};
use crate::normalize::evidence::{Evidence, weight};
use crate::normalize::identifier::candidate::Candidate;
use crate::normalize::scan::calendar;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::{date, forms, identifier};

/// Returns the reading with the greatest weight at `at`.
pub(crate) fn best_reading(scan: &Scan<'_>, at: usize) -> Option<Reading> {
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
pub(crate) fn of_segment(scan: &Scan<'_>) -> Vec<(u32, Evidence)> {
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

/// Returns the word at `at` with the parts that precede it without a space: `A/c`.
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
        Class::Date
            if words || numbers > 2 || date::is_month_and_year(scan, at) || reign::is_reign(scan, at) =>
        {
            90
        }
        Class::Date => 40,
        // the numbers may be a record number: ଖାତା ନଂ ୨୧୪/୧୭
        Class::Ratio
            if scan.is_sign(at + 1, '/')
                && !scan.data.number.slash_between_words
                && scan.number(at).is_some_and(|whole| whole.len() < 5) =>
        {
            weight::NUMBERED
        }
        Class::Time | Class::Ratio => 75,
        // a whole part of at least three digits with a leading zero starts a telephone number: 022.29411128
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

/// Returns whether a content word at `at` may be counted by the preceding number.
fn counts_noun(scan: &Scan<'_>, at: usize) -> bool {
    let noun = scan.word(at).filter(|word| scan.spaced(at) && !scan.is_function(word));
    noun.is_some() && scan.names(at).without(Kinds::MEASURES).is_empty()
}

/// Returns the weight of reading the number at `at` as a year.
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
