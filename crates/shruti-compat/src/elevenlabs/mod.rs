//! ElevenLabs' API: `POST /v1/text-to-speech/{voice}` and its three variants, and the WebSockets `…/stream-input` and
//! `…/multi-stream-input`.
//!
//! `request` and `format` parse requests. `alignment` computes character timestamps, for the bodies that `json`
//! writes and for the WebSockets. `dialect` parses the client's messages on a WebSocket, and `events` serialises
//! the server's messages. `first_message` authenticates clients that send their key in the first message.

pub(super) mod alignment;
mod dialect;
pub(super) mod errors;
mod events;
mod first_message;
mod format;
mod json;
pub(super) mod models;
pub(super) mod openapi;
mod request;

use std::sync::Arc;

use axum::extract::{FromRequestParts, State};
use axum::response::Response;
use axum::routing::{any, post};
use http::HeaderValue;
use http::request::Parts;
use shruti_service::app::App;
use shruti_service::http::ErrorResponse;
use shruti_service::metrics::ApiKind;
use shruti_service::openapi::Api;
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::synthesis::conversation::Upgrade;
use shruti_service::synthesis::{ClipWriter, Delivery};

use super::common::clip::ClipRequest;
use super::common::socket::Opening;
use dialect::{ElevenLabsDialect, Shape};
use format::OutputFormat;
use json::{LineWriter, ObjectWriter};
use request::{SocketSettings, SpeechQuery};

/// Path prefix before the voice.
const PREFIX: &str = "/v1/text-to-speech/";

pub(crate) fn routes() -> Api {
    Api::of("elevenlabs")
        .route(__path_convert, post(convert))
        .route(__path_stream, post(stream))
        .route(__path_convert_with_timestamps, post(convert_with_timestamps))
        .route(__path_stream_with_timestamps, post(stream_with_timestamps))
        .route(__path_stream_input, any(stream_input))
        .route(__path_multi_stream_input, any(multi_stream_input))
        .errors_in(&errors::ElevenLabsErrors)
}

/// Create a clip, compatible with ElevenLabs' `/v1/text-to-speech/{voice_id}`.
///
/// Returns the bytes of the clip while it is synthesised. See [`/docs/elevenlabs`](/docs/elevenlabs).
#[utoipa::path(
    post, path = "/v1/text-to-speech/{voice_id}", operation_id = "elevenlabs_convert",
    security(("key" = []), ("api_key" = [])), params(openapi::ClipParameters, RequestHeaders),
    request_body = openapi::ElevenLabsRequest, responses(openapi::Sound)
)]
async fn convert(request: ClipRequest) -> Result<Response, ErrorResponse> {
    sound(request, true).await
}

/// Create a clip, compatible with ElevenLabs' `/v1/text-to-speech/{voice_id}/stream`.
///
/// Returns the bytes of the clip while it is synthesised. The header of a WAV never contains its length.
#[utoipa::path(
    post, path = "/v1/text-to-speech/{voice_id}/stream", operation_id = "elevenlabs_stream",
    security(("key" = []), ("api_key" = [])), params(openapi::ClipParameters, RequestHeaders),
    request_body = openapi::ElevenLabsRequest, responses(openapi::Sound)
)]
async fn stream(request: ClipRequest) -> Result<Response, ErrorResponse> {
    sound(request, false).await
}

/// Create a timed clip, compatible with ElevenLabs' `/v1/text-to-speech/{voice_id}/with-timestamps`.
///
/// Returns one JSON object with the whole clip and its character timestamps.
#[utoipa::path(
    post, path = "/v1/text-to-speech/{voice_id}/with-timestamps",
    operation_id = "elevenlabs_convert_with_timestamps", security(("key" = []), ("api_key" = [])),
    params(openapi::ClipParameters, RequestHeaders), request_body = openapi::ElevenLabsRequest,
    responses(openapi::Timed)
)]
async fn convert_with_timestamps(request: ClipRequest) -> Result<Response, ErrorResponse> {
    timed(request, |text, output| Box::new(ObjectWriter::new(text, output)), "application/json").await
}

/// Create a timed clip, compatible with ElevenLabs' `/v1/text-to-speech/{voice_id}/stream/with-timestamps`.
///
/// Returns one JSON object per line while the clip is synthesised, each with a piece of audio and the timestamps of the
/// characters that begin in that piece.
#[utoipa::path(
    post, path = "/v1/text-to-speech/{voice_id}/stream/with-timestamps",
    operation_id = "elevenlabs_stream_with_timestamps", security(("key" = []), ("api_key" = [])),
    params(openapi::ClipParameters, RequestHeaders), request_body = openapi::ElevenLabsRequest,
    responses(openapi::TimedLines)
)]
async fn stream_with_timestamps(request: ClipRequest) -> Result<Response, ErrorResponse> {
    timed(request, |text, output| Box::new(LineWriter::new(text, output)), "application/x-ndjson").await
}

/// Open a conversation, compatible with ElevenLabs' `/v1/text-to-speech/{voice_id}/stream-input`.
///
/// Opens a WebSocket that accepts one text in pieces. The server closes it when the text has been spoken. The messages
/// are described in [`/docs/elevenlabs`](/docs/elevenlabs). A request is refused before the upgrade, with one of the
/// errors below. A client that sends no key with the request may send the key in its first message; without a key in
/// that message, the client receives an error message.
#[utoipa::path(
    get, path = "/v1/text-to-speech/{voice_id}/stream-input", operation_id = "elevenlabs_stream_input",
    security(("key" = []), ("api_key" = []), ("single_use_token" = [])),
    params(openapi::SocketParameters, RequestHeaders), responses(openapi::Opened)
)]
async fn stream_input(
    State(app): State<Arc<App>>,
    upgrade: Upgrade,
    parts: Parts,
) -> Result<Response, ErrorResponse> {
    converse(app, upgrade, parts, Shape::Single).await
}

/// Open conversations, compatible with ElevenLabs' `/v1/text-to-speech/{voice_id}/multi-stream-input`.
///
/// Opens a WebSocket with up to 16 contexts that are spoken concurrently and up to 64 queued contexts. The messages are
/// described in [`/docs/elevenlabs`](/docs/elevenlabs). A request is refused before the upgrade, with one of the errors
/// below. A client that sends no key with the request may send the key in its first message; without a key in that
/// message, the client receives an error message.
#[utoipa::path(
    get, path = "/v1/text-to-speech/{voice_id}/multi-stream-input", operation_id = "elevenlabs_multi_stream_input",
    security(("key" = []), ("api_key" = []), ("single_use_token" = [])),
    params(openapi::SocketParameters, RequestHeaders), responses(openapi::Opened)
)]
async fn multi_stream_input(
    State(app): State<Arc<App>>,
    upgrade: Upgrade,
    parts: Parts,
) -> Result<Response, ErrorResponse> {
    converse(app, upgrade, parts, Shape::Multi).await
}

/// Returns the response with the bytes of a clip.
async fn sound(mut request: ClipRequest, has_length: bool) -> Result<Response, ErrorResponse> {
    let (engine, aliases) = request.voices();
    let query = SpeechQuery::read(&request.uri, engine, aliases)?;
    let content_type = HeaderValue::from_static(query.output.content_type);
    let clip_request = request::clip(&request.fields().await?, query, has_length)?;
    request.answer(ApiKind::ElevenLabs, &clip_request, content_type).await
}

/// Returns the response with a clip and its character timestamps.
async fn timed(
    mut request: ClipRequest,
    writer: impl Fn(&str, OutputFormat) -> Box<dyn ClipWriter>,
    content_type: &'static str,
) -> Result<Response, ErrorResponse> {
    let (engine, aliases) = request.voices();
    let query = SpeechQuery::read(&request.uri, engine, aliases)?;
    let output = query.output;
    let clip_request = request::clip(&request.fields().await?, query, false)?;
    let writer = || writer(&clip_request.request.text, output);
    let sample_rate = clip_request.format.sample_rate();
    let delivery =
        Delivery { by: ApiKind::ElevenLabs, writer: writer(), sample_rate, words: true, has_length: false };
    request.answer_as(&clip_request, delivery, writer, HeaderValue::from_static(content_type)).await
}

/// Opens a conversation. If the request has no key, the client must first send the key in a message.
async fn converse(
    app: Arc<App>,
    upgrade: Upgrade,
    mut parts: Parts,
    shape: Shape,
) -> Result<Response, ErrorResponse> {
    let read = |parts: &Parts| SocketSettings::read(&parts.uri, &app.engine, &app.config.voice_aliases);
    if first_message::is_awaited(&parts) {
        let settings = read(&parts)?;
        let dialect = move |lexicon| ElevenLabsDialect::new(shape, lexicon, settings);
        return first_message::open(Arc::clone(&app), upgrade, parts, dialect);
    }
    let opening = Opening::from_request_parts(&mut parts, &app).await?;
    let dialect = ElevenLabsDialect::new(shape, Arc::clone(&opening.lexicon), read(&parts)?);
    opening.open(upgrade, dialect).await
}
