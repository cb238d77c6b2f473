//! Parts of a date, and their words in the order of the language.

use crate::normalize::number::{self, System};
use crate::normalize::number::{ordinal, span};
use crate::normalize::scan::Scan;
use crate::normalize::scan::calendar::value;

/// Day, month and year. Parts that are missing from the text are `None`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Parts<'a> {
    pub(crate) day: Option<&'a str>,
    /// Last day of a range of days that starts with `day`.
    pub(crate) until: Option<&'a str>,
    pub(crate) month: Option<usize>,
    pub(crate) year: Option<&'a str>,
    pub(crate) month_first: bool,
}

impl<'a> Parts<'a> {
    /// Creates the parts of a date with a day. `until` and `year` are pairs of digits and a number of items. The
    /// numbers of items are ignored.
    pub(crate) fn of_day(
        day: &'a str,
        until: Option<(&'a str, usize)>,
        month: usize,
        year: Option<(&'a str, usize)>,
    ) -> Self {
        let text = |part: Option<(&'a str, usize)>| part.map(|(text, _)| text);
        Self { day: Some(day), until: text(until), month: Some(month), year: text(year), month_first: false }
    }
}

/// Returns the words of a date, in the order of the language.
pub(crate) fn say(scan: &Scan<'_>, parts: Parts<'_>) -> String {
    let date = &scan.data.date;
    let pattern = match (parts.day.is_some(), parts.year.is_some(), parts.month_first) {
        (true, true, true) => match &date.month_day_year {
            Some(pattern) => pattern.clone(),
            None => format!("{} {{year}}", date.month_day),
        },
        (true, true, false) => date.full.clone(),
        (true, false, true) => date.month_day.clone(),
        (true, false, false) => date.day_month.clone(),
        (false, ..) => date.month_year.clone(),
    };
    let cardinal = |digits: &str| number::plain_cardinal(&scan.data.number, digits, System::Indian);
    let span = |name: &dyn Fn(&str) -> String| {
        let from = parts.day.map(name);
        match (from, parts.until.map(name)) {
            (Some(from), Some(to)) => Some(span::between(scan, &from, &to)),
            (from, _) => from,
        }
    };
    let day = span(&cardinal);
    let nth = |digits: &str| {
        let place = (value(digits) as usize).checked_sub(1);
        place.and_then(|place| date.days.get(place).cloned()).unwrap_or_else(|| cardinal(digits))
    };
    let nth = if pattern.contains("{nth}") { span(&nth) } else { None };
    let ordinal =
        if pattern.contains("{ordinal}") { span(&|digits| ordinal::plain(scan, digits)) } else { None };
    let month = parts.month.and_then(|month| date.months.get(month - 1));
    let year = parts.year.map(|digits| match digits.len() {
        4 => number::year(scan.data, digits),
        2 if date.full_years => {
            let century = if value(digits) < FIRST_OF_LAST_CENTURY { "20" } else { "19" };
            number::year(scan.data, &format!("{century}{digits}"))
        }
        _ if digits.starts_with('0') => number::one_by_one(&scan.data.number, digits),
        _ => number::plain_cardinal(&scan.data.number, digits, System::Indian),
    });
    pattern
        .replace("{day}", &day.unwrap_or_default())
        .replace("{nth}", &nth.unwrap_or_default())
        .replace("{ordinal}", &ordinal.unwrap_or_default())
        .replace("{month}", month.map_or("", String::as_str))
        .replace("{year}", &year.unwrap_or_default())
}

/// First two-digit year that belongs to the twentieth century.
const FIRST_OF_LAST_CENTURY: u32 = 50;
