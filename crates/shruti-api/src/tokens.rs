//! `POST /v1/tokens`: creates single-use tokens for web pages, with a key that the pages never receive.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use axum::response::IntoResponse;
use axum::routing::post;
use http::request::Parts;
use http::{HeaderMap, header};
use shruti_protocol::{ApiError, ErrorCode, TokenAnswer, TokenRequest};
use shruti_store::{IssuedToken, KeyRecord, Origin, Scope};
use utoipa::IntoResponses;

use shruti_service::app::App;
use shruti_service::auth::{Credentials, issue_token};
use shruti_service::authorized::{Access, Authorized};
use shruti_service::http::{ErrorResponse, RequestBody, require_json};
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::openapi::{self, Api};

/// Error codes that a request can return, in addition to those of authentication with a key.
const ERROR_CODES: [ErrorCode; 8] = [
    ErrorCode::InvalidJson,
    ErrorCode::RequestTimeout,
    ErrorCode::BodyTooLarge,
    ErrorCode::UnsupportedMediaType,
    ErrorCode::RateLimited,
    ErrorCode::Internal,
    ErrorCode::Overloaded,
    ErrorCode::Draining,
];

pub(crate) fn routes() -> Api {
    Api::of("sign-in").route(__path_issue, post(issue))
}

struct Answers;

impl IntoResponses for Answers {
    fn responses() -> openapi::errors::Answers {
        openapi::json_answers_to_key::<TokenAnswer>("The token, shown only here.", &ERROR_CODES)
    }
}

/// Create a token for a web page.
///
/// Your server requests the token with its API key and passes it to the page. The token authorizes one conversation or
/// one clip, within 60 seconds, from the origins that the key allows. The usage counts as usage of the key. A key has
/// at most 1,000 unused tokens. There are no options: the body may be omitted; if there is one, it must be a JSON
/// object.
#[utoipa::path(
    post, path = "/v1/tokens", operation_id = "token", security(("key" = [])),
    params(RequestHeaders), responses(Answers)
)]
async fn issue(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<TokenAccess>,
    Extension(body): Extension<Arc<RequestBody>>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, ErrorResponse> {
    let body = body.read(app.config.timeouts.body).await?;
    if !body.is_empty() {
        require_json(&headers)?;
    }
    TokenRequest::from_json(&body)?;

    let now_ms = app.clock.now().wall_ms;
    let token = issue_token(&*app.store, &caller.key, now_ms).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(to_wire(&token, &caller.key, now_ms))))
}

/// Access requirements of this path: an API key, not a token.
struct TokenAccess;

impl Access for TokenAccess {
    const SCOPE: Scope = Scope::Tts;
    const IS_NEW_WORK: bool = true;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::key_in_header(parts, "a token cannot create tokens; send the API key")
    }
}

fn to_wire(token: &IssuedToken, key: &KeyRecord, now_ms: i64) -> TokenAnswer {
    TokenAnswer {
        token: token.secret.reveal().to_owned(),
        expires_in_ms: token.expires_ms.saturating_sub(now_ms).max(0).unsigned_abs(),
        expires_at_ms: token.expires_ms,
        opens: TokenAnswer::OPENS.map(str::to_owned).to_vec(),
        origins: key.origins.iter().map(Origin::to_string).collect(),
    }
}
