//! Sarvam's API: `POST /text-to-speech` and `POST /text-to-speech/stream`.
//!
//! `request` reads what is asked for; `json` writes a clip in base64.

pub(super) mod errors;
mod json;
pub(super) mod openapi;
mod request;

use axum::response::Response;
use axum::routing::post;
use http::HeaderValue;

use super::compat::clip::{ClipRequest, content_type};
use crate::http::ErrorResponse;
use crate::metrics::SpokenBy;
use crate::openapi::Api;
use crate::openapi::headers::RequestHeaders;
use crate::synthesis::Delivery;
use json::JsonWriter;

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
async fn convert(mut request: ClipRequest) -> Result<Response, ErrorResponse> {
    let asked = request::clip(&request.fields().await?, request.voices(), "wav")?;
    let (format, id) = (asked.format, request.id);
    let writer = || Box::new(JsonWriter::new(format, id)) as _;
    let has_length = format.has_length();
    let delivery = Delivery { by: SpokenBy::Sarvam, writer: writer(), words: false, has_length };
    let content_type = HeaderValue::from_static("application/json");
    request.answer_as(&asked, delivery, writer, content_type).await
}

/// Speak a text as Sarvam's `/text-to-speech/stream` does.
///
/// The clip in the codec that is asked for, MP3 if none is, while it is made. See [`/docs/sarvam`](/docs/sarvam).
#[utoipa::path(
    post, path = "/text-to-speech/stream", operation_id = "sarvam_convert_stream",
    security(("key" = []), ("api_key" = [])),
    params(RequestHeaders), request_body = openapi::SarvamRequest, responses(openapi::StreamedClip)
)]
async fn convert_stream(mut request: ClipRequest) -> Result<Response, ErrorResponse> {
    let asked = request::clip(&request.fields().await?, request.voices(), "mp3")?;
    let content_type = content_type(asked.format);
    request.answer(SpokenBy::Sarvam, &asked, content_type).await
}
