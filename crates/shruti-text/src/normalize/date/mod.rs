//! Dates, years and decades.

mod named;
mod numeric;
pub(crate) mod pairs;
mod parts;
pub(crate) mod reign;
mod weekday;
pub(crate) mod year;

use self::named::{
    day_and_month_name, day_and_own_month, month_at, month_name_first, own_short_month, short_month,
};
use self::numeric::numeric;
pub(crate) use self::numeric::{is_dotted, is_in_span_of_days, is_month_and_year, is_named_day};
pub(crate) use self::pairs::is_result;
use self::parts::{Parts, say};
use self::weekday::{fortnight, lunar_day, own_weekday, weekday, weekdays};
use crate::normalize::number::{self, System};
use crate::normalize::scan::calendar::{is_day, month};
use crate::normalize::scan::{Reading, Scan};
use crate::ssml::DateOrder;

/// Number of items of a numeric date with its year.
const FULL_DATE: usize = 5;

/// Reads `15/08/1947`, `2024-06-15`, `15 अगस्त 1947`, `August 15, 1947`, `03-2010`, `1920-26` or `1980s`.
pub(crate) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let date = lunar_day(scan, at)
        .or_else(|| numeric(scan, at))
        .or_else(|| day_and_month_name(scan, at))
        .or_else(|| day_and_own_month(scan, at))
        .or_else(|| month_name_first(scan, at))
        .or_else(|| year::read(scan, at))
        .or_else(|| weekdays(scan, at))
        .or_else(|| weekday(scan, at))
        .or_else(|| short_month(scan, at))
        .or_else(|| own_short_month(scan, at))
        .or_else(|| own_weekday(scan, at))
        .or_else(|| fortnight(scan, at))?;
    // the article is omitted if the text already contains it: the 15th of August
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

/// Reads the short forms of weekdays and months in the script of the language (`सोम.-शुक्र.`, `जाने. ते मार्च`), or a
/// date that is written between the halves of the word for a date.
pub(crate) fn in_short(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    scan.word(at).filter(|_| scan.latin(at).is_none())?;
    let days = || weekdays(scan, at).filter(|_| scan.is_sign(at + 1, '.'));
    days().or_else(|| own_short_month(scan, at)).or_else(|| enclosed(scan, at))
}

/// Reads a date that is written between the halves of the word for a date: ତା ୧୭ ରିଖ is read as ସତର ତାରିଖ.
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
pub(crate) fn with_day(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let is_full = numeric(scan, at).is_some_and(|date| date.items == FULL_DATE);
    let has_day = is_full || day_and_month_name(scan, at).is_some();
    read(scan, at).filter(|_| has_day)
}

/// Reads a date for which markup declares the order of the parts. Each part is a number or the name of a month, or one
/// number contains all parts.
pub(crate) fn declared(scan: &Scan<'_>, order: DateOrder) -> Option<Reading> {
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
    // one number may contain all parts: 19600910
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
