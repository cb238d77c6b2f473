//! Cartesia's API: `POST /tts/bytes`, `POST /tts/sse` and the WebSocket `/tts/websocket`.
//!
//! `request` reads what is asked for, over HTTP and in a context's first message; `dialect` reads and `events` writes the
//! messages of the socket; `sse` has the same as a body of events.

mod dialect;
pub(super) mod errors;
mod events;
pub(super) mod openapi;
mod request;
mod sse;

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::Response;
use axum::routing::{any, post};
use http::{HeaderMap, HeaderValue, Uri};

use super::authorized::Authorized;
use super::compat::clip::{answer, answer_as};
use super::compat::sign_in::ToSpeak;
use super::compat::{fields, socket};
use crate::app::App;
use crate::http::{ErrorResponse, RequestBody, RequestId};
use crate::metrics::SpokenBy;
use crate::openapi::Api;
use crate::openapi::headers::RequestHeaders;
use crate::synthesis::Delivery;
use crate::synthesis::conversation::Upgrade;
use dialect::CartesiaDialect;
use request::SpeechRequest;
use sse::EventWriter;

pub(crate) fn routes() -> Api {
    Api::of("cartesia")
        .route(__path_bytes, post(bytes))
        .route(__path_events_of, post(events_of))
        .route(__path_websocket, any(websocket))
        .errors_in(&errors::CartesiaErrors)
}

/// Speak a text as Cartesia's `/tts/bytes` does.
///
/// The bytes of the clip, while it is made. See [`/docs/cartesia`](/docs/cartesia).
#[utoipa::path(
    post, path = "/tts/bytes", operation_id = "cartesia_bytes", security(("key" = []), ("api_key" = [])),
    params(RequestHeaders), request_body = openapi::CartesiaRequest, responses(openapi::Bytes)
)]
async fn bytes(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    Extension(body): Extension<Arc<RequestBody>>,
) -> Result<Response, ErrorResponse> {
    let body = body.read(app.config.timeouts.body).await?;
    let arrived = app.clock.now().monotonic;
    let asked = fields::object(&body, "the body")?;
    let text = fields::text(&asked, "transcript")?;
    let request = SpeechRequest::read(&asked, &app.engine, &app.config.voice_aliases)?;
    let asked = request.of(text);
    let content_type = HeaderValue::from_str(&asked.format.content_type());
    let content_type = content_type.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    Ok(answer(app, &caller, SpokenBy::Cartesia, &asked, content_type, arrived).await?)
}

/// Speak a text as Cartesia's `/tts/sse` does.
///
/// The clip as server-sent events, while it is made: `timestamps` before the sound that they are of, where
/// `add_timestamps` asks for them, `chunk` with sound in base64, and `done` last.
#[utoipa::path(
    post, path = "/tts/sse", operation_id = "cartesia_sse", security(("key" = []), ("api_key" = [])),
    params(RequestHeaders), request_body = openapi::CartesiaRequest, responses(openapi::Events)
)]
async fn events_of(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    Extension(body): Extension<Arc<RequestBody>>,
) -> Result<Response, ErrorResponse> {
    let body = body.read(app.config.timeouts.body).await?;
    let arrived = app.clock.now().monotonic;
    let asked = fields::object(&body, "the body")?;
    let text = fields::text(&asked, "transcript")?;
    let context_id = fields::string(&asked, "context_id")?.map(str::to_owned);
    let request = SpeechRequest::read(&asked, &app.engine, &app.config.voice_aliases)?;
    let words = request.timestamps;
    let asked = request.of(text);
    let format = asked.format;
    let writer = || Box::new(EventWriter::new(context_id.clone(), format)) as _;
    let delivery = Delivery { by: SpokenBy::Cartesia, writer: writer(), words, has_length: false };
    let content_type = HeaderValue::from_static("text/event-stream");
    Ok(answer_as(app, &caller, &asked, delivery, writer, content_type, arrived).await?)
}

/// Open a conversation as Cartesia's `/tts/websocket` does.
///
/// A WebSocket with up to 16 contexts that are spoken at once and 64 that wait. The messages are explained at
/// [`/docs/cartesia`](/docs/cartesia). What is refused is refused before the upgrade, with the errors below.
#[utoipa::path(
    get, path = "/tts/websocket", operation_id = "cartesia_websocket",
    security(("key" = []), ("api_key" = []), ("access_token" = [])),
    params(RequestHeaders, openapi::SocketParameters), responses(openapi::Opened)
)]
async fn websocket(
    State(app): State<Arc<App>>,
    Extension(id): Extension<RequestId>,
    upgrade: Upgrade,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let max_lead = socket::max_lead(&uri)?;
    let dialect = CartesiaDialect::new(id, Arc::clone(&app), max_lead);
    Ok(socket::open(app, id, upgrade, caller, &headers, dialect).await?)
}
