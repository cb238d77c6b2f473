//! `/v1/tts/stream`: a whole conversation on one WebSocket.
//!
//! A thin map between the messages of the wire and the engine's turn machine: `dialect` reads messages with the help of
//! `commands` and writes them with that of `events`; the pump of `synthesis::conversation` moves both.

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

use crate::app::App;
use crate::auth::{Credentials, offers_protocol};
use crate::authorized::{Access, Authorized};
use crate::http::{ErrorResponse, RequestId, ServerUrl};
use crate::openapi::Api;
use crate::openapi::headers::RequestHeaders;
use crate::synthesis::conversation::{Pump, Upgrade};
use dialect::NativeDialect;

pub(crate) fn routes() -> Api {
    Api::of("speech").route(__path_stream, any(stream))
}

/// Open a conversation.
///
/// A WebSocket: text goes in as it is written, speech comes out from the first words on, and a `cancel` is answered
/// with what was heard. The messages are explained at [`/docs/websocket`](/docs/websocket) and described for programs
/// in [`/asyncapi.json`](/asyncapi.json). What is refused is refused before the upgrade, with the errors below.
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
    Authorized { caller, .. }: Authorized<ToConverse>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    // everything is checked before the upgrade, so that a refusal is an HTTP error like any other
    let lexicon = app.standing_lexicon(&caller.key).await?;
    let permit = app.streams.admit(&caller.key)?;
    app.metering.admit(&caller.key).await?;
    app.auth.spend_token(&caller).await?;
    let server = server.map(|Extension(server)| server);
    let dialect = NativeDialect::new(id, server, Arc::clone(&app.engine), lexicon);
    let pump = Pump::new(app, id, caller, permit, dialect);
    let protocol = offers_protocol(&headers).then_some(HeaderValue::from_static(PROTOCOL));
    Ok(upgrade.accept(protocol, |socket| pump.run(socket)))
}

/// A key or a token, also where a browser can put one.
struct ToConverse;

impl Access for ToConverse {
    const SCOPE: Scope = Scope::Tts;
    const IS_NEW_WORK: bool = true;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::to_stream(parts)
    }
}
