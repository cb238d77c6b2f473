//! API of a custom speech vendor for jambonz: `POST /v1/jambonz`, and the WebSocket `/v1/jambonz/stream`.
//!
//! `request` parses requests; `dialect` handles the messages of the WebSocket.

mod dialect;
pub(super) mod openapi;
mod request;

use std::sync::Arc;

use axum::response::Response;
use axum::routing::{any, post};
use shruti_service::http::ErrorResponse;
use shruti_service::metrics::ApiKind;
use shruti_service::openapi::Api;
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::synthesis::conversation::Upgrade;

use super::common::clip::{ClipRequest, content_type};
use super::common::errors::PlainErrors;
use super::common::openapi::ClipQuery;
use super::common::socket::{Opening, SoundQuery};
use dialect::JambonzDialect;
use request::SocketSettings;

pub(crate) fn routes() -> Api {
    Api::of("telephony")
        .route(__path_speak, post(speak))
        .route(__path_converse, any(converse))
        .errors_in(&PlainErrors)
}

/// Create a clip for jambonz.
///
/// Returns the clip as WAV while it is synthesised. See [`/docs/telephony`](/docs/telephony).
#[utoipa::path(
    post, path = "/v1/jambonz", operation_id = "jambonz_speak", security(("key" = []), ("api_key" = [])),
    params(RequestHeaders, ClipQuery), request_body = openapi::JambonzRequest, responses(openapi::Clip)
)]
async fn speak(mut request: ClipRequest) -> Result<Response, ErrorResponse> {
    let clip_request = request::clip(&request.fields().await?, request.voices())?;
    let content_type = content_type(clip_request.format);
    request.answer(ApiKind::Jambonz, &clip_request, content_type).await
}

/// Open a conversation for jambonz.
///
/// Opens a WebSocket. Text is sent as JSON, and raw samples are returned in binary messages. The messages are described
/// in [`/docs/telephony`](/docs/telephony). A request is refused before the upgrade, with one of the errors below.
#[utoipa::path(
    get, path = "/v1/jambonz/stream", operation_id = "jambonz_stream",
    security(("key" = []), ("api_key" = []), ("access_token" = [])),
    params(RequestHeaders, openapi::SocketParameters), responses(openapi::Opened)
)]
async fn converse(upgrade: Upgrade, opening: Opening) -> Result<Response, ErrorResponse> {
    let Opening { app, uri, lexicon, .. } = &opening;
    let settings = SocketSettings::read(uri, &app.engine, &app.config.voice_aliases)?;
    let dialect = JambonzDialect::new(settings, Arc::clone(lexicon), SoundQuery::read(uri)?);
    opening.open(upgrade, dialect).await
}
