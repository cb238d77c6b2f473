//! OpenAI's API: `POST /v1/audio/speech`, and the lists that its clients read.

pub(super) mod errors;
pub(super) mod lists;
pub(super) mod openapi;
mod request;
mod sse;

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::Response;
use axum::routing::{get, post};
use http::HeaderValue;

use super::authorized::Authorized;
use super::compat::clip::{answer, answer_as};
use super::compat::sign_in::ToSpeak;
use crate::app::App;
use crate::http::{ErrorResponse, RequestBody};
use crate::metrics::SpokenBy;
use crate::openapi::Api;
use crate::openapi::headers::RequestHeaders;
use crate::synthesis::Delivery;
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

/// Speak a text as OpenAI's `/v1/audio/speech` does.
///
/// The clip in `response_format`, while it is made; with `stream_format` `sse` as events. See
/// [`/docs/openai`](/docs/openai).
#[utoipa::path(
    post, path = "/v1/audio/speech", operation_id = "openai_speech", security(("key" = []), ("api_key" = [])),
    params(RequestHeaders), request_body = openapi::OpenAiRequest, responses(openapi::Speech)
)]
async fn speech(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    Extension(body): Extension<Arc<RequestBody>>,
) -> Result<Response, ErrorResponse> {
    let body = body.read(app.config.timeouts.body).await?;
    let arrived = app.clock.now().monotonic;
    let SpeechRequest { asked, content_type, is_sse } =
        SpeechRequest::read(&body, &app.engine, &app.config.voice_aliases)?;
    if !is_sse {
        let content_type = HeaderValue::from_static(content_type);
        return Ok(answer(app, &caller, SpokenBy::OpenAi, &asked, content_type, arrived).await?);
    }
    let (format, chars) = (asked.format, asked.request.chars());
    let writer = || Box::new(EventWriter::new(format, chars)) as _;
    let delivery = Delivery { by: SpokenBy::OpenAi, writer: writer(), words: false, has_length: false };
    let content_type = HeaderValue::from_static("text/event-stream");
    Ok(answer_as(app, &caller, &asked, delivery, writer, content_type, arrived).await?)
}
