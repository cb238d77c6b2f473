//! Parts of a time of day as written: hour, minutes, and AM or PM.

use crate::normalize::scan::Scan;
use crate::normalize::scan::calendar::value;

/// Half of the day: before or after noon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meridiem {
    Am,
    Pm,
}

impl Meridiem {
    /// Returns the half of the day that `am` or `pm` denotes.
    pub(crate) const fn of(word: &str) -> Option<Self> {
        if word.eq_ignore_ascii_case("am") {
            Some(Self::Am)
        } else if word.eq_ignore_ascii_case("pm") {
            Some(Self::Pm)
        } else {
            None
        }
    }

    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Am => Self::Pm,
            Self::Pm => Self::Am,
        }
    }
}

/// Time of day as written: `10:30`, `10:30:15`, `3 PM`, `1.59 p.m.`, `14:05`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock<'a> {
    pub(crate) hour: &'a str,
    pub(crate) minute: Option<&'a str>,
    pub(crate) second: Option<&'a str>,
    pub(crate) meridiem: Option<Meridiem>,
    /// Whether only the context indicates that the number is a time: காலை 8.30.
    pub(crate) bare: bool,
    /// Whether the time includes a following `hrs`.
    pub(crate) in_hours: bool,
    /// Number of items.
    pub(crate) items: usize,
}

impl<'a> Clock<'a> {
    /// Returns an hour with its minutes.
    pub(crate) const fn of_parts(hour: &'a str, minute: &'a str, items: usize) -> Self {
        Self { hour, minute: Some(minute), second: None, meridiem: None, bare: false, in_hours: false, items }
    }
}

/// Returns the minutes after the separator at `at`. A danda may replace a dot: সূর্যোদয় ৬।১২.
pub(crate) fn minutes_at<'a>(scan: &'a Scan<'_>, at: usize, separator: char) -> Option<&'a str> {
    let separates = scan.is_sign(at, separator) || separator == '.' && scan.is_sign(at, '।');
    let joined = separates && scan.joined(at) && scan.joined(at + 1);
    // a number with a thousands separator is not a number of minutes: the scale 1:50,000
    let grouped = scan.is_sign(at + 2, ',')
        && scan.joined(at + 2)
        && scan.joined(at + 3)
        && scan.number(at + 3).is_some_and(|digits| digits.len() == 3);
    scan.number(at + 1).filter(|digits| joined && !grouped && digits.len() == 2 && value(digits) < 60)
}

/// Returns the hour at `at`, up to `latest`, if it is not part of another number.
pub(crate) fn hour_at<'a>(scan: &'a Scan<'_>, at: usize, latest: u32) -> Option<&'a str> {
    let hour = scan.number(at).filter(|digits| digits.len() <= 2 && value(digits) <= latest)?;
    // the dot of an abbreviation may precede the hour: సా.4.30
    let abbreviated = at > 1 && scan.is_sign(at - 1, '.') && scan.is_word(at - 2);
    let inside =
        at > 0 && scan.joined(at) && matches!(scan.sign(at - 1), Some(':' | '.' | ',')) && !abbreviated;
    (!inside || follows_date(scan, at)).then_some(hour)
}

/// Returns whether a date that starts with its year and ends in a colon precedes `at`: `2024-11-13:17:18:38`.
fn follows_date(scan: &Scan<'_>, at: usize) -> bool {
    let joined = |sign: char, place: usize| scan.is_sign(place, sign) && scan.joined(place);
    let year = at.checked_sub(6).and_then(|year| scan.number(year)).is_some_and(|year| year.len() == 4);
    year && joined(':', at - 1) && joined('-', at - 3) && joined('-', at - 5)
}
