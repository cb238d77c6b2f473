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
mod websocket;
mod wishes;

use std::sync::Arc;

use axum::extract::{Extension, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::Scope;

use crate::app::App;
use crate::failure::{Failure, draining};
use crate::limits::RateStatus;
use crate::openapi::Api;
use crate::openapi::headers::RequestHeaders;
use crate::request_id::RequestId;
use crate::sign_in::{Presented, offers_protocol, sign_in};
use session::Session;
use websocket::Upgrade;

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
    let (mut parts, _) = request.into_parts();
    let upgrade = Upgrade::of(&mut parts);
    if app.is_draining() {
        return Err(draining());
    }
    let Some(upgrade) = upgrade else {
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
    Ok(upgrade.accept(offers_protocol(&parts.headers), |socket| session.run(socket)))
}

fn websocket_required() -> ApiError {
    let message = "this path speaks WebSocket only; for one clip use POST /v1/tts";
    ApiError::new(ErrorCode::WebsocketRequired, message)
}
