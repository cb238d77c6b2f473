//! ElevenLabs' API: `POST /v1/text-to-speech/{voice}` and its three variants, and the WebSockets `…/stream-input` and
//! `…/multi-stream-input`.
//!
//! `request` and `format` read what is asked for; `alignment` tells when characters are spoken, for the bodies of
//! `json` and for the socket, whose messages `dialect` reads and `events` writes.

pub(super) mod alignment;
mod dialect;
pub(super) mod errors;
mod events;
mod format;
mod json;
pub(super) mod models;
pub(super) mod openapi;
mod request;

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::Response;
use axum::routing::{any, post};
use http::{HeaderMap, HeaderValue, Uri};
use shruti_protocol::ApiError;

use super::authorized::Authorized;
use super::compat::clip::{answer, answer_as};
use super::compat::sign_in::ToSpeak;
use super::compat::socket;
use crate::app::App;
use crate::auth::Caller;
use crate::http::{ErrorResponse, RequestBody, RequestId};
use crate::metrics::SpokenBy;
use crate::openapi::Api;
use crate::openapi::headers::RequestHeaders;
use crate::synthesis::conversation::Upgrade;
use crate::synthesis::{ClipWriter, Delivery};
use dialect::{ElevenLabsDialect, Shape};
use format::OutputFormat;
use json::{LineWriter, ObjectWriter};
use request::{Query, SocketSettings};

/// What stands before the voice in a path.
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

/// Speak a text as ElevenLabs' `/v1/text-to-speech/{voice_id}` does.
///
/// The bytes of the clip, while it is made. See [`/docs/elevenlabs`](/docs/elevenlabs).
#[utoipa::path(
    post, path = "/v1/text-to-speech/{voice_id}", operation_id = "elevenlabs_convert",
    security(("key" = []), ("api_key" = [])), params(openapi::ClipParameters, RequestHeaders),
    request_body = openapi::ElevenLabsRequest, responses(openapi::Sound)
)]
async fn convert(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    Extension(body): Extension<Arc<RequestBody>>,
    uri: Uri,
) -> Result<Response, ErrorResponse> {
    Ok(sound(app, &caller, &body, &uri, true).await?)
}

/// Speak a text as ElevenLabs' `/v1/text-to-speech/{voice_id}/stream` does.
///
/// The bytes of the clip, while it is made; the header of a WAV never tells its length.
#[utoipa::path(
    post, path = "/v1/text-to-speech/{voice_id}/stream", operation_id = "elevenlabs_stream",
    security(("key" = []), ("api_key" = [])), params(openapi::ClipParameters, RequestHeaders),
    request_body = openapi::ElevenLabsRequest, responses(openapi::Sound)
)]
async fn stream(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    Extension(body): Extension<Arc<RequestBody>>,
    uri: Uri,
) -> Result<Response, ErrorResponse> {
    Ok(sound(app, &caller, &body, &uri, false).await?)
}

/// Speak a text as ElevenLabs' `/v1/text-to-speech/{voice_id}/with-timestamps` does.
///
/// One JSON object with the whole clip and when each of its characters is spoken.
#[utoipa::path(
    post, path = "/v1/text-to-speech/{voice_id}/with-timestamps",
    operation_id = "elevenlabs_convert_with_timestamps", security(("key" = []), ("api_key" = [])),
    params(openapi::ClipParameters, RequestHeaders), request_body = openapi::ElevenLabsRequest,
    responses(openapi::Timed)
)]
async fn convert_with_timestamps(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    Extension(body): Extension<Arc<RequestBody>>,
    uri: Uri,
) -> Result<Response, ErrorResponse> {
    let writer = |text: &str, output| Box::new(ObjectWriter::new(text, output)) as _;
    let content_type = HeaderValue::from_static("application/json");
    Ok(timed(app, &caller, &body, &uri, writer, content_type).await?)
}

/// Speak a text as ElevenLabs' `/v1/text-to-speech/{voice_id}/stream/with-timestamps` does.
///
/// A JSON object on each line, while the clip is made: some sound, and when the characters are spoken that begin in it.
#[utoipa::path(
    post, path = "/v1/text-to-speech/{voice_id}/stream/with-timestamps",
    operation_id = "elevenlabs_stream_with_timestamps", security(("key" = []), ("api_key" = [])),
    params(openapi::ClipParameters, RequestHeaders), request_body = openapi::ElevenLabsRequest,
    responses(openapi::TimedLines)
)]
async fn stream_with_timestamps(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    Extension(body): Extension<Arc<RequestBody>>,
    uri: Uri,
) -> Result<Response, ErrorResponse> {
    let writer = |text: &str, output| Box::new(LineWriter::new(text, output)) as _;
    let content_type = HeaderValue::from_static("application/x-ndjson");
    Ok(timed(app, &caller, &body, &uri, writer, content_type).await?)
}

/// Open a conversation as ElevenLabs' `/v1/text-to-speech/{voice_id}/stream-input` does.
///
/// A WebSocket for one text in pieces, which is closed when it has been spoken. The messages are explained at
/// [`/docs/elevenlabs`](/docs/elevenlabs). What is refused is refused before the upgrade, with the errors below.
#[utoipa::path(
    get, path = "/v1/text-to-speech/{voice_id}/stream-input", operation_id = "elevenlabs_stream_input",
    security(("key" = []), ("api_key" = []), ("single_use_token" = [])),
    params(openapi::SocketParameters, RequestHeaders), responses(openapi::Opened)
)]
async fn stream_input(
    State(app): State<Arc<App>>,
    Extension(id): Extension<RequestId>,
    upgrade: Upgrade,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let settings = SocketSettings::read(&uri, &app.engine, &app.config.voice_aliases)?;
    let dialect = ElevenLabsDialect::new(Shape::Single, &app, settings);
    Ok(socket::open(app, id, upgrade, caller, &headers, dialect).await?)
}

/// Open conversations as ElevenLabs' `/v1/text-to-speech/{voice_id}/multi-stream-input` does.
///
/// A WebSocket with up to 16 contexts that are spoken at once and 64 that wait. The messages are explained at
/// [`/docs/elevenlabs`](/docs/elevenlabs). What is refused is refused before the upgrade, with the errors below.
#[utoipa::path(
    get, path = "/v1/text-to-speech/{voice_id}/multi-stream-input", operation_id = "elevenlabs_multi_stream_input",
    security(("key" = []), ("api_key" = []), ("single_use_token" = [])),
    params(openapi::SocketParameters, RequestHeaders), responses(openapi::Opened)
)]
async fn multi_stream_input(
    State(app): State<Arc<App>>,
    Extension(id): Extension<RequestId>,
    upgrade: Upgrade,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let settings = SocketSettings::read(&uri, &app.engine, &app.config.voice_aliases)?;
    let dialect = ElevenLabsDialect::new(Shape::Multi, &app, settings);
    Ok(socket::open(app, id, upgrade, caller, &headers, dialect).await?)
}

/// Answers with the bytes of a clip.
async fn sound(
    app: Arc<App>,
    caller: &Caller,
    body: &RequestBody,
    uri: &Uri,
    has_length: bool,
) -> Result<Response, ApiError> {
    let query = Query::read(uri, &app.engine, &app.config.voice_aliases)?;
    let content_type = HeaderValue::from_static(query.output.content_type);
    let body = body.read(app.config.timeouts.body).await?;
    let arrived = app.clock.now().monotonic;
    let asked = request::clip(&body, query, has_length)?;
    answer(app, caller, SpokenBy::ElevenLabs, &asked, content_type, arrived).await
}

/// Answers with a clip and the times of its characters.
async fn timed(
    app: Arc<App>,
    caller: &Caller,
    body: &RequestBody,
    uri: &Uri,
    writer: impl Fn(&str, OutputFormat) -> Box<dyn ClipWriter>,
    content_type: HeaderValue,
) -> Result<Response, ApiError> {
    let query = Query::read(uri, &app.engine, &app.config.voice_aliases)?;
    let output = query.output;
    let body = body.read(app.config.timeouts.body).await?;
    let arrived = app.clock.now().monotonic;
    let asked = request::clip(&body, query, false)?;
    let writer = || writer(&asked.request.text, output);
    let delivery = Delivery { by: SpokenBy::ElevenLabs, writer: writer(), words: true, has_length: false };
    answer_as(app, caller, &asked, delivery, writer, content_type, arrived).await
}
