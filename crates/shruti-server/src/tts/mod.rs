//! `POST /v1/tts`: a text in, a clip out, streamed as it is made.

mod audio;
mod format;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, header};
use shruti_engine::Speech;
use shruti_protocol::{ApiError, ErrorCode, SynthesisRequest};
use shruti_store::Scope;
use tokio::time::timeout;

use crate::app::App;
use crate::failure::{Failure, draining, internal};
use crate::sign_in::sign_in;
use crate::speech::{lexicon, overloaded, refused, sample_bytes};
use crate::upload::{Upload, require_json};
use audio::AudioBody;
use format::Format;

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new().route("/v1/tts", post(speak))
}

async fn speak(
    State(app): State<Arc<App>>,
    Extension(upload): Extension<Arc<Upload>>,
    request: Request,
) -> Response {
    let (parts, _) = request.into_parts();
    let mut rate = None;
    let mut response = match answer(&app, &parts, &upload, &mut rate).await {
        Ok(response) => response,
        Err(error) => Failure(error).into_response(),
    };
    if let Some(rate) = rate {
        rate.write(response.headers_mut());
    }
    response
}

/// Everything is checked before the first byte: this gives an error, or a response whose audio has begun.
async fn answer(
    app: &Arc<App>,
    parts: &Parts,
    upload: &Upload,
    rate: &mut Option<crate::limits::RateStatus>,
) -> Result<Response, ApiError> {
    if app.is_draining() {
        return Err(draining());
    }
    let key = sign_in(parts, &app.keys, Scope::Tts, app.clock.now()).await?;
    let (status, allowed) = app.rates.take(&key, app.clock.now().monotonic);
    *rate = status;
    allowed?;
    require_json(&parts.headers)?;
    let format = Format::negotiate(&parts.headers)?;

    let body = upload.read(app.config.timeouts.body).await?;
    let arrived = app.clock.now().monotonic;
    let request = SynthesisRequest::from_json(&body)?;
    let chars = request.chars();
    let permit = app.streams.admit(&key)?;
    let speech = begin(app, &request)?;
    let begun = timeout(app.config.timeouts.first_audio, first_audio(speech, format)).await;
    let (speech, waiting) = begun.map_err(|_| overloaded(Duration::from_secs(1)))??;
    let first_audio = app.clock.now().monotonic.saturating_sub(arrived);

    let voice = HeaderValue::from_str(speech.voice()).unwrap_or(HeaderValue::from_static("unknown"));
    let language = speech.language().map(|language| HeaderValue::from_static(language.code()));
    let timing = format!("ttfa;dur={:.3}", first_audio.as_secs_f64() * 1_000.0);
    tracing::info!(
        chars,
        language = speech.language().map(shruti_protocol::Language::code),
        ttfa_us = first_audio.as_micros() as u64,
        "speaking"
    );

    let body = AudioBody::new(waiting, speech, permit, app.config.timeouts.stalled_reader);
    let mut response = Response::new(Body::new(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, format.content_type());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::VARY, HeaderValue::from_static("accept"));
    headers.insert(HeaderName::from_static("x-audio-encoding"), HeaderValue::from_static("pcm_s16le"));
    headers.insert(HeaderName::from_static("x-tts-voice"), voice);
    headers.insert(HeaderName::from_static("x-tts-chars"), HeaderValue::from(chars));
    if let Some(language) = language {
        headers.insert(HeaderName::from_static("x-tts-language"), language);
    }
    if let Ok(timing) = HeaderValue::from_str(&timing) {
        headers.insert(HeaderName::from_static("server-timing"), timing);
    }
    Ok(response)
}

/// Hands the text to the engine.
fn begin(app: &App, request: &SynthesisRequest) -> Result<Speech, ApiError> {
    let how = shruti_engine::Request {
        language: request.language,
        speed: request.speed as f32,
        pitch: request.pitch as f32,
        lexicon: lexicon(&request.lexicon)?,
        ..shruti_engine::Request::new(request.voice.name())
    };
    app.engine.speak_text(how, request.text.trim()).map_err(|why| refused(&why))
}

/// Waits for the first audible sample; gives back the speech and the bytes made so far.
async fn first_audio(mut speech: Speech, format: Format) -> Result<(Speech, VecDeque<Bytes>), ApiError> {
    /// More chunks than this without an audible sample are sent all the same.
    const SILENT_CHUNKS: usize = 4;
    let mut waiting = VecDeque::new();
    for _ in 0..SILENT_CHUNKS {
        match speech.next().await {
            Some(Ok(chunk)) => {
                waiting.push_back(sample_bytes(&chunk.samples));
                if chunk.first_audible.is_some() {
                    break;
                }
            }
            Some(Err(fault)) => {
                tracing::error!(error = %fault, "a speech failed before its first byte");
                return Err(internal());
            }
            None if waiting.is_empty() => {
                let message = "text has nothing that can be spoken; send letters or digits";
                return Err(ApiError::new(ErrorCode::EmptyText, message).with_param("text"));
            }
            None => break,
        }
    }
    let header = format.header();
    if !header.is_empty() {
        waiting.push_front(header.into());
    }
    Ok((speech, waiting))
}
