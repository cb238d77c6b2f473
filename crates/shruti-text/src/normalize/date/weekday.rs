//! Weekdays and the halves of lunar months.

use shruti_lang::Language;

use super::super::data;
use super::super::scan::{Reading, Scan};
use super::super::span;
use super::named::month_at;

/// Reads `Mon, 15 Aug`: an English abbreviation of a weekday before a comma or a date.
pub(super) fn weekday(scan: &Scan<'_>, at: usize) -> Option<Reading> {
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
pub(super) fn own_weekday(scan: &Scan<'_>, at: usize) -> Option<Reading> {
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

/// Reads the half of a lunar month after its name, or before a day of it: पौष शु. पूर्णिमा, శు.ఏకాదశి.
pub(super) fn fortnight(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let date = &scan.data.date;
    let dotted = matches!(scan.sign(at + 1), Some('.' | '॥')) && scan.joined(at + 1);
    let name = date.fortnights.get(scan.word(at)?).filter(|_| dotted)?;
    let month = at.checked_sub(1).and_then(|before| scan.word(before));
    let after_month = month.is_some_and(|word| date.lunar_months.contains(word));
    let is_day = |word: &&str| date.lunar_days.iter().any(|day| word.starts_with(day.as_str()));
    match scan.word(at + 2).filter(is_day) {
        Some(day) if scan.joined(at + 2) => Some(Reading::new(format!("{name} {day}"), 3)),
        Some(_) => Some(Reading::new(name.clone(), 2)),
        None => after_month.then(|| Reading::new(name.clone(), 2)),
    }
}

/// Reads a range of weekdays: `Mon-Fri`, `सोम-शुक्र`, `திங்கள் - வெள்ளி`, `ಸೋಮವಾರ-ಶುಕ್ರವಾರ`.
pub(super) fn weekdays(scan: &Scan<'_>, at: usize) -> Option<Reading> {
    let dash = matches!(scan.sign(at + 1), Some('-' | '–')) && scan.spaced(at + 1) == scan.spaced(at + 2);
    let (from, to) = (scan.word(at)?, scan.word(at + 2).filter(|_| dash)?);
    let english = &data::of(Language::English).date.short_weekdays;
    let date = &scan.data.date;
    let name = |word: &str| {
        if date.weekday_stems.contains(word) || date.weekdays.iter().any(|day| day == word) {
            return Some(word.to_owned());
        }
        date.weekdays.get(english.iter().position(|day| day == word)?).cloned()
    };
    let words = span::between(scan, &name(from)?, &name(to)?);
    Some(Reading::new(words, 3))
}
