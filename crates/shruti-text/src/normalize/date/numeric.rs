//! Numeric dates.

use shruti_lang::Language;

use super::pairs;
use super::parts::{Parts, say};
use crate::chars::lowercase;
use crate::data;
use crate::data::keywords::Kinds;
use crate::normalize::number::span;
use crate::normalize::quantity::equation::in_equation;
use crate::normalize::quantity::units;
use crate::normalize::scan::calendar::{is_day, is_month, is_year, month, value};
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::time;

/// Range of two-digit numbers after a dot that are more likely years than parts of a version.
const RECENT: std::ops::Range<u32> = 20..50;

/// Number of items before two numbers that are searched for a word that identifies them as a month and a year.
const NEAR_MONTH: usize = 5;

/// Maximum distance, in items, from the opening bracket after the abbreviation of an order to the number of the order:
/// `ജി.ഒ.(എം.എസ്) 12/2024`.
const MOST_IN_BRACKETS: usize = 8;

pub(crate) fn numeric(scan: &Scan<'_>, at: usize) -> Option<Reading> {
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
    // 25.12.23 and 1.7.25 are dates, but 1.2.10 is a version
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

/// Returns whether a dotted date with day, month and year starts at `at`, as opposed to a version or an IP address.
pub(crate) fn is_dotted(scan: &Scan<'_>, at: usize) -> bool {
    scan.is_sign(at + 1, '.') && numeric(scan, at).is_some_and(|date| date.items == 5)
}

/// Returns whether the word before `at` is a preposition of time or a word for a date: from 1.7.25.
fn follows_date_word(scan: &Scan<'_>, at: usize) -> bool {
    let lists = [&scan.data.date.span_words, &scan.data.time.at_words];
    place_before(scan, at).is_some_and(|before| {
        lists.into_iter().any(|list| scan.is_one_of(list, before))
            || scan
                .word(before)
                .is_some_and(|word| scan.data.date.before_day.iter().any(|known| known == word))
    })
}

/// Returns whether the word before `at` suggests a version: a word for something that has version numbers, a Latin
/// content word, or the letter v: Chrome 25.12.23.
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
    // a descending pair whose second number is not a month is neither a range nor a day and a month: 25-23
    let is_score = |first: &str, second: &str| value(first) > value(second) && !is_month(second);
    // a time or a score with a hyphen is not a date: रात 11-10
    let dashed = || time::is_hyphened(scan, at) || pairs::are_scores(scan, at, is_score);
    if separator == '-' && dashed() || pairs::is_result(scan, at) {
        return None;
    }
    let padded = first.len() == 2 && second.len() == 2 && (first.starts_with('0') || second.starts_with('0'));
    // 31-12 is not a range, since a range starts with the smaller number
    let falls = first.len() == 2 && second.len() == 2 && value(first) > value(second) && separator != '–';
    let falls = falls && (separator == '-' || !in_equation(scan, at));
    let day_and_month = is_day(first) && is_month(second) && !scan.names_address;
    // a joining word and a number after the pair indicate a range (10-15 to 20), unless the pair descends ("on 17-12 to
    // an account")
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
    } else if is_month(first)
        && is_year(second)
        && first.len() == 2
        && !is_filed(scan, at)
        // a word for a number precedes the number of a file and its year: মেমো নং 07/2025
        && !scan.names_before(at, Kinds::NUMBER)
    {
        Parts { month: month(first), year: Some(second), ..Parts::default() }
    } else {
        return None;
    };
    Some(Reading::new(say(scan, parts), 3))
}

/// Returns whether two numbers with a dot or a danda between them are a day and a month: ২৮।১১ তারিখে, ୨୮.୧୧ ସୁଦ୍ଧା.
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
        && !time::is_shown_as_time(scan, at)
}

/// Returns whether a day and a month follow the place name in the dateline of a news report: `ଗଞ୍ଜାମ, ୩/୫ (ନି.ପ୍ର.):`.
/// If the numbers may also be a named fraction, a colon must follow, because lists of ingredients also contain
/// parentheses.
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

/// Returns whether a word shortly before two numbers indicates that they are a month and a year: Exp: 05/27.
pub(crate) fn is_month_and_year(scan: &Scan<'_>, at: usize) -> bool {
    let (own, english) = (&scan.data.date.month_and_year, &data::of(Language::English).date.month_and_year);
    let announced = |place: usize| scan.is_one_of(own, place) || scan.is_one_of(english, place);
    (at.saturating_sub(NEAR_MONTH)..at).any(announced)
}

/// Returns the index of the word before `at`, which may be an abbreviation with a dot: dtd. 2/11.
fn place_before(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let dot = usize::from(at > 1 && scan.is_sign(at - 1, '.') && scan.joined(at - 1));
    at.checked_sub(1 + dot)
}

/// Returns whether a weekday with a bracket between them is next to two numbers: ఆదివారం (14/7), 14/7 (Sunday). Without a
/// bracket, a weekday may follow numbers that are not a proper fraction: 15/7 సోమవారం, but not `fell 1/8 Monday`.
fn is_beside_weekday(scan: &Scan<'_>, at: usize) -> bool {
    let end = at + 3;
    let english = &data::of(Language::English).date;
    // a newspaper may be called Sun: The Sun (4/5)
    let is_day = |place: usize| {
        scan.word(place).is_some_and(|word| {
            let named = |day: &String| day == word || word.is_ascii() && day.eq_ignore_ascii_case(word);
            let short =
                || english.short_weekdays.iter().any(|day| day == word) && !english.doubtful.contains(word);
            scan.data.date.weekdays.iter().any(named) || short()
        })
    };
    let digits = scan.number(at).zip(scan.number(at + 2));
    let improper = || digits.is_some_and(|(a, b)| value(a) > value(b));
    let part = || digits.is_some_and(|(a, b)| scan.data.fraction.named.contains_key(&format!("{a}/{b}")));
    // The short name of a weekday may also be the name of a person or a thing: रवि (8/10), வெள்ளி (1/2). Therefore it
    // needs numbers that are not a proper fraction, or a language in which it is only the name of a thing, and numbers
    // that are not a named fraction.
    let stem = |place: usize| {
        scan.word(place).is_some_and(|word| scan.data.date.weekday_stems.contains(word))
            && (improper() || scan.data.date.stems_alone && !part())
    };
    let is_named = |place: usize| is_day(place) || stem(place);
    let enclosed = at > 1 && scan.is_sign(at - 1, '(') && scan.is_sign(end, ')') && is_named(at - 2);
    let followed = scan.is_sign(end, '(') && scan.is_sign(end + 2, ')') && is_named(end + 1);
    enclosed || followed || scan.spaced(end) && is_day(end) && improper()
}

/// Returns whether a weekday precedes the number at `at`, possibly with a comma or a dot: Sat, 13/9.
fn follows_weekday(scan: &Scan<'_>, at: usize) -> bool {
    let signs = (0..at).rev().take_while(|&place| matches!(scan.sign(place), Some(',' | '.'))).count();
    let before = at.checked_sub(1 + signs).and_then(|before| scan.word(before));
    // a comma ends a segment, so the weekday may be in the preceding text
    let earlier = || scan.sentence_before().trim_end_matches([',', '.', ' ']).rsplit(' ').next();
    let before = before.or_else(|| earlier().filter(|_| at == 0));
    let short = &data::of(Language::English).date.short_weekdays;
    before.is_some_and(|word| {
        let named = |day: &String| day == word || word.is_ascii() && day.eq_ignore_ascii_case(word);
        scan.data.date.weekdays.iter().any(named) || short.iter().any(|day| day == word)
    })
}

/// Returns whether a word next to two numbers with a slash indicates that they are a day and a month: on 5/12, 5/12 को.
pub(crate) fn is_named_day(scan: &Scan<'_>, at: usize) -> bool {
    let date = &scan.data.date;
    let before = place_before(scan, at).and_then(|before| scan.word(before));
    let listed = |list: &[String], word: &str| list.iter().any(|known| known == lowercase(word).as_ref());
    before.is_some_and(|word| listed(&date.before_day, word))
        || follows_weekday(scan, at)
        || is_beside_weekday(scan, at)
        || scan.word(at + 3).is_some_and(|word| listed(&date.after_day, word))
}

/// Returns whether two days with their months are the ends of a range: 27/9 से 4/10. At least one day is greater than
/// its month, because two proper fractions are not dates.
pub(crate) fn is_in_span_of_days(scan: &Scan<'_>, at: usize) -> bool {
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
