//! Dates, years and decades.

use shruti_lang::Language;

use super::calendar::{is_day, is_month, is_year, month, named_month, value};
use super::data;
use super::dotted;
use super::equation::in_equation;
use super::naming::Kinds;
use super::number::{self, System};
use super::scan::{Reading, Scan};
use super::{ordinal, span, time, units, year};
use crate::chars::lowercase;
use crate::ssml::DateOrder;

/// First two-digit year that belongs to the twentieth century.
const FIRST_OF_LAST_CENTURY: u32 = 50;

/// Two-digit years after a dot that are more likely years than parts of a version.
const RECENT: std::ops::Range<u32> = 20..50;

/// Maximum number of sets of a match before the last one.
const MOST_SETS: usize = 4;

/// Number of items before a month and a year that are searched for a word that identifies them.
const NEAR_MONTH: usize = 5;

/// Maximum number of items from a bracket after an order to its number: `ജി.ഒ.(എം.എസ്) 12/2024`.
const MOST_IN_BRACKETS: usize = 8;

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

/// Reads `15/08/1947`, `2024-06-15`, `15 अगस्त 1947`, `August 15, 1947`, `03-2010`, `1920-26` or `1980s`.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let date = numeric(scan, at)
        .or_else(|| day_and_month_name(scan, at))
        .or_else(|| month_name_first(scan, at))
        .or_else(|| year::read(scan, at))
        .or_else(|| weekdays(scan, at))
        .or_else(|| weekday(scan, at))
        .or_else(|| short_month(scan, at))
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

/// Reads `Mon, 15 Aug`: an English abbreviation of a weekday before a comma or a date.
fn weekday(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let english = &data::of(Language::English).date;
    let word = scan.latin(at)?;
    let place = english.short_weekdays.iter().position(|short| short == word)?;
    let dot = usize::from(scan.is_sign(at + 1, '.') && scan.joined(at + 1));
    let comma = scan.is_sign(at + 1 + dot, ',');
    let next = at + 1 + dot + usize::from(comma);
    let dated = scan.number(next).is_some() || month_at(scan, next).is_some();
    let is_day = |place: usize| {
        scan.latin(place).is_some_and(|word| english.short_weekdays.iter().any(|day| day == word))
    };
    let ends_span = at >= 2 && matches!(scan.sign(at - 1), Some('-' | '–')) && is_day(at - 2);
    // a preposition before the weekday: on Sat, before Mon
    let announced = at.checked_sub(1).and_then(|before| scan.latin(before));
    let announced = announced.is_some_and(|before| english.before_weekday.iter().any(|word| word == before));
    // a word after the weekday: Sun closed
    let is_followed =
        scan.latin(at + 1).is_some_and(|after| english.after_weekday.iter().any(|word| word == after));
    // after a date: 29/1 (Thu)
    let bracketed =
        at >= 2 && scan.is_sign(at - 1, '(') && scan.is_sign(at + 1, ')') && scan.number(at - 2).is_some();
    let plain = dated
        || bracketed
        || dot > 0
        || ends_span
        || announced
        || is_followed
        || (comma && !english.doubtful.contains(word));
    let name = scan.data.date.weekdays.get(place).filter(|_| plain)?;
    Some(Reading::new(name.clone(), 1 + dot))
}

/// Reads `शनि.`: a short name of a weekday in the script of the language, with a dot, if it is the whole segment, or next
/// to a date, another weekday or a word that follows a date.
fn own_weekday(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let date = &scan.data.date;
    let stem = scan.word(at).filter(|word| date.weekday_stems.contains(*word))?;
    let is_date = |place: usize| scan.number(place).is_some() || month_at(scan, place).is_some();
    let name = date.weekdays.iter().find(|day| day.starts_with(stem))?;
    // after a date in brackets: 4 जनवरी (रवि)
    if at > 1 && scan.is_sign(at - 1, '(') && scan.is_sign(at + 1, ')') && is_date(at - 2) {
        return Some(Reading::new(name.clone(), 1));
    }
    if !(scan.is_sign(at + 1, '.') && scan.joined(at + 1)) {
        return None;
    }
    let is_and = |place: usize| scan.word(place).is_some_and(|word| date.between_weekdays.contains(word));
    let is_day = |place: usize| {
        scan.word(place).is_some_and(|word| {
            date.weekday_stems.contains(word) || date.weekdays.iter().any(|day| day == word)
        })
    };
    let next = at + 2;
    let alone = at == 0 && (next..scan.items.len()).all(|place| scan.is_sign(place, ','));
    let bracket = usize::from(at > 1 && matches!(scan.sign(at - 1), Some('(' | ',')));
    let after_date = at > bracket && is_date(at - 1 - bracket);
    let listed = at > 1 && is_and(at - 1) || is_and(next) && is_day(next + 1);
    let follows = |word: &str| date.after_day.iter().chain(&date.before_day).any(|known| known == word);
    let before_date = is_date(next)
        || scan.word(next).is_some_and(follows)
        || scan.data.abbreviation(scan.raw(next, next + 2)).is_some_and(follows);
    (alone || after_date || listed || before_date).then(|| Reading::new(name.clone(), 2))
}

/// Reads the half of a lunar month after its name: पौष शु. पूर्णिमा.
fn fortnight(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let name = scan.data.date.fortnights.get(scan.word(at)?)?;
    let month = at.checked_sub(1).and_then(|before| scan.word(before))?;
    let dot = scan.is_sign(at + 1, '.') && scan.joined(at + 1);
    (dot && scan.data.date.lunar_months.contains(month)).then(|| Reading::new(name.clone(), 2))
}

/// Reads a range of weekdays: `Mon-Fri`, `सोम-शुक्र`, `திங்கள் - வெள்ளி`.
fn weekdays(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let dash = matches!(scan.sign(at + 1), Some('-' | '–')) && scan.spaced(at + 1) == scan.spaced(at + 2);
    let (from, to) = (scan.word(at)?, scan.word(at + 2).filter(|_| dash)?);
    let english = &data::of(Language::English).date.short_weekdays;
    let name = |word: &str| {
        if scan.data.date.weekday_stems.contains(word) {
            return Some(word.to_owned());
        }
        scan.data.date.weekdays.get(english.iter().position(|day| day == word)?).cloned()
    };
    let words = span::between(scan, &name(from)?, &name(to)?);
    Some(Reading::new(words, 3))
}

fn numeric(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let first = scan.number(at)?;
    let separator = scan.sign(at + 1).filter(|c| matches!(c, '/' | '-' | '.' | '–' | '।'))?;
    let second = scan.number(at + 2)?;
    if time::follows_hour_abbreviation(scan, at) {
        return None;
    }
    if scan.spaced(at + 1)
        || scan.spaced(at + 2)
        || (at > 1
            && scan.joined(at)
            && scan.sign(at - 1) == Some(separator)
            && scan.number(at - 2).is_some())
    {
        return None;
    }
    let third = scan
        .number(at + 4)
        .filter(|_| scan.sign(at + 3) == Some(separator) && scan.joined(at + 3) && scan.joined(at + 4));
    let more = scan.sign(at + 5) == Some(separator) && scan.joined(at + 5) && scan.number(at + 6).is_some();
    if more && third.is_some() {
        return None;
    }
    let Some(third) = third else { return two_parts(scan, at, separator) };
    // 25.12.23 and 1.7.25, but not the version 1.2.10
    let two_each = [first, second, third].iter().all(|part| part.len() == 2);
    let of_this_century =
        || RECENT.contains(&value(third)) && (!scan.has_case() || follows_date_word(scan, at));
    let dotted = || (two_each || of_this_century()) && !is_version(scan, at);
    let short_year = third.len() == 2 && (separator != '.' || dotted());
    let parts = if is_year(first) && is_month(second) && is_day(third) {
        let month_first = scan.data.date.iso_month_first;
        Parts { year: Some(first), month: month(second), day: Some(third), month_first, ..Parts::default() }
    } else if is_day(first) && is_month(second) && (is_year(third) || short_year) {
        Parts { day: Some(first), month: month(second), year: Some(third), ..Parts::default() }
    } else if is_month(first) && is_day(second) && (is_year(third) || short_year) {
        Parts {
            month: month(first),
            day: Some(second),
            year: Some(third),
            month_first: true,
            ..Parts::default()
        }
    } else {
        return None;
    };
    Some(Reading::new(say(scan, parts), 5))
}

/// Returns whether a day, month and year with dots start at `at`, and not a version or an address.
pub(super) fn is_dotted(scan: &Scan<'_>, at: usize) -> bool {
    scan.is_sign(at + 1, '.') && numeric(scan, at).is_some_and(|date| date.items == 5)
}

/// Returns whether the word before `at` is a preposition of time or a word for a date: from 1.7.25.
fn follows_date_word(scan: &Scan<'_>, at: usize) -> bool {
    let lists = [&scan.data.date.span_words, &scan.data.time.at_words];
    let before = at.checked_sub(1);
    before.is_some_and(|before| {
        lists.into_iter().any(|list| scan.is_one_of(list, before))
            || scan
                .word(before)
                .is_some_and(|word| scan.data.date.before_day.iter().any(|known| known == word))
    })
}

/// Returns whether the word before `at` names something that has versions: Chrome 25.12.23.
fn is_version(scan: &Scan<'_>, at: usize) -> bool {
    if at > 0 && scan.names(at - 1).has(Kinds::VERSION) {
        return true;
    }
    let before = at.checked_sub(1).and_then(|before| scan.latin(before));
    let dated = |word: &str| scan.data.before_number.contains_key(word);
    before.is_some_and(|word| !scan.is_function(word) && word.len() > 1 && !dated(word) || word == "v")
}

/// Reads `15-08`, `31-12`, `15/08` or `03-2010`.
fn two_parts(scan: &Scan<'_>, at: usize, separator: char) -> Option<Reading> {
    let (first, second) = (scan.number(at)?, scan.number(at + 2)?);
    if matches!(separator, '.' | '।') {
        let parts = Parts { day: Some(first), month: month(second), ..Parts::default() };
        return is_dotted_day(scan, at, separator).then(|| Reading::new(say(scan, parts), 3));
    }
    // रात 11-10: a time
    if separator == '-' && (dotted::is_hyphened(scan, at) || is_among_scores(scan, at)) {
        return None;
    }
    let padded = first.len() == 2 && second.len() == 2 && (first.starts_with('0') || second.starts_with('0'));
    // 31-12 is not a range, since a range starts with the smaller number
    let falls = first.len() == 2 && second.len() == 2 && value(first) > value(second) && separator != '–';
    let falls = falls && (separator == '-' || !in_equation(scan, at));
    let day_and_month = is_day(first) && is_month(second) && !scan.names_address;
    // 10-15 to 20, but not "on 17-12 to an account"
    let spans = span::is_repeated_after(scan, at + 3) && (scan.number(at + 4).is_some() || !falls);
    let measured = units::at(scan, at + 3).is_some() || spans;
    let named = separator == '/' && (is_named_day(scan, at) || is_in_dateline(scan, at));
    let month_and_year = is_month_and_year(scan, at) && first.len() == 2 && second.len() == 2;
    let full_year = format!("20{second}");
    let parts = if month_and_year && is_month(first) {
        Parts { month: month(first), year: Some(&full_year), ..Parts::default() }
    } else if is_in_span_of_days(scan, at)
        || day_and_month && !measured && (padded && separator != '–' || falls || named)
    {
        Parts { day: Some(first), month: month(second), ..Parts::default() }
    } else if is_month(first) && is_year(second) && first.len() == 2 && !is_filed(scan, at) {
        Parts { month: month(first), year: Some(second), ..Parts::default() }
    } else {
        return None;
    };
    Some(Reading::new(say(scan, parts), 3))
}

/// Returns whether two numbers with a hyphen end a list of such pairs, one of which is no date: 25-23, 19-25, 15-12.
fn is_among_scores(scan: &Scan<'_>, at: usize) -> bool {
    let pair = |at: usize| {
        let joined = scan.is_sign(at + 1, '-') && scan.joined(at + 1) && scan.joined(at + 2);
        let pair = scan.number(at).zip(scan.number(at + 2)).filter(|_| joined)?;
        Some(!is_month(pair.1))
    };
    let before = (1..=MOST_SETS).map_while(|list| {
        let start = at.checked_sub(4 * list).filter(|start| scan.is_sign(start + 3, ','))?;
        pair(start)
    });
    scan.sentence_context.ends_in_scores && at == 0 || before.into_iter().any(|score| score)
}

/// Returns whether a number with a dot or a danda is a day and a month: ২৮।১১ তারিখে, ୨୮.୧୧ ସୁଦ୍ଧା.
fn is_dotted_day(scan: &Scan<'_>, at: usize, separator: char) -> bool {
    let (Some(first), Some(second)) = (scan.number(at), scan.number(at + 2)) else { return false };
    if !is_day(first) || !is_month(second) || scan.joined(at + 3) && scan.number(at + 3).is_some() {
        return false;
    }
    let date = &scan.data.date;
    let listed = |list: &[String], place: Option<usize>| {
        place.and_then(|place| scan.word(place)).is_some_and(|word| list.iter().any(|known| known == word))
    };
    if separator == '।' {
        let named = listed(&date.before_day, at.checked_sub(1)) || listed(&date.after_day, Some(at + 3));
        return named || is_in_dateline(scan, at);
    }
    let decimal = Kinds::RATE.and(Kinds::VERSION);
    let measured = || (0..scan.items.len()).any(|place| scan.names(place).has(decimal));
    second.len() == 2
        && scan.spaced(at + 3)
        && listed(&date.deadline, Some(at + 3))
        && !measured()
        && !dotted::is_shown_as_time(scan, at)
}

/// Returns whether a day and a month follow the place at the start of a news report: `ଗଞ୍ଜାମ, ୩/୫ (ନି.ପ୍ର.):`. One of the
/// fractions with a name needs the colon after them, since a list of ingredients may have the parentheses.
fn is_in_dateline(scan: &Scan<'_>, at: usize) -> bool {
    let (Some(first), Some(second)) = (scan.number(at), scan.number(at + 2)) else { return false };
    let place = at == 0 && scan.sentence_context.is_place;
    let end = at + 3;
    let opens = scan.is_sign(end, '(');
    let closed = (end..scan.items.len()).find(|&place| scan.is_sign(place, ')')).filter(|_| opens);
    let colon = scan.is_sign(closed.map_or(end, |closed| closed + 1), ':');
    let part = scan.data.fraction.named.contains_key(&format!("{first}/{second}"));
    place && is_day(first) && is_month(second) && (colon || opens && !part)
}

/// Returns whether dotted letters for an order or a case precede its number and year: സ.ഉ. 12/2024, സ.ഉ.(കൈ) 12/2024.
fn is_filed(scan: &Scan<'_>, at: usize) -> bool {
    let closed = at > 0 && scan.is_sign(at - 1, ')');
    let opened = || (at.saturating_sub(MOST_IN_BRACKETS)..at).rev().find(|&place| scan.is_sign(place, '('));
    let end = if closed { opened().unwrap_or(at) } else { at };
    let last = if end > 0 && scan.is_sign(end - 1, '.') { end.checked_sub(2) } else { end.checked_sub(1) };
    last.filter(|&last| last >= 2).is_some_and(|last| {
        let dotted = scan.is_sign(last - 1, '.') && scan.joined(last) && scan.joined(last - 1);
        dotted && scan.is_word(last) && scan.is_word(last - 2) && scan.latin(last).is_none()
    })
}

/// Returns whether a word shortly before two numbers shows that they are a month and a year: Exp: 05/27.
pub(super) fn is_month_and_year(scan: &Scan<'_>, at: usize) -> bool {
    let (own, english) = (&scan.data.date.month_and_year, &data::of(Language::English).date.month_and_year);
    let announced = |place: usize| scan.is_one_of(own, place) || scan.is_one_of(english, place);
    (at.saturating_sub(NEAR_MONTH)..at).any(announced)
}

/// Returns whether a word next to two numbers with a slash shows that they are a day and a month: on 5/12, 5/12 को.
fn is_named_day(scan: &Scan<'_>, at: usize) -> bool {
    let date = &scan.data.date;
    let before = at.checked_sub(1).and_then(|before| scan.word(before));
    let listed = |list: &[String], word: &str| list.iter().any(|known| known == lowercase(word).as_ref());
    before.is_some_and(|word| listed(&date.before_day, word))
        || scan.word(at + 3).is_some_and(|word| listed(&date.after_day, word))
}

/// Returns whether two days with their months are the ends of a range: 27/9 से 4/10. Two proper fractions are not.
pub(super) fn is_in_span_of_days(scan: &Scan<'_>, at: usize) -> bool {
    let day_and_month = |at: usize| {
        let day = scan.number(at).filter(|digits| is_day(digits))?;
        let month = scan.number(at + 2).filter(|digits| is_month(digits))?;
        let joined = scan.is_sign(at + 1, '/') && scan.joined(at + 1) && scan.joined(at + 2);
        joined.then(|| value(day) > value(month))
    };
    let is_span = |first: usize| {
        let joins =
            span::is_repeated_after(scan, first + 3) || scan.is_one_of(&scan.data.date.span_words, first + 3);
        let falls = day_and_month(first).zip(day_and_month(first + 4));
        joins && falls.is_some_and(|(first, second)| first || second)
    };
    is_span(at) || at.checked_sub(4).is_some_and(is_span)
}

/// Returns the month at `at` and its number of items. The full stop of an abbreviation counts as an item.
fn month_at(scan: &Scan<'_>, at: usize) -> Option<(usize, usize)> {
    let word = scan.word(at)?;
    let dotted = scan.is_sign(at + 1, '.') && scan.joined(at + 1);
    let abbreviated = dotted.then(|| named_month(scan.language, &format!("{word}."))).flatten();
    if let Some(month) = abbreviated {
        return Some((month, 2));
    }
    let cased = || data::of(Language::English).date.cased_months.get(word).copied();
    // without its dot, if a day and a year show that it is a month: மார் 15, 2025
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
    // an ordinal suffix of the language is spoken, 5वीं जनवरी, unless the days have names of their own
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

/// Returns a two-digit year after an apostrophe, or after the same sign that precedes the month: `5-Jan-24`.
fn short_year_at<'a>(scan: &'a Scan<'_>, month: usize, at: usize) -> Option<(&'a str, usize)> {
    // an apostrophe before the year: Apr'24
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

fn day_and_month_name(scan: &Scan<'_>, at: usize) -> Option<Reading> {
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
    // a longer unit begins like a month: २० मे.टन
    if units::at(scan, next).is_some_and(|unit| unit.items > month_items + 1) {
        return None;
    }
    let month_at = next;
    next += month_items;
    let year = year_at(scan, next)
        .or_else(|| short_year_at(scan, month_at, next))
        .or_else(|| joined_year_at(scan, month_at, next));
    next += year.map_or(0, |(_, items)| items);
    let parts = Parts {
        day: Some(day),
        until: until.map(|(until, _)| until),
        month: Some(month),
        year: year.map(|(year, _)| year),
        month_first: false,
    };
    Some(Reading::new(say(scan, parts), next - at))
}

fn month_name_first(scan: &Scan<'_>, at: usize) -> Option<Reading> {
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
    // an ordinal day: செப். 5-ம் தேதி
    if let Some(day) = ordinal::read(scan, next).filter(|day| is_own(scan, next + day.items - 1)) {
        let name = scan.data.date.months.get(month - 1)?;
        return Some(Reading::new(format!("{name} {}", day.words), next + day.items - at));
    }
    let (day, day_items) = day_at(scan, next)?;
    next += day_items;
    let until = until_at(scan, next).filter(|(until, _)| value(until) > value(day));
    next += until.map_or(0, |(_, items)| items);
    // "May 10:30" and "march 5 km" are not dates
    if (matches!(scan.sign(next), Some(':' | '.')) && scan.number(next + 1).is_some())
        || scan.is_sign(next, '%')
    {
        return None;
    }
    let year = year_at(scan, next);
    next += year.map_or(0, |(_, items)| items);
    let parts = Parts {
        day: Some(day),
        until: until.map(|(until, _)| until),
        month: Some(month),
        year: year.map(|(year, _)| year),
        month_first: true,
    };
    Some(Reading::new(say(scan, parts), next - at))
}

/// Reads the English abbreviation of a month without a day: `by Feb`, `Oct.-Dec.`
fn short_month(scan: &Scan<'_>, at: usize) -> Option<Reading> {
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
    // Oct-Dec; two months in a row are a pair
    let dash = matches!(scan.sign(at + 1), Some('-' | '–')) && scan.joined(at + 1) && scan.joined(at + 2);
    if let Some((_, last)) = short(at + 2).filter(|(last, _)| dash && *last > month + 1) {
        return Some(Reading::new(span::between(scan, name, last), 3));
    }
    Some(Reading::new(name.clone(), 1 + dot))
}

/// Returns whether the word at `at` is in a non-Latin script and the language has no separate names for days.
fn is_own(scan: &Scan<'_>, at: usize) -> bool {
    scan.word(at).is_some() && scan.latin(at).is_none() && scan.data.date.days.is_empty()
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
