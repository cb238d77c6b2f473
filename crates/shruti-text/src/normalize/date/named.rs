//! Dates with the name of the month.

use shruti_lang::Language;

use super::parts::{Parts, say};
use crate::data;
use crate::normalize::number::{ordinal, span};
use crate::normalize::quantity::{measure, units};
use crate::normalize::scan::calendar::{is_day, is_year, named_month, value};
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling::{ending, initials};

/// Returns the month at `at` and its number of items. The full stop of an abbreviation counts as an item.
pub(crate) fn month_at(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let word = scan.word(at)?;
    let dotted = scan.is_sign(at + 1, '.') && scan.joined(at + 1);
    let abbreviated = dotted.then(|| named_month(scan.language, &format!("{word}."))).flatten();
    if let Some(month) = abbreviated {
        return Some((month, 2));
    }
    let cased = || data::of(Language::English).date.cased_months.get(word).copied();
    // an abbreviation without its dot is a month if a day and a year are next to it: மார் 15, 2025
    let undotted = || {
        let short =
            !word.is_ascii() && word.chars().count() > 1 && !dotted && is_between_day_and_year(scan, at);
        short.then(|| named_month(scan.language, &format!("{word}."))).flatten()
    };
    named_month(scan.language, word).or_else(cased).or_else(undotted).map(|month| (month, 1))
}

/// Returns whether a day and a year of four digits are next to the word at `at`: `ஆக 14, 2025`, `14 ஆக 2025`.
fn is_between_day_and_year(scan: &Scan<'_>, at: usize) -> bool {
    let day = |place: usize| scan.number(place).is_some_and(is_day);
    let after_day = at > 0 && day(at - 1) && year_at(scan, at + 1).is_some();
    day(at + 1) && year_at(scan, at + 2).is_some() || after_day
}

/// Returns the day of the month at `at` and its number of items, including an ordinal suffix.
fn day_at<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, usize)> {
    let day = scan.number(at).filter(|digits| is_day(digits))?;
    let is_suffix = |word: &&str| ordinal::is_suffix(scan, word.strip_suffix("'s").unwrap_or(word));
    let suffix = scan.word(at + 1).filter(|_| scan.joined(at + 1)).filter(is_suffix);
    // an ordinal suffix of the language is spoken (5वीं जनवरी), unless the language has separate names for the days of
    // the month
    let has_native_suffix = suffix.is_some_and(|suffix| !suffix.is_ascii()) && scan.data.date.days.is_empty();
    (!has_native_suffix).then_some((day, 1 + usize::from(suffix.is_some())))
}

/// Returns 1 for a comma, hyphen or slash between the parts of a date, and 0 otherwise.
fn separator(scan: &Scan<'_>, at: usize) -> usize {
    let joins = matches!(scan.sign(at), Some(',' | '-')) || scan.is_sign(at, '/') && scan.joined(at + 1);
    usize::from(joins && scan.joined(at))
}

fn year_at<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, usize)> {
    let skip = separator(scan, at);
    let year = scan.number(at + skip).filter(|digits| is_year(digits))?;
    let grouped = matches!(scan.sign(at + skip + 1), Some(',' | '.' | ':' | '%'))
        && scan.joined(at + skip + 1)
        && scan.joined(at + skip + 2)
        && scan.number(at + skip + 2).is_some();
    (!grouped).then_some((year, skip + 1))
}

/// Returns a two-digit year after an apostrophe, or after the same sign as the one before the month: `5-Jan-24`.
fn short_year_at<'a>(scan: &'a Scan<'_>, month: usize, at: usize) -> Option<(&'a str, usize)> {
    // an apostrophe may precede the year: Apr'24
    if matches!(scan.sign(at), Some('\'' | '’' | '‘')) && scan.joined(at + 1) {
        let quoted = scan.spaced(at) && matches!(scan.sign(at + 2), Some('\'' | '’'));
        return scan.number(at + 1).filter(|digits| digits.len() == 2 && !quoted).map(|year| (year, 2));
    }
    let sign = scan.sign(at).filter(|c| matches!(c, '-' | '/'))?;
    let joined = month > 0 && scan.is_sign(month - 1, sign) && scan.joined(at) && scan.joined(at + 1);
    let year = scan.number(at + 1).filter(|digits| digits.len() == 2 && joined)?;
    Some((year, 2))
}

/// Returns a two-digit year if day, month and year are written as one word: `20NOV24`.
fn joined_year_at<'a>(scan: &'a Scan<'_>, month: usize, at: usize) -> Option<(&'a str, usize)> {
    let joined = scan.joined(month) && scan.joined(at) && scan.spaced(at + 1);
    let year = scan.number(at).filter(|digits| digits.len() == 2 && joined)?;
    Some((year, 1))
}

/// Returns the last day of a range of days that starts before `at` (`-5` or `to 5`), and its number of items.
fn until_at<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, usize)> {
    let dash = matches!(scan.sign(at), Some('-' | '–')) && scan.spaced(at) == scan.spaced(at + 1);
    let to = scan.word(at).is_some_and(|word| scan.data.date.span_words.contains(word));
    let (day, items) = day_at(scan, at + 1).filter(|_| dash || to)?;
    Some((day, items + 1))
}

pub(crate) fn day_and_month_name(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let (day, day_items) = day_at(scan, at)?;
    let mut next = at + day_items;
    let until = until_at(scan, next).filter(|(until, _)| value(until) > value(day));
    next += until.map_or(0, |(_, items)| items);
    if scan.word(next).is_some_and(|word| scan.data.date.before_month.contains(word)) {
        next += 1;
    }
    next += separator(scan, next);
    let (month, month_items) = month_at(scan, next)?;
    // "5 may be" is not a date
    let doubtful = |word: &str| data::of(Language::English).date.doubtful.contains(word);
    if scan.word(next).is_some_and(doubtful) && day_items == 1 && scan.number(next + 1).is_none() {
        return None;
    }
    // a longer unit may begin with the same letters as a month: २० मे.टन
    if units::at(scan, next).is_some_and(|unit| unit.items > month_items + 1) {
        return None;
    }
    let month_at = next;
    next += month_items;
    // an abbreviation that is also a unit is a month after a number only next to a year, a weekday or a word for dates:
    // 48 ಸೆ., but 10 ಸೆ. ಸೋಮವಾರ
    let date = &scan.data.date;
    let listed = |place: usize, list: &[String]| {
        scan.word(place).is_some_and(|word| list.iter().any(|known| known == word))
    };
    let dated = || {
        let colon = usize::from(at > 1 && scan.is_sign(at - 1, ':'));
        year_at(scan, next).is_some()
            || listed(next, &date.after_day)
            || listed(next, &date.weekdays)
            || at > colon && listed(at - 1 - colon, &date.before_day)
    };
    if units::at(scan, month_at).is_some_and(|unit| unit.items == month_items && unit.sign.ends_with('.'))
        && !dated()
    {
        return None;
    }
    let year = year_at(scan, next)
        .or_else(|| short_year_at(scan, month_at, next))
        .or_else(|| joined_year_at(scan, month_at, next));
    next += year.map_or(0, |(_, items)| items);
    let parts = Parts::of_day(day, until, month, year);
    Some(Reading::new(say(scan, parts), next - at))
}

/// Reads a day before a month of the calendar of the language, whose days have the same names as those of the other
/// months: ২৫ বৈশাখ is read as পঁচিশে বৈশাখ.
pub(crate) fn day_and_own_month(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let date = &scan.data.date;
    let (day, items) = day_at(scan, at)?;
    let until = until_at(scan, at + items).filter(|(until, _)| value(until) > value(day));
    let end = at + items + until.map_or(0, |(_, items)| items);
    let month = scan.word(end).filter(|word| scan.spaced(end) && date.own_months.contains(*word))?;
    let name = |digits: &str| date.days.get((value(digits) as usize).checked_sub(1)?);
    let days = match until {
        Some((until, _)) => span::between(scan, name(day)?, name(until)?),
        None => name(day)?.clone(),
    };
    Some(Reading::new(format!("{days} {month}"), end + 1 - at))
}

pub(crate) fn month_name_first(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let (month, month_items) = month_at(scan, at)?;
    let mut next = at + month_items;
    if let Some((year, items)) = year_at(scan, next) {
        let parts = Parts { month: Some(month), year: Some(year), ..Parts::default() };
        return Some(Reading::new(say(scan, parts), next + items - at));
    }
    let apostrophe = |c: char| matches!(c, '\'' | '’' | '‘');
    if let Some((year, items)) =
        short_year_at(scan, at, next).filter(|_| scan.sign(next).is_some_and(apostrophe))
    {
        let parts = Parts { month: Some(month), year: Some(year), ..Parts::default() };
        return Some(Reading::new(say(scan, parts), next + items - at));
    }
    next += separator(scan, next);
    // the day may be an ordinal: செப். 5-ம் தேதி
    if let Some(day) = ordinal::read(scan, next).filter(|day| is_own(scan, next + day.items - 1)) {
        let name = scan.data.date.months.get(month - 1)?;
        return Some(Reading::new(format!("{name} {}", day.words), next + day.items - at));
    }
    let (day, day_items) = day_at(scan, next)?;
    // "march 5 km" is a measure
    let unit = scan.word(next + 1).filter(|word| word.chars().count() > 1);
    // "March 5 ft. Arijit" names an artist
    let names = scan.is_sign(next + 2, '.') && initials::is_capitalised(scan, next + 3);
    if unit.is_some() && !names && measure::read(scan, next).is_some() {
        return None;
    }
    next += day_items;
    let until = until_at(scan, next).filter(|(until, _)| value(until) > value(day));
    next += until.map_or(0, |(_, items)| items);
    // "May 10:30" and "May 5%" are not dates
    if (matches!(scan.sign(next), Some(':' | '.')) && scan.number(next + 1).is_some())
        || scan.is_sign(next, '%')
    {
        return None;
    }
    let year = year_at(scan, next);
    next += year.map_or(0, |(_, items)| items);
    let parts = Parts { month_first: true, ..Parts::of_day(day, until, month, year) };
    Some(Reading::new(say(scan, parts), next - at))
}

/// Reads the English abbreviation of a month without a day: `by Feb`, `Oct.-Dec.`
pub(crate) fn short_month(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let english = data::of(Language::English);
    let short = |at: usize| {
        let word = scan.latin(at)?;
        let lower = word.to_ascii_lowercase();
        let titled = word.starts_with(|c: char| c.is_ascii_uppercase()) && word[1..] == lower[1..];
        let month = *english
            .date
            .written_months
            .get(&lower)
            .filter(|_| titled && english.date.short_months.contains(&lower))?;
        Some((month, scan.data.date.months.get(month - 1)?))
    };
    let (month, name) = short(at)?;
    let dot = usize::from(scan.is_sign(at + 1, '.') && scan.joined(at + 1) && at + 2 < scan.items.len());
    // two months that are not consecutive are read as a range (Oct-Dec), and two consecutive months as a pair
    let dash = matches!(scan.sign(at + 1), Some('-' | '–')) && scan.joined(at + 1) && scan.joined(at + 2);
    if let Some((_, last)) = short(at + 2).filter(|(last, _)| dash && *last > month + 1) {
        return Some(Reading::new(span::between(scan, name, last), 3));
    }
    Some(Reading::new(name.clone(), 1 + dot))
}

/// Reads the abbreviation of a month in the script of the language without a day: જાન્યુ.-ફેબ્રુ.નું, ਦਸੰ. ਵਿੱਚ. An
/// abbreviation of two letters, or one that is also another word, needs another month next to it or an ending after its
/// dot.
pub(crate) fn own_short_month(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    /// Minimum length of an abbreviation that needs no context, in characters.
    const CLEAR: usize = 3;
    let marked = matches!(scan.sign(at + 1), Some('.' | '-' | '–'));
    let word = scan.word(at).filter(|word| marked && !word.is_ascii())?;
    let (month, items) = month_at(scan, at)?;
    if let Some(months) = months(scan, at, month, items) {
        return Some(months);
    }
    let end = at + 2;
    let name = scan.data.date.months.get(month - 1).filter(|_| items == 2)?;
    let inflected = scan.joined(end) && ending::is_dotted(scan, end) && !scan.is_sign(end + 1, '.');
    // another month may be joined to the abbreviation: ਜਨ. ਤੋਂ ਮਾਰਚ, ਮਾਰਚ ਤੋਂ ਜੂਨ., फर. और मार्च
    let joins = |place: usize| {
        span::is_repeated_after(scan, place)
            || scan.word(place).is_some_and(|word| scan.data.date.between_weekdays.contains(word))
    };
    let spans = joins(end) && month_at(scan, end + 1).is_some()
        || at > 1 && joins(at - 1) && ends_month(scan, at - 1);
    let clear = word.chars().count() >= CLEAR
        && !scan.data.date.doubtful.contains(word)
        && end < scan.items.len()
        && scan.data.abbreviation(scan.raw(at, end)).is_none();
    (inflected || spans || clear).then(|| Reading::new(name.clone(), 2))
}

/// Returns whether a month, with or without the dot of an abbreviation, ends before `at`.
fn ends_month(scan: &Scan<'_>, at: usize) -> bool {
    (1..=2).any(|items| {
        at.checked_sub(items).and_then(|start| month_at(scan, start)).is_some_and(|(_, own)| own == items)
    })
}

/// Reads two months with a dash between them, at least one of which is abbreviated in the script of the language, and
/// their year. Two consecutive months are read as a pair, and other months as a range.
fn months(scan: &Scan<'_>, at: usize, first: usize, items: usize) -> Option<Reading> {
    let dash = at + items;
    let is_dash = matches!(scan.sign(dash), Some('-' | '–')) && scan.spaced(dash) == scan.spaced(dash + 1);
    let (last, last_items) = month_at(scan, dash + 1).filter(|_| is_dash)?;
    if items + last_items == 2 || scan.latin(dash + 1).is_some() {
        return None;
    }
    let end = dash + 1 + last_items;
    let year = year_at(scan, end);
    let names = &scan.data.date.months;
    let to = match year {
        Some((year, _)) => say(scan, Parts { month: Some(last), year: Some(year), ..Parts::default() }),
        None => names.get(last - 1)?.clone(),
    };
    let from = names.get(first - 1)?;
    let words =
        if (last + 12 - first) % 12 == 1 { format!("{from} {to}") } else { span::between(scan, from, &to) };
    Some(Reading::new(words, end + year.map_or(0, |(_, items)| items) - at))
}

/// Returns whether the word at `at` is in a non-Latin script and the language has no separate names for the days of the
/// month.
fn is_own(scan: &Scan<'_>, at: usize) -> bool {
    scan.word(at).is_some() && scan.latin(at).is_none() && scan.data.date.days.is_empty()
}
