//! Sarvam's API: `POST /text-to-speech`, `POST /text-to-speech/stream` and the WebSocket `/text-to-speech/ws`.
//!
//! `request` parses requests, in a body and in the `config` message of a WebSocket. `json` writes a clip in base64;
//! `dialect` handles the messages of the WebSocket.

mod dialect;
pub(super) mod errors;
mod json;
pub(super) mod openapi;
mod request;

use std::sync::Arc;

use axum::response::Response;
use axum::routing::{any, post};
use http::HeaderValue;
use shruti_service::http::ErrorResponse;
use shruti_service::metrics::ApiKind;
use shruti_service::openapi::Api;
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::synthesis::Delivery;
use shruti_service::synthesis::conversation::Upgrade;

use super::common::clip::{ClipRequest, content_type};
use super::common::openapi::ClipQuery;
use super::common::query::Query;
use super::common::socket::{Opening, SoundQuery};
use dialect::SarvamDialect;
use json::JsonWriter;

pub(crate) fn routes() -> Api {
    Api::of("sarvam")
        .route(__path_convert, post(convert))
        .route(__path_convert_stream, post(convert_stream))
        .route(__path_converse, any(converse))
        .route(__path_converse_v2, any(converse_v2))
        .errors_in(&errors::SarvamErrors)
}

/// Create a clip, compatible with Sarvam's `/text-to-speech`.
///
/// Returns a JSON object with the clip in base64, by default as WAV. See [`/docs/sarvam`](/docs/sarvam).
#[utoipa::path(
    post, path = "/text-to-speech", operation_id = "sarvam_convert", security(("key" = []), ("api_key" = [])),
    params(RequestHeaders, ClipQuery), request_body = openapi::SarvamRequest, responses(openapi::Clip)
)]
async fn convert(mut request: ClipRequest) -> Result<Response, ErrorResponse> {
    let clip_request = request::clip(&request.fields().await?, request.voices(), "wav")?;
    let (format, id) = (clip_request.format, request.id);
    let writer = || Box::new(JsonWriter::new(format, id)) as _;
    let (has_length, sample_rate) = (format.has_length(), format.sample_rate());
    let delivery = Delivery { by: ApiKind::Sarvam, writer: writer(), sample_rate, words: false, has_length };
    let content_type = HeaderValue::from_static("application/json");
    request.answer_as(&clip_request, delivery, writer, content_type).await
}

/// Create a clip, compatible with Sarvam's `/text-to-speech/stream`.
///
/// Returns the clip while it is synthesised, in the requested codec, by default MP3. See
/// [`/docs/sarvam`](/docs/sarvam).
#[utoipa::path(
    post, path = "/text-to-speech/stream", operation_id = "sarvam_convert_stream",
    security(("key" = []), ("api_key" = [])),
    params(RequestHeaders, ClipQuery), request_body = openapi::SarvamRequest, responses(openapi::StreamedClip)
)]
async fn convert_stream(mut request: ClipRequest) -> Result<Response, ErrorResponse> {
    let clip_request = request::clip(&request.fields().await?, request.voices(), "mp3")?;
    let content_type = content_type(clip_request.format);
    request.answer(ApiKind::Sarvam, &clip_request, content_type).await
}

/// Open a conversation, compatible with Sarvam's `/text-to-speech/ws`.
///
/// Opens a WebSocket. Text is sent as JSON, and audio is returned as JSON with base64. The messages are described in
/// [`/docs/sarvam`](/docs/sarvam). A request is refused before the upgrade, with one of the errors below.
#[utoipa::path(
    get, path = "/text-to-speech/ws", operation_id = "sarvam_websocket",
    security(("key" = []), ("api_key" = []), ("access_token" = [])),
    params(RequestHeaders, openapi::SocketParameters), responses(openapi::Opened)
)]
async fn converse(upgrade: Upgrade, opening: Opening) -> Result<Response, ErrorResponse> {
    let Opening { app, id, uri, lexicon, .. } = &opening;
    let tells_end = Query::of(uri).flag("send_completion_event")?;
    let dialect = SarvamDialect::new(*id, app, Arc::clone(lexicon), tells_end, SoundQuery::read(uri)?)?;
    opening.open(upgrade, dialect).await
}

/// Open a conversation, compatible with Sarvam's `/text-to-speech/ws/v2`.
///
/// Equivalent to `/text-to-speech/ws`; clients choose the path by their model.
#[utoipa::path(
    get, path = "/text-to-speech/ws/v2", operation_id = "sarvam_websocket_v2",
    security(("key" = []), ("api_key" = []), ("access_token" = [])),
    params(RequestHeaders, openapi::SocketParameters), responses(openapi::Opened)
)]
async fn converse_v2(upgrade: Upgrade, opening: Opening) -> Result<Response, ErrorResponse> {
    converse(upgrade, opening).await
}
