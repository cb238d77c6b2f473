//! OpenAI's API: `POST /v1/audio/speech`, and the lists that its clients read.

pub(super) mod errors;
pub(super) mod lists;
pub(super) mod openapi;
mod request;
mod sse;

use axum::response::Response;
use axum::routing::{get, post};
use http::HeaderValue;
use shruti_service::http::ErrorResponse;
use shruti_service::metrics::SpokenBy;
use shruti_service::openapi::Api;
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::synthesis::Delivery;

use super::common::clip::ClipRequest;
use super::common::openapi::ClipQuery;
use request::SpeechRequest;
use sse::EventWriter;

pub(crate) fn routes() -> Api {
    Api::of("openai")
        .route(__path_speech, post(speech))
        .route(lists::__path_models, get(lists::models))
        .route(lists::__path_audio_models, get(lists::audio_models))
        .route(lists::__path_audio_voices, get(lists::audio_voices))
        .errors_in(&errors::OpenAiErrors)
}

/// Create a clip, compatible with OpenAI's `/v1/audio/speech`.
///
/// Returns the clip in `response_format` while it is synthesised, or as events if `stream_format` is `sse`. See
/// [`/docs/openai`](/docs/openai).
#[utoipa::path(
    post, path = "/v1/audio/speech", operation_id = "openai_speech", security(("key" = []), ("api_key" = [])),
    params(RequestHeaders, ClipQuery), request_body = openapi::OpenAiRequest, responses(openapi::Speech)
)]
async fn speech(mut request: ClipRequest) -> Result<Response, ErrorResponse> {
    let body = request.body().await?;
    let (engine, aliases) = request.voices();
    let SpeechRequest { asked, content_type, is_sse } = SpeechRequest::read(&body, engine, aliases)?;
    if !is_sse {
        return request.answer(SpokenBy::OpenAi, &asked, HeaderValue::from_static(content_type)).await;
    }
    let (format, chars) = (asked.format, asked.request.chars());
    let sample_rate = format.sample_rate();
    let writer = || Box::new(EventWriter::new(format, chars)) as _;
    let delivery =
        Delivery { by: SpokenBy::OpenAi, writer: writer(), sample_rate, words: false, has_length: false };
    let content_type = HeaderValue::from_static("text/event-stream");
    request.answer_as(&asked, delivery, writer, content_type).await
}
