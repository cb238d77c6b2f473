//! `POST /v1/normalize`: text normalisation, token by token, without synthesis.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use axum::response::IntoResponse;
use axum::routing::post;
use http::request::Parts;
use http::{HeaderMap, header};
use shruti_protocol::{ApiError, ErrorCode, Normalization, SynthesisRequest};
use shruti_store::Scope;
use utoipa::IntoResponses;

use shruti_service::app::App;
use shruti_service::auth::Credentials;
use shruti_service::authorized::{Access, Authorized};
use shruti_service::http::{ErrorResponse, RequestBody, require_json};
use shruti_service::normalization::normalized;
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::openapi::{self, Api};

/// Error codes that a request can return, in addition to those of authentication.
const ERROR_CODES: &[ErrorCode] = &[
    ErrorCode::InvalidJson,
    ErrorCode::MissingField,
    ErrorCode::InvalidField,
    ErrorCode::UnsupportedLanguage,
    ErrorCode::EmptyText,
    ErrorCode::RequestTimeout,
    ErrorCode::TextTooLong,
    ErrorCode::BodyTooLarge,
    ErrorCode::UnsupportedMediaType,
    ErrorCode::RateLimited,
    ErrorCode::Internal,
    ErrorCode::Overloaded,
    ErrorCode::Draining,
];

pub(crate) fn routes() -> Api {
    Api::of("lexicon").route(__path_normalize, post(normalize))
}

struct Answers;

impl IntoResponses for Answers {
    fn responses() -> openapi::errors::Answers {
        openapi::json_answers_to_key::<Normalization>("The normalized text.", ERROR_CODES)
    }
}

/// Normalize a text.
///
/// The response lists each token with its class, the words it is spoken as, their phones, and the language data file
/// that contains the rule. Nothing is synthesized and nothing is charged. The body is that of `POST /v1/tts`; only
/// `text`, `language` and `lexicon` are used. The lexicon of the key's account applies too.
#[utoipa::path(
    post, path = "/v1/normalize", operation_id = "normalize", security(("key" = [])),
    params(RequestHeaders), request_body = SynthesisRequest, responses(Answers)
)]
async fn normalize(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<NormalizeAccess>,
    Extension(body): Extension<Arc<RequestBody>>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, ErrorResponse> {
    require_json(&headers)?;
    let body = body.read(app.config.timeouts.body).await?;
    let request = SynthesisRequest::from_json(&body)?;
    let lexicon = app.lexicon_of_key(&caller.key).await?;
    let answer = normalized(&app, &request, &lexicon).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(answer)))
}

/// Access requirements of this path: an API key, not a token.
struct NormalizeAccess;

impl Access for NormalizeAccess {
    const SCOPE: Scope = Scope::Tts;
    const IS_NEW_WORK: bool = true;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::key_in_header(parts, "a token is valid only for speech; send the API key")
    }
}
