//! Dates, years and decades.

use shruti_protocol::Language;

use super::data;
use super::item::{Reading, Scan};
use super::number::{self, System};
use super::ordinal;

/// A day, a month and a year, as far as they are written.
#[derive(Clone, Copy, Debug, Default)]
struct Parts<'a> {
    day: Option<&'a str>,
    month: Option<usize>,
    year: Option<&'a str>,
    month_first: bool,
}

/// `15/08/1947`, `2024-06-15`, `15 अगस्त 1947`, `August 15, 1947`, `03-2010`, `1920-26`, `1980s`.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    numeric(scan, at)
        .or_else(|| day_and_month_name(scan, at))
        .or_else(|| month_name_first(scan, at))
        .or_else(|| years(scan, at))
        .or_else(|| weekday(scan, at))
}

/// `Mon, 15 Aug`: an English abbreviation of a day of the week, before a comma or a date.
fn weekday(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    const SHORT: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let word = scan.latin(at)?;
    let place = SHORT.iter().position(|short| *short == word)?;
    let dot = usize::from(scan.is_sign(at + 1, '.') && scan.joined(at + 1));
    let comma = scan.is_sign(at + 1 + dot, ',');
    let dated = scan.number(at + 1 + dot + usize::from(comma)).is_some();
    // "sat" and "sun" are words too
    let plain = dated || (comma && place < 5);
    let name = scan.data.date.weekdays.get(place).filter(|_| plain)?;
    Some(Reading::new(name.clone(), 1 + dot))
}

fn value(digits: &str) -> u32 {
    digits.parse().unwrap_or(u32::MAX)
}

fn is_day(digits: &str) -> bool {
    digits.len() <= 2 && (1..=31).contains(&value(digits))
}

fn is_month(digits: &str) -> bool {
    digits.len() <= 2 && (1..=12).contains(&value(digits))
}

fn is_year(digits: &str) -> bool {
    digits.len() == 4 && (1000..=2999).contains(&value(digits))
}

fn month(digits: &str) -> Option<usize> {
    is_month(digits).then(|| value(digits) as usize)
}

fn numeric(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let first = scan.number(at)?;
    let separator = scan.sign(at + 1).filter(|c| matches!(c, '/' | '-' | '.' | '–'))?;
    let second = scan.number(at + 2)?;
    if scan.spaced(at + 1)
        || scan.spaced(at + 2)
        || (at > 0 && scan.joined(at) && scan.sign(at - 1) == Some(separator))
    {
        return None;
    }
    let third = scan
        .number(at + 4)
        .filter(|_| scan.sign(at + 3) == Some(separator) && scan.joined(at + 3) && scan.joined(at + 4));
    let more = scan.sign(at + 5) == Some(separator) && scan.joined(at + 5) && scan.number(at + 6).is_some();
    if more {
        return None;
    }
    let Some(third) = third else { return two_parts(scan, first, separator, second) };
    let short_year = third.len() == 2 && separator != '.';
    let parts = if is_year(first) && is_month(second) && is_day(third) {
        Parts { year: Some(first), month: month(second), day: Some(third), month_first: true }
    } else if is_day(first) && is_month(second) && (is_year(third) || short_year) {
        Parts { day: Some(first), month: month(second), year: Some(third), month_first: false }
    } else if is_month(first) && is_day(second) && (is_year(third) || short_year) {
        Parts { month: month(first), day: Some(second), year: Some(third), month_first: true }
    } else {
        return None;
    };
    Some(Reading::new(say(scan, parts), 5))
}

fn two_parts(scan: &Scan<'_>, first: &str, separator: char, second: &str) -> Option<Reading> {
    if separator == '.' {
        return None;
    }
    let padded = first.len() == 2 && second.len() == 2 && (first.starts_with('0') || second.starts_with('0'));
    let parts = if padded && separator == '-' && is_day(first) && is_month(second) {
        Parts { day: Some(first), month: month(second), ..Parts::default() }
    } else if is_month(first) && is_year(second) && first.len() == 2 {
        Parts { month: month(first), year: Some(second), ..Parts::default() }
    } else {
        return None;
    };
    Some(Reading::new(say(scan, parts), 3))
}

/// The month written at `at`, and over how many items: a full stop belongs to an abbreviation.
fn month_at(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let word = scan.word(at)?;
    let dotted = scan.is_sign(at + 1, '.') && scan.joined(at + 1);
    let abbreviated = dotted.then(|| named_month(scan.language, &format!("{word}."))).flatten();
    if let Some(month) = abbreviated {
        return Some((month, 2));
    }
    named_month(scan.language, word).map(|month| (month, 1))
}

/// The number of a month by any of its names in `language` or in English.
pub(super) fn named_month(language: Language, name: &str) -> Option<usize> {
    let lower = name.to_lowercase();
    [language, Language::English].into_iter().find_map(|language| {
        let date = &data::of(language).date;
        let full = date.months.iter().position(|month| *month == lower).map(|place| place + 1);
        full.or_else(|| date.written_months.get(&lower).copied())
    })
}

/// A day of the month at `at`, with its ordinal suffix: how many items.
fn day_at<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, usize)> {
    let day = scan.number(at).filter(|digits| is_day(digits))?;
    let suffixed =
        scan.joined(at + 1) && scan.word(at + 1).is_some_and(|word| ordinal::is_suffix(scan, word));
    Some((day, 1 + usize::from(suffixed)))
}

/// Skips a comma or a hyphen between the parts of a date.
fn separator(scan: &Scan<'_>, at: usize) -> usize {
    usize::from(matches!(scan.sign(at), Some(',' | '-')) && (scan.joined(at)))
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

fn day_and_month_name(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let (day, day_items) = day_at(scan, at)?;
    let mut next = at + day_items;
    if scan.language == Language::English && scan.word(next) == Some("of") {
        next += 1;
    }
    next += separator(scan, next);
    let (month, month_items) = month_at(scan, next)?;
    // "5 may be" is no date
    if scan.word(next) == Some("may") && day_items == 1 && scan.number(next + 1).is_none() {
        return None;
    }
    next += month_items;
    let year = year_at(scan, next);
    next += year.map_or(0, |(_, items)| items);
    let parts =
        Parts { day: Some(day), month: Some(month), year: year.map(|(year, _)| year), month_first: false };
    Some(Reading::new(say(scan, parts), next - at))
}

fn month_name_first(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let (month, month_items) = month_at(scan, at)?;
    let mut next = at + month_items;
    if let Some((year, items)) = year_at(scan, next) {
        let parts = Parts { month: Some(month), year: Some(year), ..Parts::default() };
        return Some(Reading::new(say(scan, parts), next + items - at));
    }
    next += separator(scan, next);
    let (day, day_items) = day_at(scan, next)?;
    next += day_items;
    // "May 10:30" and "march 5 km" are no dates
    if (matches!(scan.sign(next), Some(':' | '.')) && scan.number(next + 1).is_some())
        || scan.is_sign(next, '%')
    {
        return None;
    }
    let year = year_at(scan, next);
    next += year.map_or(0, |(_, items)| items);
    let parts =
        Parts { day: Some(day), month: Some(month), year: year.map(|(year, _)| year), month_first: true };
    Some(Reading::new(say(scan, parts), next - at))
}

/// The words of a date, in the order of the language.
fn say(scan: &Scan<'_>, parts: Parts<'_>) -> String {
    let date = &scan.data.date;
    let pattern = match (parts.day.is_some(), parts.year.is_some(), parts.month_first) {
        (true, true, true) => match &date.month_day_year {
            Some(pattern) => pattern.clone(),
            None if scan.data.number.western.is_empty() && parts.year.is_some_and(|year| year.len() == 4) => {
                // an ISO date is said in the order of the language
                format!("{} {{year}}", date.month_day)
            }
            None => date.full.clone(),
        },
        (true, true, false) => date.full.clone(),
        (true, false, true) => date.month_day.clone(),
        (true, false, false) => date.day_month.clone(),
        (false, ..) => date.month_year.clone(),
    };
    let day = parts.day.map(|digits| number::plain_cardinal(&scan.data.number, digits, System::Indian));
    let ordinal =
        parts.day.filter(|_| pattern.contains("{ordinal}")).map(|digits| ordinal::plain(scan, digits));
    let month = parts.month.and_then(|month| date.months.get(month - 1));
    let year = parts.year.map(|digits| match digits.len() {
        4 => number::year(scan.data, digits),
        _ if digits.starts_with('0') => number::one_by_one(&scan.data.number, digits),
        _ => number::plain_cardinal(&scan.data.number, digits, System::Indian),
    });
    pattern
        .replace("{day}", &day.unwrap_or_default())
        .replace("{ordinal}", &ordinal.unwrap_or_default())
        .replace("{month}", month.map_or("", String::as_str))
        .replace("{year}", &year.unwrap_or_default())
}

/// Years that stand alone, spans of years, decades.
fn years(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let digits = scan.number(at)?;
    let behind_apostrophe = at > 0 && scan.joined(at) && matches!(scan.sign(at - 1), Some('\'' | '’' | '‘'));
    let decade = |place: usize| {
        scan.joined(place)
            && scan.word(place).is_some_and(|word| scan.data.date.decade.iter().any(|suffix| suffix == word))
            && !scan.data.date.decade_last_word.is_empty()
    };
    let is_decade = |digits: &str| digits.ends_with('0') && (is_year(digits) || digits.len() == 2);
    if is_decade(digits) && decade(at + 1) {
        let mut words = decade_words(scan, digits);
        let mut items = 2;
        if let Some(second) =
            joined_after_dash(scan, at + 2).filter(|second| is_decade(second) && decade(at + 4))
        {
            words = scan.data.number.range.replace("{a}", &words).replace("{b}", &decade_words(scan, second));
            items = 5;
        }
        return Some(Reading::new(words, items));
    }
    if behind_apostrophe || !is_year(digits) || (at > 0 && scan.joined(at) && scan.is_word(at - 1)) {
        return None;
    }
    if let Some(second) = joined_after_dash(scan, at + 1) {
        let later = is_year(second) && value(second) > value(digits);
        let short = second.len() == 2 && value(second) > value(&digits[2..]);
        let plausible = (1500..2100).contains(&value(digits));
        if plausible && (later || short) && scan.sign(at + 3) != Some('-') {
            let from = number::year(scan.data, digits);
            let to = if later {
                number::year(scan.data, second)
            } else {
                number::plain_cardinal(&scan.data.number, second, System::Indian)
            };
            return Some(Reading::new(scan.data.number.range.replace("{a}", &from).replace("{b}", &to), 3));
        }
    }
    is_plain_year(scan, at, digits).then(|| Reading::new(number::year(scan.data, digits), 1))
}

fn joined_after_dash<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let joined = matches!(scan.sign(at), Some('-' | '–' | '—')) && scan.joined(at) && scan.joined(at + 1);
    if joined { scan.number(at + 1) } else { None }
}

fn decade_words(scan: &Scan<'_>, digits: &str) -> String {
    let year = if digits.len() == 4 {
        number::year(scan.data, digits)
    } else {
        number::plain_cardinal(&scan.data.number, digits, System::Indian)
    };
    let Some((head, last)) = year.rsplit_once(' ').or(Some(("", year.as_str()))) else { return year };
    let plural = scan.data.date.decade_last_word.get(last).cloned().unwrap_or_else(|| format!("{last}s"));
    format!("{head} {plural}").trim().to_owned()
}

/// Whether four digits alone are a year: by the word beside them, or by their size in a sentence.
fn is_plain_year(scan: &Scan<'_>, at: usize, digits: &str) -> bool {
    if is_part_of_number(scan, at) {
        return false;
    }
    let year_words = &scan.data.date.year_words;
    let names_year = |place: Option<usize>| {
        place.and_then(|place| scan.word(place)).is_some_and(|word| {
            year_words.iter().any(|year| year == word || (word.is_ascii() && year.eq_ignore_ascii_case(word)))
        })
    };
    let size = value(digits);
    let lone = scan.words == 0 && scan.numbers == 1;
    let latest = if scan.data.date.year_pairs { 1999 } else { 1099 };
    if lone {
        return (1100..=latest).contains(&size);
    }
    if names_year(at.checked_sub(1)) || names_year(Some(at + 1)) {
        return true;
    }
    let earliest = if scan.data.date.year_pairs { 1100 } else { 1700 };
    let function = &scan.data.prosody.function;
    let counted = scan.spaced(at + 1)
        && scan.word(at + 1).is_some_and(|word| !function.iter().any(|known| known == word));
    (earliest..2100).contains(&size) && (!counted || scan.data.date.year_pairs)
}

/// Whether what stands around four digits makes them something other than a year.
fn is_part_of_number(scan: &Scan<'_>, at: usize) -> bool {
    let sign = |place: usize, signs: &[char]| scan.sign(place).is_some_and(|c| signs.contains(&c));
    let joins = ['.', ',', ':', '/', '-', '–', '×', '*', '+', '=', '%', '°'];
    let continued =
        scan.joined(at + 1) && sign(at + 1, &joins) && scan.joined(at + 2) && at + 2 < scan.items.len();
    let reckoned = sign(at + 1, &['%', '°', '+', '×', '=', '*', '/', '₹', '$']);
    // a case ending of the language may follow directly: 1947માં
    let suffixed = scan.joined(at + 1)
        && scan.word(at + 1).is_some_and(|word| {
            word.is_ascii()
                || ordinal::is_suffix(scan, word)
                || scan.data.units.words.contains_key(word)
                || scan.data.number.multipliers.contains_key(word)
        });
    let led = at > 0
        && (sign(at - 1, &['#', '+', '-', '−', '×', '=', '*', '/', '₹', '$', '€', '£'])
            || (scan.joined(at) && sign(at - 1, &['.', ',', ':'])));
    continued || reckoned || suffixed || led
}
