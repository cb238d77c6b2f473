//! Days and months of the calendar, in UTC: usage is told by day, allowances last a month.

use std::fmt;
use std::str::FromStr;

const MS_PER_DAY: i64 = 86_400_000;

/// A day of the calendar, in UTC; shown and read as `2026-01-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Day(pub(crate) i64);

/// A month of the calendar, in UTC; shown as `2026-01`. Allowances begin anew at its first midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Month(pub(crate) i64);

/// A text that is no day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a date such as 2026-01-31")]
pub struct InvalidDay;

impl Day {
    /// The day that a time lies in, given in milliseconds since 1970.
    pub fn of(ms: i64) -> Self {
        Self(ms.div_euclid(MS_PER_DAY))
    }

    /// Its first moment, in milliseconds since 1970.
    pub fn start_ms(self) -> i64 {
        self.0.saturating_mul(MS_PER_DAY)
    }

    /// The day so many days later, or earlier.
    #[must_use]
    pub fn plus(self, days: i64) -> Self {
        Self(self.0.saturating_add(days))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil(self.0);
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Day {
    type Err = InvalidDay;

    fn from_str(text: &str) -> Result<Self, InvalidDay> {
        let bytes = text.as_bytes();
        let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let shape = bytes.len() == 10
            && (0..10).all(|at| if at == 4 || at == 7 { bytes[at] == b'-' } else { is_digit(at) });
        if !shape {
            return Err(InvalidDay);
        }
        let number = |part: &str| part.parse::<i64>().map_err(|_| InvalidDay);
        let (year, month, day) = (number(&text[..4])?, number(&text[5..7])?, number(&text[8..])?);
        let days = days_since_1970(year, month, day);
        // a day that the month does not have comes back as another
        if (1..=12).contains(&month) && civil(days) == (year, month, day) {
            Ok(Self(days))
        } else {
            Err(InvalidDay)
        }
    }
}

impl Month {
    /// The month that a time lies in, given in milliseconds since 1970.
    pub fn of(ms: i64) -> Self {
        let (year, month, _) = civil(ms.div_euclid(MS_PER_DAY));
        Self(year * 12 + month - 1)
    }

    /// The month after it.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Its first moment, in milliseconds since 1970.
    pub fn start_ms(self) -> i64 {
        days_since_1970(self.0.div_euclid(12), self.0.rem_euclid(12) + 1, 1).saturating_mul(MS_PER_DAY)
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.0.div_euclid(12), self.0.rem_euclid(12) + 1)
    }
}

/// The day number of a date, 1970-01-01 being 0 (Hinnant, "chrono-compatible low-level date algorithms", 2013).
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The date of a day number: the inverse of the above.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days.saturating_add(719_468);
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_months_change_at_midnight() {
        for (ms, day, month) in [
            (0, "1970-01-01", "1970-01"),
            (-1, "1969-12-31", "1969-12"),
            (1_767_225_599_999, "2025-12-31", "2025-12"),
            (1_767_225_600_000, "2026-01-01", "2026-01"),
            (1_709_251_199_999, "2024-02-29", "2024-02"),
        ] {
            assert_eq!(
                (Day::of(ms).to_string(), Month::of(ms).to_string()),
                (day.to_owned(), month.to_owned())
            );
            assert_eq!(day.parse(), Ok(Day::of(ms)));
        }
        let december = Month::of(1_767_225_599_999);
        assert_eq!(december.next().start_ms(), 1_767_225_600_000);
        assert_eq!(Month::of(december.start_ms()), december);
        assert!(Month::of(december.start_ms() - 1) < december);
        assert_eq!(Day::of(0).plus(31).start_ms(), Month::of(0).next().start_ms());
    }

    #[test]
    fn other_texts_are_no_days() {
        for wrong in [
            "",
            "2026-1-1",
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "+026-01-01",
            "2026-01-01x",
            "２０२６-01-01",
        ] {
            assert_eq!(wrong.parse::<Day>(), Err(InvalidDay), "{wrong}");
        }
    }

    #[test]
    fn no_time_is_too_far() {
        for ms in [i64::MIN, i64::MAX] {
            assert!(!format!("{} {}", Day::of(ms), Month::of(ms)).is_empty());
            let _ = (Day::of(ms).start_ms(), Month::of(ms).next().start_ms(), Day::of(ms).plus(i64::MAX));
        }
    }
}
