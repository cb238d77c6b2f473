//! `POST /v1/normalize`: how a text is read, token by token, without making speech of it.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Extension, State};
use axum::response::IntoResponse;
use axum::routing::post;
use http::request::Parts;
use http::{HeaderMap, header};
use shruti_protocol::{
    ApiError, ErrorCode, Normalization, NormalizedToken, NormalizedWord, SynthesisRequest,
};
use shruti_store::Scope;
use shruti_text::explain::{Explanation, Token, Word};
use shruti_text::phone::to_ipa;
use shruti_text::{Lexicon, Settings, explain};
use tokio::time::timeout;
use utoipa::IntoResponses;

use crate::app::App;
use crate::auth::Credentials;
use crate::authorized::{Access, Authorized};
use crate::http::errors::{internal, overloaded};
use crate::http::{ErrorResponse, RequestBody, require_json};
use crate::openapi::headers::RequestHeaders;
use crate::openapi::{self, Api};
use crate::synthesis::lexicon;

/// How long a text waits for those before it.
const PATIENCE: Duration = Duration::from_secs(5);

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

/// How a request's text is read, with these readings beneath its own. Few texts are read at a time, away from the
/// runtime's threads, so that speech does not wait for them.
pub(crate) async fn normalized(
    app: &App,
    request: &SynthesisRequest,
    standing: &Arc<Lexicon>,
) -> Result<Normalization, ApiError> {
    let lexicon = lexicon(&request.lexicon, standing)?;
    let settings = Settings { language: request.language, lexicon };
    let text = request.text.clone();
    let turn = timeout(PATIENCE, Arc::clone(&app.normalizations).acquire_owned()).await;
    let turn = turn.map_err(|_| overloaded(Duration::from_secs(1)))?.map_err(|_| internal())?;
    let read = tokio::task::spawn_blocking(move || {
        let explanation = explain(&text, settings);
        drop(turn);
        explanation
    });
    Ok(to_wire(read.await.map_err(|_| internal())?))
}

fn to_wire(Explanation { language, script, tokens }: Explanation) -> Normalization {
    let script = script.map(|script| script.code().to_owned());
    Normalization { language, script, tokens: tokens.into_iter().map(token_to_wire).collect() }
}

fn token_to_wire(Token { start, end, written, class, rule, words, .. }: Token) -> NormalizedToken {
    let words = words.into_iter().map(word_to_wire).collect();
    NormalizedToken { start, end, written, class: class.name().to_owned(), rule, words }
}

fn word_to_wire(Word { text, language, phones, phones_by, .. }: Word) -> NormalizedWord {
    NormalizedWord { text, language, phones: to_ipa(&phones), phones_by }
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
