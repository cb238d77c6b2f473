//! Times next to an abbreviation of the word for the hour or for minutes.

use super::clock::{Clock, minutes_at};
use super::names::{abbreviated_before, follows_part_of_day, is_minute, minute_unit};
use super::words::without_minute;
use crate::class::Class;
use crate::normalize::scan::calendar::value;
use crate::normalize::scan::{Reading, Scan};
use crate::normalize::spelling::ending::with_ending;

/// Reads the silent abbreviation of the word for the hour before a time: the ঘ of `ঘ ৯।৫১`.
pub(crate) fn before_hour(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    if !scan.word(at).is_some_and(|word| scan.data.time.before_hour.contains(word)) {
        return None;
    }
    let dot = usize::from(scan.is_sign(at + 1, '.') && scan.joined(at + 1));
    Clock::read_of_almanac(scan, at + 1 + dot).map(|_| Reading::new("", 1 + dot))
}

/// Reads a time after an abbreviation of the word for the hour, as on wedding cards: `గం. 2-37 ని.లకు`.
pub(crate) fn after_hour(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    // an abbreviation after a number belongs to that number: 5 గం. 20 ని.
    if at > 0 && scan.number(at - 1).is_some() {
        return None;
    }
    let (hour, minute, items) = abbreviated_before(scan, at)?;
    let clock = Clock::of_parts(hour, minute, items);
    Some(
        in_minutes(scan, at, &clock)
            .unwrap_or_else(|| with_ending(scan, at, Reading::new(clock.words(scan), items).of(Class::Time))),
    )
}

/// Reads a time before an abbreviation of the word for minutes: `6:17 মি.`. A part of the day must precede a time with
/// a dot or a hyphen: `రాత్రి 8.47 ని.లకు`.
pub(crate) fn before_minutes(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let hour = scan.number(at).filter(|digits| digits.len() <= 2 && (1..=12).contains(&value(digits)))?;
    let minute = ['-', '.', ':'].iter().find_map(|&sign| minutes_at(scan, at + 1, sign))?;
    let unit = minute_unit(scan, at + 3)?;
    let short = !unit.sign.is_ascii() && !is_minute(scan, &unit.sign);
    let named = unit.sign.contains('.') && follows_part_of_day(scan, at);
    let named = named || short && scan.is_sign(at + 1, ':');
    in_minutes(scan, at, &Clock::of_parts(hour, minute, 3)).filter(|_| named)
}

/// Reads a time and the word for minutes after it.
fn in_minutes(scan: &Scan<'_>, at: usize, clock: &Clock<'_>) -> Option<Reading> {
    let unit = minute_unit(scan, at + clock.items)?;
    let words = without_minute(scan, clock.fill(scan, &clock.minutes_pattern(&scan.data.time)));
    let words = format!("{words} {}", unit.name(false));
    Some(with_ending(scan, at, Reading::new(words, clock.items + unit.items).of(Class::Time)))
}
