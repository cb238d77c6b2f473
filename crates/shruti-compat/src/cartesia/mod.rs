//! Cartesia's API: `POST /tts/bytes`, `POST /tts/sse` and the WebSocket `/tts/websocket`.
//!
//! `request` parses requests, over HTTP and in the first message of a context. On the WebSocket, `dialect` parses
//! the client's messages, and `events` serialises the server's messages; `sse` sends the same server messages as
//! server-sent events.

mod dialect;
pub(super) mod errors;
mod events;
pub(super) mod openapi;
mod request;
mod sse;

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
use super::common::socket::{Opening, SoundQuery};
use dialect::CartesiaDialect;
use openapi::CartesiaRequest;
use sse::EventWriter;

pub(crate) fn routes() -> Api {
    Api::of("cartesia")
        .route(__path_bytes, post(bytes))
        .route(__path_events_of, post(events_of))
        .route(__path_websocket, any(websocket))
        .errors_in(&errors::CartesiaErrors)
}

/// Create a clip, compatible with Cartesia's `/tts/bytes`.
///
/// Returns the bytes of the clip while it is synthesised. See [`/docs/cartesia`](/docs/cartesia).
#[utoipa::path(
    post, path = "/tts/bytes", operation_id = "cartesia_bytes", security(("key" = []), ("api_key" = [])),
    params(RequestHeaders, ClipQuery), request_body = openapi::CartesiaRequest, responses(openapi::Bytes)
)]
async fn bytes(mut request: ClipRequest) -> Result<Response, ErrorResponse> {
    let fields = request.fields().await?;
    let clip_request = request::clip(&fields, request.voices())?;
    let content_type = content_type(clip_request.format);
    request.answer(ApiKind::Cartesia, &clip_request, content_type).await
}

/// Create a clip as events, compatible with Cartesia's `/tts/sse`.
///
/// Returns the clip as server-sent events while it is synthesised: `timestamps` before the audio that they belong to
/// (if `add_timestamps` is set), `chunk` with audio in base64, and finally `done`.
#[utoipa::path(
    post, path = "/tts/sse", operation_id = "cartesia_sse", security(("key" = []), ("api_key" = [])),
    params(RequestHeaders, ClipQuery), request_body = openapi::CartesiaRequest, responses(openapi::Events)
)]
async fn events_of(mut request: ClipRequest) -> Result<Response, ErrorResponse> {
    let fields = request.fields().await?;
    let clip_request = request::clip(&fields, request.voices())?;
    let context_id = CartesiaRequest::CONTEXT_ID.read(&fields)?.map(str::to_owned);
    let words = CartesiaRequest::ADD_TIMESTAMPS.read(&fields)?;
    let (format, sample_rate) = (clip_request.format, clip_request.format.sample_rate());
    let writer = || Box::new(EventWriter::new(context_id.clone(), format)) as _;
    let delivery =
        Delivery { by: ApiKind::Cartesia, writer: writer(), sample_rate, words, has_length: false };
    let content_type = HeaderValue::from_static("text/event-stream");
    request.answer_as(&clip_request, delivery, writer, content_type).await
}

/// Open a conversation, compatible with Cartesia's `/tts/websocket`.
///
/// Opens a WebSocket with up to 16 contexts that are spoken concurrently and up to 64 queued contexts. The messages are
/// described in [`/docs/cartesia`](/docs/cartesia). A request is refused before the upgrade, with one of the errors
/// below.
#[utoipa::path(
    get, path = "/tts/websocket", operation_id = "cartesia_websocket",
    security(("key" = []), ("api_key" = []), ("access_token" = [])),
    params(RequestHeaders, openapi::SocketParameters), responses(openapi::Opened)
)]
async fn websocket(upgrade: Upgrade, opening: Opening) -> Result<Response, ErrorResponse> {
    let sound = SoundQuery::read(&opening.uri)?;
    let Opening { app, id, lexicon, .. } = &opening;
    let dialect = CartesiaDialect::new(*id, Arc::clone(app), Arc::clone(lexicon), sound);
    opening.open(upgrade, dialect).await
}
