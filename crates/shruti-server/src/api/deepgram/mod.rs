//! Deepgram's API: `POST /v1/speak`, and the WebSocket of the same path.
//!
//! `request` reads what the query asks for; `dialect` reads and writes the messages of the socket.

mod dialect;
pub(super) mod errors;
pub(super) mod openapi;
mod request;

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::Response;
use axum::routing::{get, post};
use http::{HeaderMap, HeaderValue, Uri};

use super::authorized::Authorized;
use super::compat::clip::answer;
use super::compat::sign_in::ToSpeak;
use super::compat::{fields, socket};
use crate::app::App;
use crate::http::{ErrorResponse, RequestBody, RequestId};
use crate::metrics::SpokenBy;
use crate::openapi::Api;
use crate::openapi::headers::RequestHeaders;
use crate::synthesis::conversation::Upgrade;
use dialect::DeepgramDialect;
use request::SpeechRequest;

pub(crate) fn routes() -> Api {
    Api::of("deepgram")
        .route(__path_speak, post(speak))
        .route(__path_converse, get(converse))
        .errors_in(&errors::DeepgramErrors)
}

/// Speak a text as Deepgram's `/v1/speak` does.
///
/// The clip in the format that the query asks for, MP3 if it asks for none, while it is made. See
/// [`/docs/deepgram`](/docs/deepgram).
#[utoipa::path(
    post, path = "/v1/speak", operation_id = "deepgram_speak", security(("key" = []), ("api_key" = [])),
    params(RequestHeaders, openapi::ClipParameters), request_body = openapi::DeepgramRequest, responses(openapi::Clip)
)]
async fn speak(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    Extension(body): Extension<Arc<RequestBody>>,
    uri: Uri,
) -> Result<Response, ErrorResponse> {
    let asked = SpeechRequest::of_clip(&uri, &app.engine, &app.config.voice_aliases)?;
    let body = body.read(app.config.timeouts.body).await?;
    let arrived = app.clock.now().monotonic;
    let text = fields::text(&fields::object(&body, "the body")?, "text")?;
    let asked = asked.of(text);
    let content_type = HeaderValue::from_str(&asked.format.content_type());
    let content_type = content_type.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    Ok(answer(app, &caller, SpokenBy::Deepgram, &asked, content_type, arrived).await?)
}

/// Open a conversation as Deepgram's `/v1/speak` does.
///
/// A WebSocket: text goes in as JSON, bare samples come out in binary messages. The messages are explained at
/// [`/docs/deepgram`](/docs/deepgram). What is refused is refused before the upgrade, with the errors below.
#[utoipa::path(
    get, path = "/v1/speak", operation_id = "deepgram_websocket",
    security(("key" = []), ("api_key" = []), ("access_token" = [])),
    params(RequestHeaders, openapi::SocketParameters), responses(openapi::Opened)
)]
async fn converse(
    State(app): State<Arc<App>>,
    Extension(id): Extension<RequestId>,
    upgrade: Upgrade,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let asked = SpeechRequest::of_socket(&uri, &app.engine, &app.config.voice_aliases)?;
    let dialect = DeepgramDialect::new(id, &app, asked, socket::max_lead(&uri)?);
    Ok(socket::open(app, id, upgrade, caller, &headers, dialect).await?)
}
