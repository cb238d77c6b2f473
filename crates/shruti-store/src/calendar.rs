//! Days and months in UTC: usage is counted per day, allowances per month.

use std::fmt;
use std::str::FromStr;

use jiff::ToSpan;
use jiff::civil::Date;

const MS_PER_DAY: i64 = 86_400_000;
const EPOCH: Date = Date::constant(1970, 1, 1);

/// Calendar day in UTC, written as `2026-01-31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Day(pub(crate) i64);

/// Calendar month in UTC, written as `2026-01`. Allowances are renewed at the first midnight of a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Month(pub(crate) i64);

/// Error for a text that is not a valid date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a date such as 2026-01-31")]
pub struct InvalidDay;

impl Day {
    /// Returns the day of a time in milliseconds since 1970.
    pub fn of(ms: i64) -> Self {
        Self(ms.div_euclid(MS_PER_DAY))
    }

    /// Returns the first moment of the day, in milliseconds since 1970.
    pub fn start_ms(self) -> i64 {
        self.0.saturating_mul(MS_PER_DAY)
    }

    /// Returns the day that is `days` days later, or earlier if `days` is negative.
    #[must_use]
    pub fn plus(self, days: i64) -> Self {
        Self(self.0.saturating_add(days))
    }

    /// Returns the date. Days outside the years from -9999 to 9999 become the first or the last date of that range.
    fn date(self) -> Date {
        // maximum number of days in a `jiff` span
        const MOST: i64 = 7_304_484;
        EPOCH.saturating_add(self.0.clamp(-MOST, MOST).days())
    }
}

impl From<Date> for Day {
    fn from(date: Date) -> Self {
        Self(date.duration_since(EPOCH).as_hours() / 24)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.date().fmt(f)
    }
}

impl FromStr for Day {
    type Err = InvalidDay;

    fn from_str(text: &str) -> Result<Self, InvalidDay> {
        let date: Date = text.parse().map_err(|_| InvalidDay)?;
        // jiff also accepts other notations for a date, which are rejected here
        if date.to_string() == text { Ok(date.into()) } else { Err(InvalidDay) }
    }
}

impl Month {
    /// Returns the month of a time in milliseconds since 1970.
    pub fn of(ms: i64) -> Self {
        let date = Day::of(ms).date();
        Self(i64::from(date.year()) * 12 + i64::from(date.month()) - 1)
    }

    /// Returns the next month.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0 + 1)
    }

    /// Returns the first moment of the month, in milliseconds since 1970.
    pub fn start_ms(self) -> i64 {
        let year = i16::try_from(self.0.div_euclid(12));
        let first = year.ok().and_then(|year| Date::new(year, self.0.rem_euclid(12) as i8 + 1, 1).ok());
        first.map_or(i64::MAX, |first| Day::from(first).start_ms())
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.0.div_euclid(12), self.0.rem_euclid(12) + 1)
    }
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
    fn invalid_days_are_rejected() {
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
    fn extreme_times_are_handled() {
        for ms in [i64::MIN, i64::MAX] {
            assert!(!format!("{} {}", Day::of(ms), Month::of(ms)).is_empty());
            let _ = (Day::of(ms).start_ms(), Month::of(ms).next().start_ms(), Day::of(ms).plus(i64::MAX));
        }
    }
}
