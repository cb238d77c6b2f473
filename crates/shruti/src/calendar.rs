//! Days and times of the calendar, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

const MS_PER_DAY: i64 = 86_400_000;

/// Milliseconds since 1970, now.
pub(crate) fn now_ms() -> i64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX)
}

/// A time as `2026-01-31 23:59`.
pub(crate) fn show(ms: i64) -> String {
    let (year, month, day) = civil(ms.div_euclid(MS_PER_DAY));
    let minutes = ms.rem_euclid(MS_PER_DAY) / 60_000;
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", minutes / 60, minutes % 60)
}

/// The end of a day written `2026-01-31`, or of so many days from now, written `30d`.
pub(crate) fn end_of(text: &str, now_ms: i64) -> Option<i64> {
    if let Some(days) = text.strip_suffix('d') {
        let days: u32 = days.parse().ok().filter(|days| (1..=36_500).contains(days))?;
        return Some(now_ms + i64::from(days) * MS_PER_DAY);
    }
    let mut parts = text.splitn(3, '-');
    let year: i64 = parts.next().filter(|year| year.len() == 4)?.parse().ok()?;
    let month: i64 = parts.next()?.parse().ok().filter(|month| (1..=12).contains(month))?;
    let day: i64 = parts.next()?.parse().ok()?;
    let days = days_since_1970(year, month, day);
    // a day that the month does not have comes back as another
    (civil(days) == (year, month, day)).then_some((days + 1) * MS_PER_DAY)
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
    let days = days + 719_468;
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
    fn known_times_are_shown() {
        assert_eq!(show(0), "1970-01-01 00:00");
        assert_eq!(show(951_827_696_000), "2000-02-29 12:34");
        assert_eq!(show(1_767_225_599_000), "2025-12-31 23:59");
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
