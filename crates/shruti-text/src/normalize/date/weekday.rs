//! Weekdays, and fortnights and days of lunar months.

use shruti_lang::Language;

use super::named::month_at;
use crate::data;
use crate::normalize::number::span;
use crate::normalize::scan::calendar::value;
use crate::normalize::scan::{Reading, Scan};

/// Number that denotes the day of the new moon, the last day of the dark fortnight of a lunar month.
const NEW_MOON: u32 = 30;

/// Reads an English abbreviation of a weekday if a dot, a comma, a date or a nearby word indicates a weekday:
/// `Mon, 15 Aug`.
pub(crate) fn weekday(scan: &Scan<'_>, at: usize) -> Option<Reading> {
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
    // a preposition may precede the weekday: on Sat, before Mon
    let announced = at.checked_sub(1).and_then(|before| scan.latin(before));
    let announced = announced.is_some_and(|before| english.before_weekday.iter().any(|word| word == before));
    // a word that typically follows weekdays may come next: Sun closed
    let is_followed =
        scan.latin(at + 1).is_some_and(|after| english.after_weekday.iter().any(|word| word == after));
    // the weekday may be in brackets: 29/1 (Thu), tomorrow (Thu). A word such as Sun needs a date before the brackets
    let bracketed = at >= 1
        && scan.is_sign(at - 1, '(')
        && scan.is_sign(at + 1, ')')
        && (at >= 2 && scan.number(at - 2).is_some() || !english.doubtful.contains(word));
    // "and" may join the weekday to another one: Sat & Sun
    let joins = |place: usize| scan.is_sign(place, '&') || scan.is_and(place);
    let listed = joins(at + 1) && is_day(at + 2) || at >= 2 && joins(at - 1) && is_day(at - 2);
    let plain = dated
        || listed
        || bracketed
        || dot > 0
        || ends_span
        || announced
        || is_followed
        || (comma && !english.doubtful.contains(word));
    let name = scan.data.date.weekdays.get(place).filter(|_| plain)?;
    Some(Reading::new(name.clone(), 1 + dot))
}

/// Reads `शनि.`: a short name of a weekday in the script of the language, with a dot, if it is the whole segment, next
/// to a date, joined to another weekday, or before a word that is used with dates.
pub(crate) fn own_weekday(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let date = &scan.data.date;
    let stem = scan.word(at).filter(|word| date.weekday_stems.contains(*word))?;
    let is_date = |place: usize| scan.number(place).is_some() || month_at(scan, place).is_some();
    let name = date.weekdays.iter().find(|day| day.starts_with(stem))?;
    // in brackets after a date, the name needs no dot: 4 जनवरी (रवि)
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

/// Reads the abbreviated fortnight of a lunar month, after the name of the month or before the name of a lunar day: पौष
/// शु. पूर्णिमा, శు.ఏకాదశి.
pub(crate) fn fortnight(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let date = &scan.data.date;
    let dotted = matches!(scan.sign(at + 1), Some('.' | '॥')) && scan.joined(at + 1);
    let name = date.fortnights.get(scan.word(at)?).filter(|_| dotted)?;
    let month = at.checked_sub(1).and_then(|before| scan.word(before));
    let after_month = month.is_some_and(|word| date.lunar_months.contains(word));
    let is_day = |word: &&str| date.lunar_day_names.iter().any(|day| word.starts_with(day.as_str()));
    match scan.word(at + 2).filter(is_day) {
        Some(day) if scan.joined(at + 2) => Some(Reading::new(format!("{name} {day}"), 3)),
        Some(_) => Some(Reading::new(name.clone(), 2)),
        None => after_month.then(|| Reading::new(name.clone(), 2)),
    }
}

/// Reads the number of a day after the fortnight of a lunar month: વૈશાખ વદ ૧૧ is read as વૈશાખ વદ અગિયારસ. The
/// fortnight follows the name of the month, or starts the segment if it cannot be another word. The day of the new moon
/// is 30.
pub(crate) fn lunar_day(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let date = &scan.data.date;
    let day = scan.number(at).filter(|digits| digits.len() <= 2 && !date.lunar_days.is_empty()).map(value)?;
    // the number may be the last day of a range: સુદ ૧ થી ૯
    let first = at.checked_sub(2).filter(|&first| {
        scan.number(first).is_some() && (scan.is_sign(at - 1, '-') || span::is_repeated_after(scan, at - 1))
    });
    let start = first.unwrap_or(at);
    let dot = usize::from(start > 1 && scan.is_sign(start - 1, '.') && scan.joined(start - 1));
    let half_at = start.checked_sub(1 + dot)?;
    let half = scan.word(half_at)?;
    let half = if dot > 0 { date.fortnights.get(half)? } else { half };
    let days = date.lunar_days.get(half)?;
    let month = half_at.checked_sub(1).map(|before| scan.word(before));
    let after_month = month.flatten().is_some_and(|month| date.lunar_months.contains(month));
    // शुद्ध also means "pure"
    if !after_month && (month.is_some() || date.doubtful.contains(half)) {
        return None;
    }
    let longer = matches!(scan.sign(at + 1), Some('.' | ':' | '/' | '-')) && scan.joined(at + 1);
    let place = if day == NEW_MOON { days.len() } else { day as usize };
    let name = days.get(place.checked_sub(1)?).filter(|_| !(longer && scan.number(at + 2).is_some()))?;
    Some(Reading::new(name.clone(), 1))
}

/// Reads a range of weekdays: `Mon-Fri`, `सोम-शुक्र`, `सोम.-शुक्र.`, `திங்கள் - வெள்ளி`, `ಸೋಮವಾರ-ಶುಕ್ರವಾರ`.
pub(crate) fn weekdays(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let dot = |place: usize| {
        usize::from(scan.is_sign(place, '.') && scan.joined(place) && scan.latin(place - 1).is_none())
    };
    let from_dot = dot(at + 1);
    let dash_at = at + 1 + from_dot;
    let dash =
        matches!(scan.sign(dash_at), Some('-' | '–')) && scan.spaced(dash_at) == scan.spaced(dash_at + 1);
    let (from, to) = (scan.word(at)?, scan.word(dash_at + 1).filter(|_| dash)?);
    let english = &data::of(Language::English).date.short_weekdays;
    let date = &scan.data.date;
    if from_dot > 0 {
        let own = |word: &str| {
            let stem = date.weekday_stems.contains(word);
            date.weekdays.iter().find(|day| stem && day.starts_with(word))
        };
        let words = span::between(scan, own(from)?, own(to)?);
        return Some(Reading::new(words, 3 + from_dot + dot(dash_at + 2)));
    }
    let name = |word: &str| {
        if date.weekday_stems.contains(word) || date.weekdays.iter().any(|day| day == word) {
            return Some(word.to_owned());
        }
        date.weekdays.get(english.iter().position(|day| day == word)?).cloned()
    };
    let words = span::between(scan, &name(from)?, &name(to)?);
    Some(Reading::new(words, 3))
}
