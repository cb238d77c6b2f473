//! Recognition of the written forms of a time of day.

use super::clock::{Clock, Meridiem, hour_at, minutes_at};
use super::dotted;
use super::names::{
    abbreviated_hour, follows_day_word, follows_hour_abbreviation, hour_word, is_abbreviated_hour, is_minute,
    is_oclock, is_oclock_stem, is_plain_before, precedes_minutes,
};
use crate::normalize::scan::Scan;
use crate::normalize::scan::calendar::value;

/// Largest second number that may be an hour in a pair such as `9/10` after a part of the day: রাত ৯/১০টা is read as
/// nine or ten o'clock, but `9/17` is an hour and its minutes.
const LATEST_HOUR: u32 = 12;

/// Words for hours after a time.
const HOURS: [&str; 3] = ["hrs", "hours", "hr"];

impl<'a> Clock<'a> {
    /// Reads the time at `at`.
    pub(crate) fn read(scan: &'a Scan<'_>, at: usize) -> Option<Self> {
        if let Some(clock) = Self::read_in_hours(scan, at).or_else(|| Self::read_of_almanac(scan, at)) {
            return Some(clock);
        }
        let hour = hour_at(scan, at, 24)?;
        let mut minute = minutes_at(scan, at + 1, ':');
        let second = minute.and_then(|_| minutes_at(scan, at + 3, ':'));
        let mut items = 1 + 2 * usize::from(minute.is_some()) + 2 * usize::from(second.is_some());
        let mut meridiem = meridiem_at(scan, at + items);
        let mut bare = false;
        if minute.is_none() && meridiem.is_none() {
            // 1.59 is a time only before AM, PM or the word for the hour, after a part of the day, or with an ending
            minute = minutes_at(scan, at + 1, '.').or_else(|| minutes_after_dash(scan, at));
            let end = at + 1 + 2 * usize::from(minute.is_some());
            meridiem = meridiem_at(scan, end);
            let oclock = |word: &str| is_oclock(scan, word) || is_oclock_stem(scan, word);
            let named = hour_word(scan, end).is_some_and(oclock) || is_abbreviated_hour(scan, end);
            let dashed = minute.is_some() && scan.is_sign(at + 1, '-');
            let is_time = dashed || dotted::is_shown_as_time(scan, at);
            bare = is_time && !named && meridiem.is_none();
            // an abbreviated word for the hour may precede a word before which the hour is read without it: ७ वा. नंतर
            let precedes = abbreviated_hour(scan, end).is_some_and(|(_, items)| {
                // minutes may follow the abbreviation only in a language whose word for the hour changes in times with
                // minutes; in other languages, 2 గం. 10 ని. is a duration, unless a part of the day precedes it
                let minutes = !scan.data.time.minutes_at.is_empty() && precedes_minutes(scan, end + items);
                items > 1 && (is_plain_before(scan, end + items) || minutes)
            });
            // an ordinal ending and the end of its sentence may have the same form as the abbreviation: क्रमांक १० वा.
            let dated = || {
                scan.is_sign(end + 1, '.')
                    && at > 0
                    && scan.word(at - 1).is_some_and(|word| scan.data.time.hour_after.contains(word))
            };
            let abbreviated =
                minute.is_none() && (is_time || precedes || dated()) && is_abbreviated_hour(scan, end);
            if !(abbreviated || minute.is_some() && (meridiem.is_some() || named || is_time)) {
                return None;
            }
            // 0.50 is a decimal, not a time
            if scan.is_sign(at + 1, '.') && hour == "0" && meridiem.is_none() {
                return None;
            }
            items = end - at;
        }
        if minute.is_none() && value(hour) > 12 || (hour.len() == 1 && value(hour) == 0 && minute.is_none()) {
            return None;
        }
        let ratio =
            second.is_none() && scan.is_sign(at + items, ':') && scan.number(at + items + 1).is_some();
        if ratio {
            return None;
        }
        let (meridiem, meridiem_items) = meridiem.map_or((None, 0), |(part, items)| (Some(part), items));
        Some(Self { hour, minute, second, meridiem, bare, in_hours: false, items: items + meridiem_items })
    }

    /// Reads `17.30 hrs`, `20:51hrs`, and `0830 hrs` or `0830 बजे`. A quantity would not be written with a leading
    /// zero.
    fn read_in_hours(scan: &'a Scan<'_>, at: usize) -> Option<Self> {
        let in_hours = |at: usize| {
            scan.latin(at).is_some_and(|word| HOURS.iter().any(|hours| word.eq_ignore_ascii_case(hours)))
        };
        let digits = scan.number(at)?;
        let clock = |hour, minute, items: usize, in_hours: bool| Self {
            hour,
            minute: Some(minute),
            second: None,
            meridiem: None,
            bare: false,
            in_hours,
            items: items + usize::from(in_hours),
        };
        if digits.len() == 4 && digits.starts_with('0') {
            let (hour, minute) = digits.split_at(2);
            let named =
                scan.word(at + 1).is_some_and(|word| is_oclock(scan, word) || is_oclock_stem(scan, word));
            // the word for hours may follow a second time: 0930 to 1400 hrs
            let spans = scan.is_one_of(&scan.data.date.span_words, at + 1)
                || scan.is_and(at + 1)
                || matches!(scan.sign(at + 1), Some('-' | '–'));
            let until =
                || spans && scan.number(at + 2).is_some_and(|digits| digits.len() == 4) && in_hours(at + 3);
            let fits = value(minute) < 60 && (named || in_hours(at + 1) || until());
            let alone = in_hours(at + 1);
            // a full hour at the start of a range also needs the word for hours: 0800 and 1200 hours
            let full = value(minute) == 0 && until();
            return fits.then(|| Self { in_hours: alone || full, ..clock(hour, minute, 1, alone) });
        }
        let hour = hour_at(scan, at, 24)?;
        // 1.25 hrs is a duration of more than one hour
        let dotted = || minutes_at(scan, at + 1, '.').filter(|_| hour.len() == 2);
        let minute = minutes_at(scan, at + 1, ':').or_else(dotted)?;
        in_hours(at + 3).then(|| clock(hour, minute, 3, true))
    }

    /// Reads a time with a dot before another time: the 6.30 of `6.30-8.30 pm`.
    pub(crate) fn read_dotted(scan: &'a Scan<'_>, at: usize) -> Option<Self> {
        let hour = hour_at(scan, at, 12).filter(|hour| value(hour) > 0)?;
        let minute = Some(minutes_at(scan, at + 1, '.')?);
        Some(Self { hour, minute, second: None, meridiem: None, bare: true, in_hours: false, items: 3 })
    }

    /// Reads a number that may be the hour before another time: the 9 of `9-5 PM`.
    pub(crate) fn read_hour(scan: &'a Scan<'_>, at: usize) -> Option<Self> {
        let hour = hour_at(scan, at, 12).filter(|hour| value(hour) > 0)?;
        Some(Self {
            hour,
            minute: None,
            second: None,
            meridiem: None,
            bare: false,
            in_hours: false,
            items: 1,
        })
    }

    /// Reads the hour after another time: the 9 of `8:30-9` and the 1 of `ఉ.10-మ.1`.
    pub(crate) fn read_last_hour(scan: &'a Scan<'_>, at: usize) -> Option<Self> {
        let goes_on =
            || matches!(scan.sign(at + 1), Some(':' | '.' | '/' | '-')) && scan.number(at + 2).is_some();
        Self::read_hour(scan, at).filter(|_| !goes_on())
    }

    /// Returns whether `to` may end a range that starts at `self`, with a smaller hour in the next half of the day.
    /// `self` must be late enough to start a night or a working day.
    pub(crate) fn is_until_next(&self, to: &Self) -> bool {
        /// Earliest hour that may start such a range. A smaller number is more likely the first number of a score.
        const EARLIEST: u32 = 6;
        value(self.hour) >= EARLIEST && value(to.hour) < value(self.hour)
    }

    /// Returns whether the time has minutes.
    pub(crate) const fn has_minutes(&self) -> bool {
        self.minute.is_some()
    }

    /// Reads the `৯।৫১ মিঃ` of `ঘ ৯।৫১ মিঃ`: a time in an almanac, after an abbreviation of the word for the hour.
    /// Without this abbreviation, a word for minutes must follow a time with a danda, and a word such as "night" or
    /// "sunset" must precede a time with a slash: রাত্রি ৯/১৭.
    pub(crate) fn read_of_almanac(scan: &'a Scan<'_>, at: usize) -> Option<Self> {
        let time = &scan.data.time;
        let hour = hour_at(scan, at, 24).filter(|_| !time.minute_abbreviations.is_empty())?;
        let separator = scan.sign(at + 1).filter(|c| matches!(c, '।' | '.' | ':' | '-' | '/'))?;
        let part = |place: usize| {
            let joined = scan.is_sign(place, separator) && scan.joined(place) && scan.joined(place + 1);
            scan.number(place + 1).filter(|digits| joined && digits.len() <= 2 && value(digits) < 60)
        };
        let minute = part(at + 1)?;
        let second = part(at + 3);
        let end = at + 3 + 2 * usize::from(second.is_some());
        let abbreviated = scan.word(end).is_some_and(|word| time.minute_abbreviations.contains(word));
        let dot = usize::from(abbreviated && scan.is_sign(end + 1, '.') && scan.joined(end + 1));
        let minutes = abbreviated || scan.word(end).is_some_and(|word| is_minute(scan, word));
        let clock = Self {
            hour,
            minute: Some(minute),
            second,
            meridiem: None,
            bare: false,
            in_hours: false,
            items: end + usize::from(abbreviated) + dot - at,
        };
        let named = follows_hour_abbreviation(scan, at) || separator == '।' && minutes;
        (named || separator == '/' && second.is_none() && is_slash_time(scan, at, minute)).then_some(clock)
    }

    /// Returns whether AM or PM follows the time.
    pub(crate) const fn has_meridiem(&self) -> bool {
        self.meridiem.is_some()
    }
}

/// Returns whether a slash at `at + 1` separates an hour and its minutes, as in almanacs: রাত্রি ৯/১৭, সূর্যাস্ত ৫/৩. A
/// counted noun must not follow (সকালে ১০/১৫ জন).
pub(crate) fn is_slash_time(scan: &Scan<'_>, at: usize, minute: &str) -> bool {
    let time = &scan.data.time;
    if time.minute_abbreviations.is_empty() || hour_at(scan, at, 24).is_none() || value(minute) >= 60 {
        return false;
    }
    let of_sun = at > 0 && scan.is_one_of(&time.almanac_words, at - 1);
    // the time may be the end of a range with such times: ৮/৩৫ গতে ১১/২০ মধ্যে
    let last = at > 3
        && scan.is_sign(at - 3, '/')
        && scan.word(at - 1).is_some_and(|word| time.almanac_followers.contains(word));
    let late = value(minute) > LATEST_HOUR && follows_day_word(scan, at);
    let named = of_sun || late || last && follows_day_word(scan, at - 4);
    let open = matches!(scan.sign(at + 3), Some('/' | '-' | '%'));
    named && !open && scan.word(at + 3).is_none_or(|word| time.almanac_followers.contains(word))
}

/// Returns the minutes of `05-00 ਵਜੇ`, `10-30 ಕ್ಕೆ` or `સવારે 6-15ની`, if the surrounding text indicates that the
/// numbers are a time. Minutes that may be the later hour of a range are rejected.
fn minutes_after_dash<'a>(scan: &'a Scan<'_>, at: usize) -> Option<&'a str> {
    let minute = minutes_at(scan, at + 1, '-')?;
    if dotted::is_hyphened(scan, at) {
        return Some(minute);
    }
    let later = value(minute) > 12
        || minute.starts_with('0')
        || value(minute) < value(scan.number(at).unwrap_or_default());
    if !later {
        return None;
    }
    let next = scan.word(at + 3)?;
    let dotted = scan.data.time.dotted_endings.contains(next);
    // after a part of the day, the word for minutes may indicate a time if the numbers are too far apart for a range:
    // সকাল ১০-৩০ মিনিটে, but not ২৫-৩০ মিনিট and সকালে ১০-১৫ মিনিট
    let minutes = || {
        let word = scan.data.time.minutes.rsplit(' ').next().filter(|word| !word.contains('{'));
        let spread = value(minute) >= 2 * value(scan.number(at).unwrap_or_default()) + 5;
        spread && word.is_some_and(|word| next.starts_with(word)) && follows_day_word(scan, at)
    };
    let named = is_oclock(scan, next)
        || is_oclock_stem(scan, next)
        || is_abbreviated_hour(scan, at + 3)
        || dotted
        || minutes();
    named.then_some(minute)
}

/// Returns AM or PM at `at`, with or without dots, and its number of items.
fn meridiem_at(scan: &Scan<'_>, at: usize) -> Option<(Meridiem, usize)> {
    let word = scan.latin(at)?.to_ascii_lowercase();
    if let Some(meridiem) = Meridiem::of(&word) {
        // a suffix of the language may follow, but not another Latin letter
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
