//! `/v1/tts/stream`: a whole conversation over one WebSocket.
//!
//! This module translates between the wire messages and the engine's turn machine: `dialect` parses messages with the
//! help of `commands` and writes them with the help of `events`. The pump of `synthesis::conversation` passes the
//! commands to the turn machine and sends the messages.

mod commands;
mod dialect;
mod events;
mod openapi;
mod ready;
mod settings;
mod sound;

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::Response;
use axum::routing::any;
use http::request::Parts;
use http::{HeaderMap, HeaderValue};
use shruti_protocol::ApiError;
use shruti_protocol::stream::PROTOCOL;
use shruti_store::Scope;

use dialect::NativeDialect;
use shruti_service::app::App;
use shruti_service::auth::{Credentials, offers_protocol};
use shruti_service::authorized::{Access, Authorized};
use shruti_service::http::{ErrorResponse, RequestId, ServerUrl};
use shruti_service::openapi::Api;
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::synthesis::conversation::{Pump, Upgrade};

pub(crate) fn routes() -> Api {
    Api::of("speech").route(__path_stream, any(stream))
}

/// Open a conversation.
///
/// The connection is a WebSocket. The client sends text as it is generated; the server sends speech as soon as the
/// first words are complete, and answers a `cancel` with the part that was heard. The messages are explained at
/// [`/docs/websocket`](/docs/websocket) and described in machine-readable form in [`/asyncapi.json`](/asyncapi.json). A
/// request is refused before the upgrade, with one of the errors below.
#[utoipa::path(
    get, path = "/v1/tts/stream", operation_id = "converse",
    security(("key" = []), ("token" = []), ("token_in_url" = [])),
    params(RequestHeaders, openapi::UpgradeHeaders), responses(openapi::Answers)
)]
async fn stream(
    State(app): State<Arc<App>>,
    Extension(id): Extension<RequestId>,
    server: Option<Extension<ServerUrl>>,
    upgrade: Upgrade,
    Authorized { caller, .. }: Authorized<StreamAccess>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    // everything is checked before the upgrade, so that a refusal is a normal HTTP error
    let lexicon = app.lexicon_of_key(&caller.key).await?;
    let permit = app.streams.admit(&caller.key)?;
    app.metering.admit(&caller.key).await?;
    app.auth.spend_token(&caller).await?;
    let server = server.map(|Extension(server)| server);
    let dialect = NativeDialect::new(id, server, Arc::clone(&app.engine), lexicon);
    let pump = Pump::new(app, id, caller, permit, dialect);
    let protocol = offers_protocol(&headers).then_some(HeaderValue::from_static(PROTOCOL));
    Ok(upgrade.accept(protocol, |socket| pump.run(socket)))
}

/// Access requirements of this path: an API key in the `Authorization` header, or a token in that header, the query or
/// the subprotocols. A browser can set only the query and the subprotocols.
struct StreamAccess;

impl Access for StreamAccess {
    const SCOPE: Scope = Scope::Tts;
    const IS_NEW_WORK: bool = true;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::to_stream(parts)
    }
}
