//! Calendar dates and times, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

use shruti_store::Day;

const MS_PER_DAY: i64 = 86_400_000;

/// Returns the current time, in milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
}

/// Formats a time as `2026-01-31 23:59`.
pub(crate) fn show(ms: i64) -> String {
    let minutes = ms.rem_euclid(MS_PER_DAY) / 60_000;
    format!("{} {:02}:{:02}", Day::of(ms), minutes / 60, minutes % 60)
}

/// Formats a time as `2026-01-31 23:59:59`.
pub(crate) fn show_to_the_second(ms: i64) -> String {
    format!("{}:{:02}", show(ms), ms.rem_euclid(60_000) / 1_000)
}

/// Parses a start time: the start of a day (`2026-01-31`), or a number of days (`7d`) or hours (`12h`) ago.
pub(crate) fn start_of(text: &str, now_ms: i64) -> Option<i64> {
    for (unit, unit_ms) in [('d', MS_PER_DAY), ('h', MS_PER_DAY / 24)] {
        if let Some(count) = text.strip_suffix(unit) {
            let count: u32 = count.parse().ok().filter(|count| (1..=100_000).contains(count))?;
            return Some(now_ms - i64::from(count) * unit_ms);
        }
    }
    let day: Day = text.parse().ok()?;
    Some(day.start_ms())
}

/// Parses an end time: the end of a day (`2026-01-31`), or a number of days from now (`30d`).
pub(crate) fn end_of(text: &str, now_ms: i64) -> Option<i64> {
    if let Some(days) = text.strip_suffix('d') {
        let days: u32 = days.parse().ok().filter(|days| (1..=36_500).contains(days))?;
        return Some(now_ms + i64::from(days) * MS_PER_DAY);
    }
    let day: Day = text.parse().ok()?;
    Some(day.plus(1).start_ms())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_times_are_shown() {
        assert_eq!(show(0), "1970-01-01 00:00");
        assert_eq!(show(951_827_696_000), "2000-02-29 12:34");
        assert_eq!(show(1_767_225_599_000), "2025-12-31 23:59");
    }

    #[test]
    fn times_before_now_are_read() {
        let now = 951_827_696_000;
        for (text, expected) in [
            ("2000-02-28", "2000-02-28 00:00:00"),
            ("2d", "2000-02-27 12:34:56"),
            ("13h", "2000-02-28 23:34:56"),
        ] {
            assert_eq!(start_of(text, now).map(show_to_the_second).as_deref(), Some(expected), "{text}");
        }
        for wrong in ["", "d", "0d", "-1h", "1w", "2025-02-29", "yesterday", "99999999999h"] {
            assert_eq!(start_of(wrong, now), None, "{wrong}");
        }
    }

    #[test]
    fn days_end_at_midnight() {
        assert_eq!(end_of("2025-12-31", 0).map(show).as_deref(), Some("2026-01-01 00:00"));
        assert_eq!(end_of("2024-02-29", 0).map(show).as_deref(), Some("2024-03-01 00:00"));
        assert_eq!(end_of("30d", 0).map(show).as_deref(), Some("1970-01-31 00:00"));
        for wrong in ["", "d", "0d", "-1d", "2025-02-29", "2025-13-01", "25-01-01", "2025-01", "soon"] {
            assert_eq!(end_of(wrong, 0), None, "{wrong}");
        }
    }
}
