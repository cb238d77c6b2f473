//! Context that indicates that a number with a dot or a hyphen is a time of day: `காலை 8.30`, `9.15ಕ್ಕೆ`, `समय 10.30`.

use super::clock::{hour_at, minutes_at};
use super::names;
use crate::data::keywords::Kinds;
use crate::normalize::evidence::weight;
use crate::normalize::number::span;
use crate::normalize::quantity::currency;
use crate::normalize::quantity::units;
use crate::normalize::scan::Scan;
use crate::normalize::scan::calendar::{is_month, is_padded};

/// Number of items before a time that are searched for another time: காலை 8.20 முதல் 9.20 வரை.
const NEAR: usize = 6;

/// Largest second number with which a pair such as `5-15` before a noun is more likely a range than an hour and its
/// minutes.
const MOST_COUNTED: u32 = 30;

/// Returns whether the context indicates that the number at `at` is a time of day. Examples are a part of the day or a
/// word such as "time" before the number, and an ending after it that only times take.
pub(crate) fn is_shown_as_time(scan: &Scan<'_>, at: usize) -> bool {
    let is_shown = || {
        is_named(scan, at)
            || has_ending(scan, at)
            || follows_time(scan, at)
            || continues_times(scan, at)
            || is_led(scan, at)
            || is_scheduled(scan, at)
    };
    hour_at(scan, at, 24).is_some() && is_shown() && is_time_of_day(scan, at)
}

/// Returns whether an hour and its minutes, separated by a hyphen, are at `at`, after a part of the day (ಬೆ. 10-25) or
/// after another time of this form (ಬೆ. 12-10 ರಿಂದ 1-15). If the second number is larger than the first and at most
/// twelve, the numbers are a range of hours (ಬೆ. 9-12).
pub(crate) fn is_hyphened(scan: &Scan<'_>, at: usize) -> bool {
    let minutes = |at: usize| {
        let hour = hour_at(scan, at, 12).filter(|hour| *hour != "0" && *hour != "00")?.parse::<u32>().ok()?;
        let minutes = minutes_at(scan, at + 1, '-')?.parse::<u32>().ok()?;
        let open = scan.is_sign(at + 3, '-') && scan.joined(at + 3) || is_measured(scan, at + 3);
        (!open).then_some((hour, minutes))
    };
    // in शाम 5-15 लोग, the numbers may count people
    let counts = |at: usize, minutes: u32| {
        let noun = scan.word(at + 3).is_some_and(|word| scan.spaced(at + 3) && !scan.is_function(word));
        let known = || {
            let time = &scan.data.time;
            scan.word(at + 3).is_some_and(|word| {
                time.dotted_endings.contains(word)
                    || time.oclock_words.iter().any(|oclock| oclock == word)
                    || time.oclock_stems.iter().any(|stem| word.starts_with(stem.as_str()))
                    || scan.data.number.endings.sandhi.iter().any(|(_, start, _)| start == word)
            })
        };
        minutes <= MOST_COUNTED && !scan.is_sign(at - 1, '.') && noun && !known()
    };
    let named = |at: usize| {
        let fits = |(hour, minutes)| (minutes > 12 || minutes <= hour) && !counts(at, minutes);
        is_named(scan, at) && minutes(at).is_some_and(fits)
    };
    // in a range of times, at least one of the pairs cannot be a range itself: 7-20 થી 8-50
    let spans = |from: usize, to: usize| {
        let clear = |minutes: u32| minutes > MOST_COUNTED || minutes == 0;
        match (minutes(from), minutes(to)) {
            (Some((first, start)), Some((last, end))) => {
                first < last
                    && (start > 12 || start <= first)
                    && (end > 12 || end <= last)
                    && (clear(start) || clear(end))
                    && span::is_repeated_after(scan, to - 1)
            }
            _ => false,
        }
    };
    let in_span = spans(at, at + 4) || at > 3 && spans(at - 4, at);
    !scan.has_case()
        && (named(at)
            || in_span
            || minutes(at).is_some() && (at.saturating_sub(NEAR)..at.saturating_sub(2)).any(named))
}

/// Returns whether a preposition or postposition of time and the words of the sentence indicate that a number with a dot
/// is a time.
fn is_led(scan: &Scan<'_>, at: usize) -> bool {
    minutes_at(scan, at + 1, '.').is_some() && is_dotted_time(scan, at)
}

/// Returns whether a word for something that runs at a scheduled time, such as a bus, is next to the number: 7.15 वाली
/// बस, બસ 7.15 પર, मूवी 7.20 की है.
fn is_scheduled(scan: &Scan<'_>, at: usize) -> bool {
    if minutes_at(scan, at + 1, '.').is_none() {
        return false;
    }
    let time = &scan.data.time;
    let is_scheduled = |place: usize| scan.is_one_of(&time.scheduled, place);
    let joins = |word: &str| time.scheduled_at.contains(word);
    let end = at + 3;
    // An hour with a leading zero needs no further evidence (ട്രെയിൻ 06.15), unless a noun that it may count follows
    // (ट्रेन 01.30 घंटे लेट), or the end of a range.
    let counts = || scan.word(end).is_some_and(|word| !scan.is_function(word));
    let spans = || matches!(scan.sign(end), Some('-' | '–')) && scan.joined(end + 1);
    if at > 0 && is_scheduled(at - 1) && scan.number(at).is_some_and(is_padded) && !counts() && !spans() {
        return true;
    }
    let of_time = scan.word(end).is_some_and(joins) && is_scheduled(end + 1);
    // an apostrophe may precede the postposition: ਬੱਸ 7.15 'ਤੇ
    let mark = usize::from(matches!(scan.sign(end), Some('\'' | '’')));
    let at_time = || {
        at > 0
            && is_scheduled(at - 1)
            && scan
                .word(end + mark)
                .is_some_and(|word| time.bare_before.contains(word) || time.plain_before.contains(word))
    };
    let is_of_time = || {
        at > 0
            && is_scheduled(at - 1)
            && scan.word(end).is_some_and(joins)
            && scan.word(end + 1).is_some_and(|word| time.scheduled_is.contains(word))
    };
    of_time || at_time() || is_of_time()
}

/// Returns whether a number with a dot continues a list of times: it starts the segment, it is followed by a sign, the
/// end of the segment or a word for a time, and the preceding part of the sentence contains a time of day: രാത്രി 9.15,
/// 10.00, 11.30.
fn continues_times(scan: &Scan<'_>, at: usize) -> bool {
    let end = at + 3;
    let closes = end >= scan.items.len()
        || matches!(scan.sign(end), Some(',' | ';' | ')'))
        || matches!(scan.sign(end), Some('-' | '–' | '—' | ':')) && scan.spaced(end + 1)
        // at most one word may precede the word for the times: 14.20 എന്നീ സമയങ്ങളിൽ
        || (end..end + 2).any(|place| scan.spaced(place) && scan.is_one_of(&scan.data.time.day_words, place));
    at == 0 && scan.sentence_context.has_time && minutes_at(scan, at + 1, '.').is_some() && closes
}

fn is_time_of_day(scan: &Scan<'_>, at: usize) -> bool {
    hour_at(scan, at, 24).is_some() && !is_measured(scan, end(scan, at))
}

/// Returns the index of the item after the number at `at`.
fn end(scan: &Scan<'_>, at: usize) -> usize {
    at + if minutes_at(scan, at + 1, '.').is_some() { 3 } else { 1 }
}

fn is_measured(scan: &Scan<'_>, end: usize) -> bool {
    units::at(scan, end).is_some()
        && !scan.data.time.hour_abbreviations.contains_key(scan.word(end).unwrap_or_default())
        || currency::is_named(scan, end)
        || scan.is_sign(end, '%')
        || scan.word(end).is_some_and(|word| scan.data.symbols.get(&'%').is_some_and(|name| name == word))
        || !scan.has_case() && scan.word(end).is_some_and(|word| is_seconds(scan, word))
}

/// Returns whether a word is the word for seconds, with or without an ending: সময় ১১.৪৫ সেকেন্ড.
fn is_seconds(scan: &Scan<'_>, word: &str) -> bool {
    let name = scan.data.time.seconds.rsplit(' ').next();
    name.is_some_and(|name| !name.contains('{') && word.starts_with(name))
}

/// Returns whether a part of the day, an abbreviation of the word for the hour, or a word for a departure and the name
/// of the place (`dep. CSMT 05.50`) precedes `at`. A colon, a comma, a dot or a dash may be between the part of the day
/// and the number.
fn is_named(scan: &Scan<'_>, at: usize) -> bool {
    let between = at > 0 && matches!(scan.sign(at - 1), Some(':' | ',' | '.' | '-' | '–'));
    let before = at.checked_sub(1 + usize::from(between));
    let abbreviated = |before: usize| {
        scan.is_sign(at - 1, '.')
            && scan
                .data
                .before_number
                .get(scan.raw(before, at))
                .is_some_and(|words| words.split(' ').any(|word| scan.data.time.day_words.contains(word)))
    };
    names::follows_hour_abbreviation(scan, at)
        || before.is_some_and(|before| {
            scan.is_one_of(&scan.data.time.day_words, before) || between && abbreviated(before)
        })
        || follows_place(scan, at)
}

/// Returns whether a place name is between a word for a departure and the number at `at`: dep. CSMT 05.50.
fn follows_place(scan: &Scan<'_>, at: usize) -> bool {
    let place = at.checked_sub(1).filter(|_| scan.has_case() && minutes_at(scan, at + 1, '.').is_some());
    let capital = |word: &str| word.starts_with(|c: char| c.is_ascii_uppercase());
    let Some(place) = place.filter(|&place| scan.latin(place).is_some_and(capital)) else { return false };
    let dot = usize::from(place > 1 && scan.is_sign(place - 1, '.'));
    place.checked_sub(1 + dot).is_some_and(|before| scan.is_one_of(&scan.data.time.day_words, before))
}

fn has_ending(scan: &Scan<'_>, at: usize) -> bool {
    if minutes_at(scan, at + 1, '.').is_none() {
        return false;
    }
    let end = at + 3;
    let hyphen = usize::from(scan.is_sign(end, '-') && scan.joined(end) && scan.joined(end + 1));
    // a word before which a day and a month may also stand needs minutes that are not a month: ୧୨.୧୧ ପୂର୍ବରୁ
    let dated = |word: &str| {
        scan.data.date.deadline.iter().any(|end| end == word) && scan.number(at + 2).is_some_and(is_month)
    };
    scan.word(end + hyphen).is_some_and(|word| scan.data.time.dotted_endings.contains(word) && !dated(word))
}

/// Returns whether a number that its context identifies as a time is shortly before `at`.
fn follows_time(scan: &Scan<'_>, at: usize) -> bool {
    minutes_at(scan, at + 1, '.').is_some()
        && (at.saturating_sub(NEAR)..at).any(|earlier| {
            let named = is_named(scan, earlier);
            let has_minutes = minutes_at(scan, earlier + 1, '.').is_some();
            (has_minutes || named)
                && end(scan, earlier) <= at
                && (named
                    || has_ending(scan, earlier)
                    || is_led(scan, earlier)
                    || continues_times(scan, earlier))
                && is_time_of_day(scan, earlier)
        })
}

/// Returns whether the number with a dot at `at` is a time, based on the words around it. A preposition of time must
/// precede it, or a postposition must follow it (6.30 तक). In the segment, a word for something that takes place at a
/// time of day is evidence for a time, and a word for a rate is evidence against it: `reach by 9.45`, but not `rose by
/// 9.45`.
fn is_dotted_time(scan: &Scan<'_>, at: usize) -> bool {
    let Some(minutes) = scan.number(at + 2) else { return false };
    let sign = || scan.has_case() && scan.is_sign(at - 1, '@');
    let end = at + 3;
    let until = scan.spaced(end) && scan.is_one_of(&scan.data.time.until_words, end);
    let led =
        at > 0 && scan.spaced(at) && (scan.is_one_of(&scan.data.time.at_words, at - 1) || sign()) || until;
    if !led || scan.joined(end) && (scan.number(end).is_some() || scan.is_word(end)) {
        return false;
    }
    let kind = |kinds: Kinds| (0..scan.items.len()).any(|place| scan.names(place).has(kinds));
    let follows = |place: usize| scan.word(place).is_some_and(|word| !scan.is_function(word));
    let counts = follows(end) && !scan.names(end).has(Kinds::HOUR);
    let scores = [
        (true, weight::WEAK),
        (minutes.ends_with(['0', '5']), weight::FIVE_MINUTES),
        (kind(Kinds::HOUR), weight::FAR),
        (!until && (scan.words == 1 || end >= scan.items.len() && at == 1), weight::BARE),
        (kind(Kinds::RATE) || counts && !kind(Kinds::HOUR), -weight::NEAR),
    ];
    let score: i32 = scores.into_iter().filter(|&(holds, _)| holds).map(|(_, weight)| weight).sum();
    score > weight::DECIMAL
}
