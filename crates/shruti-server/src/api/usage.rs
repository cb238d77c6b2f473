//! `GET /v1/usage`: what a key has had spoken.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use axum::routing::get;
use http::request::Parts;
use http::{Uri, header};
use shruti_protocol::fields::invalid_field;
use shruti_protocol::{ApiError, ErrorCode, UsageAllowance, UsageAmount, UsageAnswer, UsageDay};
use shruti_store::{Allowance, Day, DayUsage, Month, Scope, USAGE_DAYS, UsageOf};
use utoipa::IntoResponses;

use crate::app::App;
use crate::auth::Credentials;
use crate::authorized::{Access, Authorized};
use crate::http::ErrorResponse;
use crate::http::errors::store_error;
use crate::openapi::headers::RequestHeaders;
use crate::openapi::{self, Api};

/// What a request can be refused for beside the sign-in with a key.
const REFUSED: [ErrorCode; 4] =
    [ErrorCode::InvalidField, ErrorCode::RateLimited, ErrorCode::Internal, ErrorCode::Overloaded];

pub(crate) fn routes() -> Api {
    Api::of("usage").route(__path_usage, get(usage))
}

struct Answers;

impl IntoResponses for Answers {
    fn responses() -> openapi::errors::Answers {
        openapi::json_answers_to_key::<UsageAnswer>("What was spoken, this moment included.", &REFUSED)
    }
}

/// Tell what the key has had spoken.
///
/// By day, voice, language and API, as far back as 400 days; and where the key's account has an allowance, how it
/// stands. Days and months are those of UTC. The key needs the scope `usage:read`, and no other.
#[utoipa::path(
    get, path = "/v1/usage", operation_id = "usage", security(("key" = [])),
    params(
        RequestHeaders,
        ("from" = Option<String>, Query, format = Date, example = "2026-11-01",
            description = "The first day; the first of the month of `to` if it is left out."),
        ("to" = Option<String>, Query, format = Date, example = "2026-11-30",
            description = "The last day; today if it is left out."),
    ),
    responses(Answers)
)]
async fn usage(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ToReadUsage>,
    uri: Uri,
) -> Result<impl IntoResponse, ErrorResponse> {
    let (from, to) = days(uri.query().unwrap_or_default(), Day::of(app.clock.now().wall_ms))?;

    let of = UsageOf::Key(caller.key.prefix.clone());
    let rows = app.metering.usage(of, from, to).await.map_err(|error| store_error(&error))?;
    let allowance = match &caller.key.account {
        Some(account) => {
            app.metering.allowance(account.clone()).await.map_err(|error| store_error(&error))?
        }
        None => None,
    };
    let days: Vec<UsageDay> = rows.into_iter().map(to_wire).collect();
    let mut total = UsageAmount::default();
    for day in &days {
        total += day.amount;
    }
    let answer = UsageAnswer {
        from: from.to_string(),
        to: to.to_string(),
        days,
        total,
        allowance: allowance.and_then(allowance_to_wire),
    };
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(answer)))
}

/// A key alone.
struct ToReadUsage;

impl Access for ToReadUsage {
    const SCOPE: Scope = Scope::UsageRead;
    const IS_NEW_WORK: bool = false;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::key_in_header(parts, "a token reads no usage; send the API key")
    }
}

/// The first and the last day that a query asks for; without them it asks for the month up to `today`.
pub(crate) fn days(query: &str, today: Day) -> Result<(Day, Day), ApiError> {
    let given = |field: &str| {
        let value = query.split('&').filter_map(|pair| pair.split_once('=')).find(|(name, _)| *name == field);
        let day = value.map(|(_, value)| value.parse::<Day>());
        day.transpose().map_err(|error| invalid_field(field, format!("{field} {error}")))
    };
    let to = given("to")?.unwrap_or(today);
    let first_of_month = || Day::of(Month::of(to.start_ms()).start_ms());
    let from = given("from")?.unwrap_or_else(first_of_month);
    if from > to {
        return Err(invalid_field("from", format!("from must not be later than to, which is {to}")));
    }
    if from < to.plus(1 - USAGE_DAYS) {
        let message = format!("from must be at most {} days before to, which is {to}", USAGE_DAYS - 1);
        return Err(invalid_field("from", message));
    }
    Ok((from, to))
}

fn to_wire(row: DayUsage) -> UsageDay {
    let DayUsage { day, voice, language, api, amount } = row;
    let amount = UsageAmount { chars: amount.chars, requests: amount.requests, audio_ms: amount.audio_ms };
    UsageDay { day: day.to_string(), voice, language, api: api.into_owned(), amount }
}

fn allowance_to_wire(state: Allowance) -> Option<UsageAllowance> {
    let Allowance { month, chars, used, renews_ms, .. } = state;
    Some(UsageAllowance { month: month.to_string(), chars: chars?, used, renews_ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_asked_for_by_name_and_are_of_this_month_if_they_are_not() {
        let today: Day = "2026-11-21".parse().unwrap();
        for (query, from, to) in [
            ("", "2026-11-01", "2026-11-21"),
            ("from=2026-11-20", "2026-11-20", "2026-11-21"),
            ("to=2026-02-10", "2026-02-01", "2026-02-10"),
            ("a=b&to=2026-11-30&from=2025-10-27&c", "2025-10-27", "2026-11-30"),
            ("from=2026-11-21&to=2026-11-21", "2026-11-21", "2026-11-21"),
        ] {
            let asked = days(query, today).map(|(from, to)| (from.to_string(), to.to_string()));
            assert_eq!(asked, Ok((from.to_owned(), to.to_owned())), "{query}");
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
            let error = days(query, today).unwrap_err();
            assert_eq!(
                (error.code, error.param.as_deref()),
                (ErrorCode::InvalidField, Some(param)),
                "{query}"
            );
        }
    }
}
