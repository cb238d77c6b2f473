//! `/v1/tts/stream`: a whole conversation on one WebSocket.
//!
//! A thin map between the messages of the wire and the engine's turn machine: `wishes` turns messages into
//! commands, `answers` turns events into messages, `session` moves both and keeps the connection's times.

mod answers;
mod bill;
mod greeting;
mod keepalive;
mod openapi;
mod session;
mod settings;
mod wishes;

use std::sync::Arc;

use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{Extension, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use axum::{RequestExt, RequestPartsExt};
use shruti_protocol::stream::MAX_MESSAGE_BYTES;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::Scope;

use crate::app::App;
use crate::failure::{Failure, draining};
use crate::limits::RateStatus;
use crate::openapi::Api;
use crate::openapi::headers::RequestHeaders;
use crate::request_id::RequestId;
use crate::sign_in::{Presented, sign_in};
use session::Session;

/// How much is read at once. Kept by every connection, idle ones too: the library's own 128 KiB would be most of one.
const READ_BUFFER_BYTES: usize = 4 * 1024;

/// How much may wait in the WebSocket layer: a frame of the longest sound and some messages.
const WRITE_BUFFER_BYTES: usize = 64 * 1024;

pub(crate) fn routes() -> Api {
    Api::of("speech").route(__path_stream, any(stream))
}

/// Open a conversation.
///
/// A WebSocket: text goes in as it is written, speech comes out from the first words on, and a `cancel` is answered
/// with what was heard. The messages are explained at [`/docs/websocket`](/docs/websocket) and described for programs
/// in [`/asyncapi.json`](/asyncapi.json). What is refused is refused before the upgrade, with the errors below.
#[utoipa::path(
    get, path = "/v1/tts/stream", operation_id = "converse", security(("key" = []), ("token" = []), ("token_in_url" = [])),
    params(RequestHeaders, openapi::Upgrade), responses(openapi::Answers)
)]
async fn stream(
    State(app): State<Arc<App>>,
    Extension(id): Extension<RequestId>,
    request: Request,
) -> Response {
    let mut rate = None;
    let mut response = match open(app, id, request, &mut rate).await {
        Ok(response) => response,
        Err(error) => Failure(error).into_response(),
    };
    if let Some(rate) = rate {
        rate.write(response.headers_mut());
    }
    response
}

/// Everything is checked before the upgrade, so that a refusal is an HTTP error like any other.
async fn open(
    app: Arc<App>,
    id: RequestId,
    request: Request,
    rate: &mut Option<RateStatus>,
) -> Result<Response, ApiError> {
    let (mut parts, _) = request.with_limited_body().into_parts();
    let upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection> = parts.extract().await;
    if app.is_draining() {
        return Err(draining());
    }
    let Ok(upgrade) = upgrade else {
        // who asks by hand whether there is room is told so
        return Err(app.streams.refusal().unwrap_or_else(websocket_required));
    };
    let caller = sign_in(&app, &parts, Presented::to_stream(&parts)?, Scope::Tts).await?;
    let (status, allowed) = app.rates.take(&caller.key, app.clock.now().monotonic);
    *rate = status;
    allowed?;
    let permit = app.streams.admit(&caller.key)?;
    app.metering.admit(&caller.key).await?;
    caller.spend_token(&app).await?;
    let session = Session::new(app, id, caller.key, permit);
    let upgrade = upgrade
        .max_message_size(MAX_MESSAGE_BYTES)
        .max_frame_size(MAX_MESSAGE_BYTES)
        .read_buffer_size(READ_BUFFER_BYTES)
        // each message goes to the socket at once, so that nothing waits where a cancel cannot reach it
        .write_buffer_size(0)
        .max_write_buffer_size(WRITE_BUFFER_BYTES)
        .protocols([shruti_protocol::stream::PROTOCOL]);
    Ok(upgrade.on_upgrade(|socket| session.run(socket)))
}

fn websocket_required() -> ApiError {
    let message = "this path speaks WebSocket only; for one clip use POST /v1/tts";
    ApiError::new(ErrorCode::WebsocketRequired, message)
}
