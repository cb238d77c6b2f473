//! Checks whether digits can be a day, a month or a year, and lookup of month names.

use shruti_lang::Language;

use crate::chars::lowercase;
use crate::data;

pub(crate) fn value(digits: &str) -> u32 {
    digits.parse().unwrap_or(u32::MAX)
}

pub(crate) fn is_day(digits: &str) -> bool {
    digits.len() <= 2 && (1..=31).contains(&value(digits))
}

pub(crate) fn is_month(digits: &str) -> bool {
    digits.len() <= 2 && (1..=12).contains(&value(digits))
}

pub(crate) fn is_year(digits: &str) -> bool {
    digits.len() == 4 && (1000..=2999).contains(&value(digits))
}

pub(crate) fn month(digits: &str) -> Option<usize> {
    is_month(digits).then(|| value(digits) as usize)
}

/// Returns the number of the month (1 to 12) that has this name in `language` or in English.
pub(crate) fn named_month(language: Language, name: &str) -> Option<usize> {
    let lower = lowercase(name);
    let named = |language| data::of(language).date.written_months.get(lower.as_ref());
    named(language).or_else(|| named(Language::English)).copied()
}

/// Returns whether the digits of an hour are two digits with a leading zero, which decimals other than 0.5 do not have.
pub(crate) fn is_padded(hour: &str) -> bool {
    hour.len() == 2 && hour.starts_with('0') && hour != "00"
}
