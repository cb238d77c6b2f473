//! Sarvam's API: `POST /text-to-speech` and `POST /text-to-speech/stream`.
//!
//! `request` reads what is asked for; `json` writes a clip in base64.

pub(super) mod errors;
mod json;
pub(super) mod openapi;
mod request;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, State};
use axum::response::Response;
use axum::routing::post;
use http::HeaderValue;
use shruti_protocol::{ApiError, SynthesisRequest};

use super::authorized::Authorized;
use super::compat::clip::{Asked, answer, answer_as};
use super::compat::fields;
use super::compat::sign_in::ToSpeak;
use crate::app::App;
use crate::http::{ErrorResponse, RequestBody, RequestId};
use crate::metrics::SpokenBy;
use crate::openapi::Api;
use crate::openapi::headers::RequestHeaders;
use crate::synthesis::Delivery;
use json::JsonWriter;
use request::SpeechRequest;

pub(crate) fn routes() -> Api {
    Api::of("sarvam")
        .route(__path_convert, post(convert))
        .route(__path_convert_stream, post(convert_stream))
        .errors_in(&errors::SarvamErrors)
}

/// Speak a text as Sarvam's `/text-to-speech` does.
///
/// A JSON object with the clip in base64, as WAV if no codec is asked for. See [`/docs/sarvam`](/docs/sarvam).
#[utoipa::path(
    post, path = "/text-to-speech", operation_id = "sarvam_convert", security(("key" = []), ("api_key" = [])),
    params(RequestHeaders), request_body = openapi::SarvamRequest, responses(openapi::Clip)
)]
async fn convert(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    Extension(id): Extension<RequestId>,
    Extension(body): Extension<Arc<RequestBody>>,
) -> Result<Response, ErrorResponse> {
    let (asked, arrived) = read(&app, &body, "wav").await?;
    let format = asked.format;
    let writer = || Box::new(JsonWriter::new(format, id)) as _;
    let has_length = format.has_length();
    let delivery = Delivery { by: SpokenBy::Sarvam, writer: writer(), words: false, has_length };
    let content_type = HeaderValue::from_static("application/json");
    Ok(answer_as(app, &caller, &asked, delivery, writer, content_type, arrived).await?)
}

/// Speak a text as Sarvam's `/text-to-speech/stream` does.
///
/// The clip in the codec that is asked for, MP3 if none is, while it is made. See [`/docs/sarvam`](/docs/sarvam).
#[utoipa::path(
    post, path = "/text-to-speech/stream", operation_id = "sarvam_convert_stream",
    security(("key" = []), ("api_key" = [])),
    params(RequestHeaders), request_body = openapi::SarvamRequest, responses(openapi::StreamedClip)
)]
async fn convert_stream(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    Extension(body): Extension<Arc<RequestBody>>,
) -> Result<Response, ErrorResponse> {
    let (asked, arrived) = read(&app, &body, "mp3").await?;
    let content_type = HeaderValue::from_str(&asked.format.content_type());
    let content_type = content_type.unwrap_or(HeaderValue::from_static("application/octet-stream"));
    Ok(answer(app, &caller, SpokenBy::Sarvam, &asked, content_type, arrived).await?)
}

/// What a body asks for, and when it had come whole.
async fn read(app: &App, body: &RequestBody, codec: &str) -> Result<(Asked, Duration), ApiError> {
    let body = body.read(app.config.timeouts.body).await?;
    let arrived = app.clock.now().monotonic;
    let body = fields::object(&body, "the body")?;
    let text = fields::text(&body, "text")?;
    let SpeechRequest { voice, language, speed, format } =
        SpeechRequest::read(&body, &app.engine, &app.config.voice_aliases, codec)?;
    let request = SynthesisRequest { language, speed, ..SynthesisRequest::new(text) };
    Ok((Asked { voice, request, format, has_length: true }, arrived))
}
