//! Dates, years and decades.

mod named;
mod numeric;
mod weekday;

use self::named::{day_and_month_name, month_at, month_name_first, own_short_month, short_month};
use self::numeric::numeric;
pub(super) use self::numeric::{is_dotted, is_in_span_of_days, is_month_and_year};
use self::weekday::{fortnight, lunar_day, own_weekday, weekday, weekdays};
use super::calendar::{is_day, month, value};
use super::number::{self, System};
use super::scan::{Reading, Scan};
use super::{ordinal, span, year};
use crate::ssml::DateOrder;

/// First two-digit year that belongs to the twentieth century.
const FIRST_OF_LAST_CENTURY: u32 = 50;

/// Number of items of a numeric date with its year.
const FULL_DATE: usize = 5;

/// Day, month and year; parts that are not written are `None`.
#[derive(Clone, Copy, Debug, Default)]
struct Parts<'a> {
    day: Option<&'a str>,
    /// Last day of a range of days that starts with `day`.
    until: Option<&'a str>,
    month: Option<usize>,
    year: Option<&'a str>,
    month_first: bool,
}

impl<'a> Parts<'a> {
    /// Creates the parts of a date with a day. `until` and `year` have their numbers of items.
    fn of_day(
        day: &'a str,
        until: Option<(&'a str, usize)>,
        month: usize,
        year: Option<(&'a str, usize)>,
    ) -> Self {
        let text = |part: Option<(&'a str, usize)>| part.map(|(text, _)| text);
        Self { day: Some(day), until: text(until), month: Some(month), year: text(year), month_first: false }
    }
}

/// Reads `15/08/1947`, `2024-06-15`, `15 अगस्त 1947`, `August 15, 1947`, `03-2010`, `1920-26` or `1980s`.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let date = lunar_day(scan, at)
        .or_else(|| numeric(scan, at))
        .or_else(|| day_and_month_name(scan, at))
        .or_else(|| month_name_first(scan, at))
        .or_else(|| year::read(scan, at))
        .or_else(|| weekdays(scan, at))
        .or_else(|| weekday(scan, at))
        .or_else(|| short_month(scan, at))
        .or_else(|| own_short_month(scan, at))
        .or_else(|| own_weekday(scan, at))
        .or_else(|| fortnight(scan, at))?;
    // the article of "the 15th of August" is already present
    let (first, rest) = date.words.split_once(' ').unwrap_or(("", &date.words));
    let before = at.checked_sub(1).and_then(|before| scan.word(before));
    let possessive =
        scan.word(at + date.items - 1).is_some_and(|last| last.ends_with("'s") && last.len() > 2);
    let ending = if possessive { "'s" } else { "" };
    let doubled = scan.data.date.article.as_deref() == Some(first)
        && before.is_some_and(|before| before.eq_ignore_ascii_case(first));
    let words = if doubled { rest } else { &date.words };
    Some(Reading::new(format!("{words}{ending}"), date.items))
}

/// Reads short names of weekdays and months, with a dot and next to another one: `सोम.-शुक्र.`, `जाने. ते मार्च`.
pub(super) fn in_short(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    scan.word(at).filter(|_| scan.latin(at).is_none())?;
    let days = || weekdays(scan, at).filter(|_| scan.is_sign(at + 1, '.'));
    days().or_else(|| own_short_month(scan, at)).or_else(|| enclosed(scan, at))
}

/// Reads a date between the halves of the word for a date: ତା ୧୭ ରିଖ is ସତର ତାରିଖ.
fn enclosed(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let (first, last) = scan.data.date.halves.as_ref()?;
    scan.word(at).filter(|word| word == first)?;
    let from = at + 1 + usize::from(matches!(scan.sign(at + 1), Some('.' | ':')));
    let day = || {
        let digits = scan.number(from).filter(|digits| is_day(digits))?;
        Some(Reading::new(number::plain_cardinal(&scan.data.number, digits, System::Indian), 1))
    };
    let is_closed =
        |date: &Reading| scan.word(from + date.items).is_some_and(|word| word.starts_with(last.as_str()));
    let date = with_day(scan, from).filter(is_closed).or_else(|| day().filter(is_closed))?;
    let end = from + date.items;
    Some(Reading::new(format!("{} {first}{}", date.words, scan.word(end)?), end + 1 - at))
}

/// Reads a date with a day and a month: `15/08/1947`, `15 अगस्त`.
pub(super) fn with_day(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let is_full = numeric(scan, at).is_some_and(|date| date.items == FULL_DATE);
    let has_day = is_full || day_and_month_name(scan, at).is_some();
    read(scan, at).filter(|_| has_day)
}

/// Reads a date whose order is declared by markup: numbers, months also by name, or all digits in one number.
pub(super) fn declared(scan: &Scan<'_>, order: DateOrder) -> Option<Reading> {
    let fields: &[char] = match order {
        DateOrder::DayMonthYear => &['d', 'm', 'y'],
        DateOrder::MonthDayYear => &['m', 'd', 'y'],
        DateOrder::YearMonthDay => &['y', 'm', 'd'],
        DateOrder::DayMonth => &['d', 'm'],
        DateOrder::MonthDay => &['m', 'd'],
        DateOrder::MonthYear => &['m', 'y'],
        DateOrder::YearMonth => &['y', 'm'],
        DateOrder::Year => &['y'],
    };
    let is_part = |&at: &usize| scan.number(at).is_some() || month_at(scan, at).is_some();
    let places: Vec<usize> = (0..scan.items.len()).filter(is_part).collect();
    let digits = |at: usize| scan.number(at).map(str::to_owned);
    // all digits in one number: 19600910
    let mut joined = places.first().and_then(|&at| scan.number(at)).filter(|_| fields.len() > places.len());
    let mut parts = Vec::with_capacity(fields.len());
    for (nth, &field) in fields.iter().enumerate() {
        let own = if let Some(rest) = joined {
            let (own, following) = rest.split_at_checked(if field == 'y' { 4 } else { 2 })?;
            joined = Some(following);
            own.to_owned()
        } else {
            let &at = places.get(nth)?;
            let named = || month_at(scan, at).filter(|_| field == 'm').map(|(month, _)| month.to_string());
            digits(at).or_else(named)?
        };
        parts.push(own);
    }
    let part = |wanted: char| {
        let nth = fields.iter().position(|&field| field == wanted);
        nth.and_then(|nth| parts.get(nth)).map(String::as_str)
    };
    let (day, year) = (part('d'), part('y'));
    let month = part('m').map(month);
    let fits = day.is_none_or(is_day)
        && month.is_none_or(|month| month.is_some())
        && year.is_none_or(|year| year.len() <= 4);
    let month_first = fields.starts_with(&['m', 'd'])
        || fields.len() == 3 && fields[0] == 'y' && scan.data.date.iso_month_first;
    let words = match (month.flatten(), year) {
        (None, Some(year)) => number::year(scan.data, year),
        (month, year) => say(scan, Parts { day, until: None, month, year, month_first }),
    };
    fits.then(|| Reading::new(words, scan.items.len()))
}

/// Returns the words of a date, in the order of the language.
fn say(scan: &Scan<'_>, parts: Parts<'_>) -> String {
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
