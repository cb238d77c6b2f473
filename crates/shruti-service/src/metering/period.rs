//! Period of a usage request.

use shruti_protocol::ApiError;
use shruti_protocol::fields::invalid_field;
use shruti_store::{Day, Month, USAGE_DAYS};

/// Returns the first and the last day of a query: `from`, by default the first day of the month of `to`, and `to`, by
/// default `today`. Returns an error if a day is invalid, `from` is later than `to`, or the period has more than
/// [`USAGE_DAYS`] days.
pub fn requested_days(query: &str, today: Day) -> Result<(Day, Day), ApiError> {
    let parameter = |field: &str| {
        let value = query.split('&').filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == field);
        let day = value.map(|(_, value)| value.parse::<Day>());
        day.transpose().map_err(|error| invalid_field(field, format!("{field} {error}")))
    };
    let to = parameter("to")?.unwrap_or(today);
    let first_of_month = || Day::of(Month::of(to.start_ms()).start_ms());
    let from = parameter("from")?.unwrap_or_else(first_of_month);
    if from > to {
        return Err(invalid_field("from", format!("from must not be later than to, which is {to}")));
    }
    if from < to.plus(1 - USAGE_DAYS) {
        let message = format!("from must be at most {} days before to, which is {to}", USAGE_DAYS - 1);
        return Err(invalid_field("from", message));
    }
    Ok((from, to))
}

#[cfg(test)]
mod tests {
    use shruti_protocol::ErrorCode;

    use super::*;

    #[test]
    fn default_period_is_the_current_month() {
        let today: Day = "2026-11-21".parse().unwrap();
        for (query, from, to) in [
            ("", "2026-11-01", "2026-11-21"),
            ("from=2026-11-20", "2026-11-20", "2026-11-21"),
            ("to=2026-02-10", "2026-02-01", "2026-02-10"),
            ("a=b&to=2026-11-30&from=2025-10-27&c", "2025-10-27", "2026-11-30"),
            ("from=2026-11-21&to=2026-11-21", "2026-11-21", "2026-11-21"),
        ] {
            let days = requested_days(query, today).map(|(from, to)| (from.to_string(), to.to_string()));
            assert_eq!(days, Ok((from.to_owned(), to.to_owned())), "{query}");
        }
        for (query, param) in [
            ("from=2026-11-22", "from"),
            ("from=2026-11-02&to=2026-11-01", "from"),
            ("from=2025-10-26&to=2026-11-30", "from"),
            ("from=9999-12-31&to=0000-01-01", "from"),
            ("from=2026-11-01&to=tomorrow", "to"),
            ("from=", "from"),
            ("to=30-11-2026", "to"),
            ("to=9999999-01-01", "to"),
            ("to=2026-02-29", "to"),
        ] {
            let error = requested_days(query, today).unwrap_err();
            assert_eq!(
                (error.code, error.param.as_deref()),
                (ErrorCode::InvalidField, Some(param)),
                "{query}"
            );
        }
    }
}
