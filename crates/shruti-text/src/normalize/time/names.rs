//! Words next to a time: for the hour, for minutes and for the part of the day.

use super::clock::minutes_at;
use crate::chars::is_mark;
use crate::data::is_in;
use crate::latin;
use crate::normalize::quantity::units::{self, Unit};
use crate::normalize::scan::calendar::value;
use crate::normalize::scan::{Reading, Scan};

/// Maximum number of items of an abbreviated part of the day: மு.ப.
const LONGEST_PART: usize = 4;

/// Reads the part of the day at `at`: மாலை, సా.
pub(crate) fn part_of_day(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let word = scan.word(at)?;
    let short = scan.abbreviated(&scan.data.day_abbreviations, at, LONGEST_PART);
    let short = short.map(|(words, items)| Reading::new(words, items));
    let plain = || scan.is_one_of(&scan.data.time.day_words, at).then(|| Reading::new(word, 1));
    short.or_else(plain)
}

/// Returns whether a part of the day precedes `at`: సా. 4.
pub(crate) fn follows_part_of_day(scan: &Scan<'_>, at: usize) -> bool {
    let mut starts = (at.saturating_sub(LONGEST_PART)..at).rev();
    follows_day_word(scan, at)
        || starts.any(|start| part_of_day(scan, start).is_some_and(|part| start + part.items == at))
}

/// Returns whether a part of the day precedes `at`, with an optional function word between them: सुबह के.
pub(crate) fn follows_day_word(scan: &Scan<'_>, at: usize) -> bool {
    day_word_before(scan, at).is_some()
}

/// Returns the index of a part of the day before `at`, with an optional function word between them.
fn day_word_before(scan: &Scan<'_>, at: usize) -> Option<usize> {
    let grammar = at > 0 && scan.word(at - 1).is_some_and(|word| scan.is_function(word));
    let before = at.checked_sub(1 + usize::from(grammar))?;
    scan.is_one_of(&scan.data.time.day_words, before).then_some(before)
}

/// Returns whether a day word before `at` names the part of the day, which AM or PM need not repeat: सुबह 9 AM, but not
/// समय 9 AM. The language must say AM and PM as parts of the day.
pub(crate) fn names_part_of_day(scan: &Scan<'_>, at: usize) -> bool {
    let time = &scan.data.time;
    let named = || day_word_before(scan, at).is_some_and(|word| !scan.is_one_of(&time.day_labels, word));
    !time.day_parts.is_empty() && named()
}

/// Returns whether a word is the word for the hour after a time: बजे.
pub(crate) fn is_oclock(scan: &Scan<'_>, word: &str) -> bool {
    scan.data.time.oclock_words.iter().any(|known| known == word)
}

/// Returns whether a word is the word for the hour, with or without an ending: மணி, மணிக்கு.
pub(crate) fn is_oclock_stem(scan: &Scan<'_>, word: &str) -> bool {
    scan.data.time.oclock_stems.iter().any(|stem| word.starts_with(stem.as_str()))
}

/// Returns the word at `at`. A romanised word for the hour is returned in the script of the language: `4:30 vagye`.
pub(crate) fn hour_word<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let word = scan.word(at)?;
    let romanised = scan.latin(at).filter(|_| !scan.has_case());
    let native = romanised.and_then(|word| latin::listed(word, scan.language));
    Some(native.filter(|native| is_oclock(scan, native)).unwrap_or(word))
}

/// Returns whether the word for the hour is at `at`, with or without an ending.
pub(crate) fn is_hour_word(scan: &Scan<'_>, at: usize) -> bool {
    hour_word(scan, at).is_some_and(|word| is_oclock(scan, word) || is_oclock_stem(scan, word))
}

/// Returns whether an hour in words and the word for the hour are at `at`: ఐదు గంటలకు, पाँच बजे.
pub(crate) fn is_spoken_hour(scan: &Scan<'_>, at: usize) -> bool {
    /// Number of hours on the face of a clock.
    const HOURS: usize = 12;
    let numbers = &scan.data.number;
    let is_hour = |word: &str| {
        numbers.words[1..=HOURS].iter().any(|hour| hour == word)
            || numbers.before_noun.values().any(|hour| hour == word)
            || scan.data.time.hours.values().any(|hour| hour == word)
    };
    scan.word(at).is_some_and(is_hour) && is_hour_word(scan, at + 1)
}

/// Returns the word for the hour that is abbreviated at `at`, and its number of items: `वा.`, `గం.`.
pub(crate) fn abbreviated_hour<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, usize)> {
    let full = scan.data.time.hour_abbreviations.get(scan.word(at)?)?;
    let dot = scan.is_sign(at + 1, '.') && scan.joined(at + 1) && at + 2 < scan.items.len();
    Some((full, 1 + usize::from(dot)))
}

/// Returns whether the number at `at`, after an abbreviation of the word for the hour, is the minutes of the same time:
/// the 35 of `१२ वा. ३५ मि.`
pub(crate) fn precedes_minutes(scan: &Scan<'_>, at: usize) -> bool {
    let minutes = scan.number(at).is_some_and(|digits| digits.len() <= 2 && value(digits) < 60);
    let named =
        scan.word(at + 1).is_some_and(|word| is_minute(scan, word)) || minute_unit(scan, at + 1).is_some();
    minutes && named
}

/// Returns whether an abbreviation of the word for the hour precedes the number at `at`.
pub(crate) fn follows_hour_abbreviation(scan: &Scan<'_>, at: usize) -> bool {
    let dot = usize::from(at > 1 && scan.is_sign(at - 1, '.') && scan.joined(at - 1));
    let before = at.checked_sub(1 + dot).and_then(|before| scan.word(before));
    before.is_some_and(|word| scan.data.time.before_hour.contains(word))
}

pub(crate) fn is_abbreviated_hour(scan: &Scan<'_>, at: usize) -> bool {
    abbreviated_hour(scan, at).is_some()
}

/// Returns whether the word for the hour is omitted from a time before the word at `at`.
pub(crate) fn is_plain_before(scan: &Scan<'_>, at: usize) -> bool {
    scan.word(at).is_some_and(|word| is_in(&scan.data.time.plain_before, word))
}

/// Returns the hour and the minutes after an abbreviation of the word for the hour at `at`, and the number of items of
/// all three: `గం. 2-37`, `గం.10.30`.
pub(crate) fn abbreviated_before<'a>(scan: &'a Scan<'_>, at: usize) -> Option<(&'a str, &'a str, usize)> {
    scan.data.time.hour_abbreviations.get(scan.word(at)?)?;
    let dot = usize::from(scan.is_sign(at + 1, '.') && scan.joined(at + 1));
    let number = at + 1 + dot;
    let hour = scan.number(number).filter(|digits| digits.len() <= 2 && (1..=24).contains(&value(digits)))?;
    let minute = ['-', '.', ':'].iter().find_map(|&sign| minutes_at(scan, number + 1, sign))?;
    Some((hour, minute, dot + 4))
}

/// Returns whether a word is the word for minutes, with or without an ending.
pub(crate) fn is_minute(scan: &Scan<'_>, word: &str) -> bool {
    minute_name(scan).is_some_and(|name| word.starts_with(name.trim_end_matches(is_mark)))
}

/// Returns the unit of minutes at `at`. Its abbreviation may otherwise mean meters: মি.
pub(crate) fn minute_unit(scan: &Scan<'_>, at: usize) -> Option<Unit> {
    let unit = units::at(scan, at)?;
    let unit = match scan.data.units.timed.get(&unit.sign) {
        Some(name) => unit.named(name),
        None => unit,
    };
    is_minute(scan, unit.name(false)).then_some(unit)
}

pub(crate) fn minute_name<'a>(scan: &'a Scan<'_>) -> Option<&'a str> {
    scan.data.time.minutes.rsplit(' ').next().filter(|name| !name.contains('{') && !name.is_ascii())
}
