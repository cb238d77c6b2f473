//! `GET /v1/usage`: the usage of a key.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use axum::routing::get;
use http::request::Parts;
use http::{Uri, header};
use shruti_protocol::{ApiError, ErrorCode, UsageAllowance, UsageAmount, UsageAnswer, UsageDay};
use shruti_store::{Allowance, Day, DayUsage, Scope, UsageOf};
use utoipa::IntoResponses;

use shruti_service::app::App;
use shruti_service::auth::Credentials;
use shruti_service::authorized::{Access, Authorized};
use shruti_service::http::ErrorResponse;
use shruti_service::http::errors::store_error;
use shruti_service::metering::requested_days;
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::openapi::{self, Api};

/// Error codes that a request can return, in addition to those of authentication with a key.
const ERROR_CODES: [ErrorCode; 4] =
    [ErrorCode::InvalidField, ErrorCode::RateLimited, ErrorCode::Internal, ErrorCode::Overloaded];

pub(crate) fn routes() -> Api {
    Api::of("usage").route(__path_usage, get(usage))
}

struct Answers;

impl IntoResponses for Answers {
    fn responses() -> openapi::errors::Answers {
        openapi::json_answers_to_key::<UsageAnswer>("The usage up to now.", &ERROR_CODES)
    }
}

/// Read the usage of the key.
///
/// The response lists the usage per day, voice, language and API, for up to 400 days in the past. If the key's account
/// has an allowance, the response contains its current state. Days and months are in UTC. The key needs only the scope
/// `usage:read`.
#[utoipa::path(
    get, path = "/v1/usage", operation_id = "usage", security(("key" = [])),
    params(
        RequestHeaders,
        ("from" = Option<String>, Query, format = Date, example = "2026-11-01",
            description = "The first day; by default the first day of the month of `to`."),
        ("to" = Option<String>, Query, format = Date, example = "2026-11-30",
            description = "The last day; by default today."),
    ),
    responses(Answers)
)]
async fn usage(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<UsageAccess>,
    uri: Uri,
) -> Result<impl IntoResponse, ErrorResponse> {
    let (from, to) = requested_days(uri.query().unwrap_or_default(), Day::of(app.clock.now().wall_ms))?;

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

/// Access requirements of this path: an API key, not a token.
struct UsageAccess;

impl Access for UsageAccess {
    const SCOPE: Scope = Scope::UsageRead;
    const IS_NEW_WORK: bool = false;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::key_in_header(parts, "a token cannot read the usage; send the API key")
    }
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
