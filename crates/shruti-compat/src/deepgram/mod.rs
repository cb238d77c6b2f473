//! Deepgram's API: `POST /v1/speak`, and the WebSocket of the same path.
//!
//! `request` reads what the query asks for; `dialect` reads and writes the messages of the socket.

mod dialect;
pub(super) mod errors;
pub(super) mod openapi;
mod request;

use std::sync::Arc;

use axum::response::Response;
use axum::routing::{get, post};
use shruti_service::http::ErrorResponse;
use shruti_service::metrics::ApiKind;
use shruti_service::openapi::Api;
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::synthesis::conversation::Upgrade;

use super::common::clip::{ClipRequest, content_type};
use super::common::socket::{Opening, SoundQuery};
use dialect::DeepgramDialect;
use openapi::DeepgramRequest;
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
async fn speak(mut request: ClipRequest) -> Result<Response, ErrorResponse> {
    let (engine, aliases) = request.voices();
    let asked = SpeechRequest::of_clip(&request.uri, engine, aliases)?;
    let asked = asked.of(DeepgramRequest::TEXT.read(&request.fields().await?)?);
    let content_type = content_type(asked.format);
    request.answer(ApiKind::Deepgram, &asked, content_type).await
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
async fn converse(upgrade: Upgrade, opening: Opening) -> Result<Response, ErrorResponse> {
    let Opening { app, id, uri, lexicon, .. } = &opening;
    let asked = SpeechRequest::of_socket(uri, &app.engine, &app.config.voice_aliases)?;
    let dialect = DeepgramDialect::new(*id, Arc::clone(lexicon), asked, SoundQuery::read(uri)?);
    opening.open(upgrade, dialect).await
}
