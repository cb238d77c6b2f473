//! Times of day.

use super::fraction;
use super::item::{Reading, Scan};
use super::number::{self, System};

/// Before or after noon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meridiem {
    Am,
    Pm,
}

/// `10:30`, `10:30:15`, `3 PM`, `1.59 p.m.`, `14:05`.
pub(super) fn read(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let hour = scan.number(at).filter(|digits| digits.len() <= 2 && value(digits) <= 24)?;
    if at > 0 && scan.joined(at) && matches!(scan.sign(at - 1), Some(':' | '.' | ',')) {
        return None;
    }
    let minute = minutes_at(scan, at + 1, ':');
    let second = minute.and_then(|_| minutes_at(scan, at + 3, ':'));
    let mut items = 1 + 2 * usize::from(minute.is_some()) + 2 * usize::from(second.is_some());
    let mut minute = minute;
    let mut meridiem = meridiem_at(scan, at + items);
    if minute.is_none() && meridiem.is_none() {
        // 1.59 is a time only before AM or PM
        let dotted = minutes_at(scan, at + 1, '.')?;
        meridiem = Some(meridiem_at(scan, at + 3)?);
        minute = Some(dotted);
        items = 3;
    }
    if minute.is_none() && value(hour) > 12 || (hour.len() == 1 && value(hour) == 0 && minute.is_none()) {
        return None;
    }
    let ratio = second.is_none() && scan.is_sign(at + items, ':') && scan.number(at + items + 1).is_some();
    if ratio {
        return None;
    }
    let (part, meridiem_items) = meridiem.map_or((None, 0), |(part, items)| (Some(part), items));
    items += meridiem_items;
    let oclock = scan
        .word(at + items)
        .is_some_and(|word| scan.data.time.oclock_words.iter().any(|known| known == word));
    if second.is_none() && scan.word(at + items).is_some_and(|word| is_oclock_stem(scan, word)) {
        return Some(Reading::new(say_before_stem(scan, hour, minute, part), items));
    }
    let words = say(scan, hour, minute, second, part);
    let words = if oclock { with_written_oclock(scan, at + items, words) } else { words };
    Some(Reading::new(words, items + usize::from(oclock)))
}

/// A time in words with the word of the hour that is written behind it, which may have another ending than the one that
/// the words end in: साडे दहा वाजेपर्यंत.
fn with_written_oclock(scan: &Scan<'_>, at: usize, words: String) -> String {
    let written = scan.word(at).unwrap_or_default();
    let (_, usual) = scan.data.time.oclock.split_once("{hour}").unwrap_or_default();
    match words.strip_suffix(usual) {
        Some(hour) if usual.starts_with(' ') => format!("{hour} {written}"),
        Some(hour) => format!("{hour}{written}"),
        None if written == usual.trim_start() => words,
        None => format!("{words} {written}"),
    }
}

/// The word of the hour with or without endings: மணி, மணிக்கு.
fn is_oclock_stem(scan: &Scan<'_>, word: &str) -> bool {
    scan.data.time.oclock_stems.iter().any(|stem| word.starts_with(stem.as_str()))
}

/// A time whose word follows it in the text: பத்தரை (மணிக்கு), பத்து ஐந்து (மணிக்கு).
fn say_before_stem(scan: &Scan<'_>, hour: &str, minute: Option<&str>, meridiem: Option<Meridiem>) -> String {
    let number = &scan.data.number;
    let hour_value = value(hour);
    let words_of = |digits: &str| number::plain_cardinal(number, digits, System::Indian);
    let hour_words =
        scan.data.time.hours.get(&hour_value.to_string()).cloned().unwrap_or_else(|| words_of(hour));
    let said = match (in_quarters(scan, hour_value, minute), minute.filter(|digits| value(digits) > 0)) {
        (Some(words), _) => words,
        (None, Some(minute)) => format!("{hour_words} {}", words_of(minute)),
        (None, None) => hour_words,
    };
    match meridiem.and_then(|meridiem| day_part(scan, hour_value, meridiem)) {
        Some(part) => format!("{part} {said}"),
        None => said,
    }
}

fn value(digits: &str) -> u32 {
    digits.parse().unwrap_or(u32::MAX)
}

fn minutes_at<'a>(scan: &'a Scan<'_>, at: usize, separator: char) -> Option<&'a str> {
    let joined = scan.is_sign(at, separator) && scan.joined(at) && scan.joined(at + 1);
    scan.number(at + 1).filter(|digits| joined && digits.len() == 2 && value(digits) < 60)
}

/// AM or PM at `at`, with or without dots, and over how many items.
fn meridiem_at(scan: &Scan<'_>, at: usize) -> Option<(Meridiem, usize)> {
    let word = scan.latin(at)?.to_ascii_lowercase();
    let whole = match word.as_str() {
        "am" => Some(Meridiem::Am),
        "pm" => Some(Meridiem::Pm),
        _ => None,
    };
    if let Some(meridiem) = whole {
        // a suffix of the language may follow, another Latin letter may not
        return (scan.spaced(at + 1) || scan.latin(at + 1).is_none()).then_some((meridiem, 1));
    }
    let meridiem = match word.as_str() {
        "a" => Meridiem::Am,
        "p" => Meridiem::Pm,
        _ => return None,
    };
    let dotted = scan.is_sign(at + 1, '.')
        && scan.joined(at + 1)
        && scan.joined(at + 2)
        && scan.latin(at + 2).is_some_and(|letter| letter.eq_ignore_ascii_case("m"));
    if !dotted {
        return None;
    }
    let last_dot = scan.is_sign(at + 3, '.') && scan.joined(at + 3) && at + 4 < scan.items.len();
    Some((meridiem, 3 + usize::from(last_dot)))
}

fn say(
    scan: &Scan<'_>,
    hour: &str,
    minute: Option<&str>,
    second: Option<&str>,
    meridiem: Option<Meridiem>,
) -> String {
    let time = &scan.data.time;
    let number = &scan.data.number;
    let words_of = |digits: &str| number::plain_cardinal(number, digits, System::Indian);
    let hour_value = value(hour);
    let hour_words = match time.hours.get(&hour_value.to_string()) {
        Some(form) => form.clone(),
        None => words_of(hour),
    };
    let counts_zero = time.hour_words.is_some();
    let second =
        second.filter(|digits| counts_zero || value(digits) > 0 || minute.is_some_and(|m| value(m) > 0));
    let minute = minute.filter(|digits| value(digits) > 0 || second.is_some());
    let no_minutes = !counts_zero && minute.is_some_and(|digits| value(digits) == 0);
    let meridiem_word = match meridiem {
        Some(Meridiem::Am) => time.am.clone(),
        Some(Meridiem::Pm) => time.pm.clone(),
        None => None,
    };
    let with_meridiem = |plain: &str, other: Option<&String>| match (&meridiem_word, other) {
        (Some(_), Some(pattern)) => pattern.clone(),
        _ => plain.to_owned(),
    };
    let quarters = in_quarters(scan, hour_value, minute).filter(|_| second.is_none());
    let pattern = match (minute, second) {
        (_, None) if quarters.is_some() && time.half_past.is_some() => {
            time.half_past.clone().unwrap_or_default()
        }
        (_, Some(_)) => match &meridiem_word {
            Some(_) => format!("{} {{meridiem}}", time.seconds),
            None if no_minutes => without_minutes(&time.seconds),
            None => time.seconds.clone(),
        },
        (Some(_), None) => with_meridiem(&time.minutes, time.minutes_meridiem.as_ref()),
        (None, None) if hour_value == 1 && time.oclock_one.is_some() => {
            time.oclock_one.clone().unwrap_or_default()
        }
        (None, None) => with_meridiem(&time.oclock, time.oclock_meridiem.as_ref()),
    };
    let minute_words = minute.map(|digits| {
        let words = words_of(digits);
        match &time.single_minute {
            Some(pattern) if value(digits) < 10 && second.is_none() => pattern.replace("{minute}", &words),
            _ => words,
        }
    });
    let unit = |names: &Option<(String, String)>, digits: Option<&str>| {
        names.as_ref().map_or_else(String::new, |(one, many)| {
            if digits.is_some_and(|digits| value(digits) == 1) { one.clone() } else { many.clone() }
        })
    };
    let said = pattern
        .replace("{hour}", &hour_words)
        .replace("{half}", &quarters.unwrap_or_default())
        .replace("{minute}", &minute_words.unwrap_or_default())
        .replace("{second}", &second.map(words_of).unwrap_or_default())
        .replace("{hours}", &unit(&time.hour_words, Some(hour)))
        .replace("{minutes}", &unit(&time.minute_words, minute))
        .replace("{seconds}", &unit(&time.second_words, second))
        .replace("{meridiem}", &meridiem_word.unwrap_or_default());
    match meridiem.and_then(|meridiem| day_part(scan, hour_value, meridiem)) {
        Some(part) => format!("{part} {said}"),
        None => said,
    }
}

/// A pattern without its minutes and their name: दस बजकर तीस सेकंड.
fn without_minutes(pattern: &str) -> String {
    let mut parts: Vec<&str> = pattern.split(' ').collect();
    if let Some(place) = parts.iter().position(|part| part.contains("{minute}")) {
        parts.drain(place..(place + 2).min(parts.len()));
    }
    parts.join(" ")
}

/// The hour and the quarters of it as people say them: सवा चार, साढ़े चार, पौने पाँच. `None` for other minutes, for hours
/// beyond twelve, and where the language has no such words.
fn in_quarters(scan: &Scan<'_>, hour: u32, minute: Option<&str>) -> Option<String> {
    let quarters = match minute? {
        "15" => 1,
        "30" => 2,
        "45" => 3,
        _ => return None,
    };
    if !(1..=12).contains(&hour) {
        return None;
    }
    // a quarter to one is three quarters of the hour before it
    let before_one = hour == 12 && quarters == 3 && scan.data.fraction.three_quarters_before.is_some();
    let whole = if before_one { 0 } else { u128::from(hour) };
    fraction::in_quarters(scan, whole, quarters, false)
}

/// The words for the part of the day: दोपहर के.
fn day_part<'a>(scan: &'a Scan<'_>, hour: u32, meridiem: Meridiem) -> Option<&'a str> {
    let of_day = match meridiem {
        Meridiem::Am => hour % 12,
        Meridiem::Pm => hour % 12 + 12,
    };
    let parts = &scan.data.time.day_parts;
    parts.iter().rev().find(|(from, _)| *from <= of_day).map(|(_, words)| words.as_str())
}
