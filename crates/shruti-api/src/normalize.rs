//! `POST /v1/normalize`: how a text is read, token by token, without making speech of it.

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

use crate::app::App;
use crate::auth::Credentials;
use crate::authorized::{Access, Authorized};
use crate::http::{ErrorResponse, RequestBody, require_json};
use crate::normalization::normalized;
use crate::openapi::headers::RequestHeaders;
use crate::openapi::{self, Api};

/// What a request can be refused for beside the sign-in.
const REFUSED: &[ErrorCode] = &[
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
        openapi::json_answers_to_key::<Normalization>("How it is read.", REFUSED)
    }
}

/// Tell how a text is read.
///
/// Each token with what it is taken for, the words it is spoken as, their phones, and the file of language data that says
/// so; nothing is spoken and nothing is charged. The body is that of `POST /v1/tts`, of which `text`, `language` and
/// `lexicon` count; the lexicon of the key's account holds as it does there.
#[utoipa::path(
    post, path = "/v1/normalize", operation_id = "normalize", security(("key" = [])),
    params(RequestHeaders), request_body = SynthesisRequest, responses(Answers)
)]
async fn normalize(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ToNormalize>,
    Extension(body): Extension<Arc<RequestBody>>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, ErrorResponse> {
    require_json(&headers)?;
    let body = body.read(app.config.timeouts.body).await?;
    let request = SynthesisRequest::from_json(&body)?;
    let standing = app.standing_lexicon(&caller.key).await?;
    let answer = normalized(&app, &request, &standing).await?;
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(answer)))
}

/// A key alone.
struct ToNormalize;

impl Access for ToNormalize {
    const SCOPE: Scope = Scope::Tts;
    const IS_NEW_WORK: bool = true;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::key_in_header(parts, "a token is for speech; send the API key")
    }
}
