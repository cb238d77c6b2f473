//! Deepgram's API: `POST /v1/speak`, and the WebSocket of the same path.
//!
//! `request` parses the query; `dialect` handles the messages of the WebSocket.

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

/// Create a clip, compatible with Deepgram's `/v1/speak`.
///
/// Returns the clip while it is synthesised, in the format of the query, by default MP3. See
/// [`/docs/deepgram`](/docs/deepgram).
#[utoipa::path(
    post, path = "/v1/speak", operation_id = "deepgram_speak", security(("key" = []), ("api_key" = [])),
    params(RequestHeaders, openapi::ClipParameters), request_body = openapi::DeepgramRequest, responses(openapi::Clip)
)]
async fn speak(mut request: ClipRequest) -> Result<Response, ErrorResponse> {
    let (engine, aliases) = request.voices();
    let speech_request = SpeechRequest::of_clip(&request.uri, engine, aliases)?;
    let speech_request = speech_request.of(DeepgramRequest::TEXT.read(&request.fields().await?)?);
    let content_type = content_type(speech_request.format);
    request.answer(ApiKind::Deepgram, &speech_request, content_type).await
}

/// Open a conversation, compatible with Deepgram's `/v1/speak`.
///
/// Opens a WebSocket. Text is sent as JSON, and raw samples are returned in binary messages. The messages are described
/// in [`/docs/deepgram`](/docs/deepgram). A request is refused before the upgrade, with one of the errors below.
#[utoipa::path(
    get, path = "/v1/speak", operation_id = "deepgram_websocket",
    security(("key" = []), ("api_key" = []), ("access_token" = [])),
    params(RequestHeaders, openapi::SocketParameters), responses(openapi::Opened)
)]
async fn converse(upgrade: Upgrade, opening: Opening) -> Result<Response, ErrorResponse> {
    let Opening { app, id, uri, lexicon, .. } = &opening;
    let speech_request = SpeechRequest::of_socket(uri, &app.engine, &app.config.voice_aliases)?;
    let dialect = DeepgramDialect::new(*id, Arc::clone(lexicon), speech_request, SoundQuery::read(uri)?);
    opening.open(upgrade, dialect).await
}
