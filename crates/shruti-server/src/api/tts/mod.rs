//! `POST /v1/tts`: a text in, a clip out, streamed as it is made.

mod audio;
mod clip;
mod format;
mod openapi;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, header};
use shruti_protocol::limits::MAX_CHARGED_CHARS;
use shruti_protocol::{ApiError, ErrorCode, SynthesisRequest};
use shruti_store::Scope;
use shruti_text::{Lexicon, Settings, extra_chars};
use tokio::time::timeout;

use crate::app::App;
use crate::failure::{Failure, draining, internal};
use crate::metering::Charge;
use crate::metrics::SpokenBy;
use crate::openapi::Api;
use crate::openapi::headers::RequestHeaders;
use crate::sign_in::{Presented, sign_in};
use crate::speech::{self, lexicon, overloaded};
use crate::upload::{Upload, require_json};
use audio::AudioBody;
use clip::{Clip, Opening, SHORT_CHARS};
pub(crate) use format::Format;

pub(crate) fn routes() -> Api {
    Api::of("speech").route(__path_speak, post(speak))
}

/// Speak a text.
///
/// One request, one clip, streamed while it is made. Everything is checked before the first byte: a request gives an
/// error, or it gives audio. If the voice breaks after that, the connection is aborted and the clip does not end as
/// if it were whole. The same request always gives the same samples. `Accept` chooses the form of the answer.
///
/// Pages of the origins that a key names may call it and read every answer, errors included (CORS); a page signs in
/// with a single-use token, never with a key. A request that fails leaves its token whole.
#[utoipa::path(
    post, path = "/v1/tts", operation_id = "speak", security(("key" = []), ("token" = [])),
    params(RequestHeaders), request_body = SynthesisRequest, responses(openapi::Answers)
)]
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
    let caller = sign_in(app, parts, Presented::in_header(parts)?, Scope::Tts).await?;
    let (status, allowed) = app.rates.take(&caller.key, app.clock.now().monotonic);
    *rate = status;
    allowed?;
    require_json(&parts.headers)?;
    let format = Format::negotiate(&parts.headers)?;

    let body = upload.read(app.config.timeouts.body).await?;
    let arrived = app.clock.now().monotonic;
    let request = SynthesisRequest::from_json(&body)?;
    let voice = speech::voice(&app.engine, request.voice.as_ref())?;
    let permit = app.streams.admit(&caller.key)?;
    let lexicon = lexicon(&request.lexicon, &app.config.lexicon.current())?;
    let chars = price(&request, &lexicon).await?;
    let mut charge = Charge::new(Arc::clone(&app.metering), Arc::clone(&caller.key), true);
    charge.cover(chars).await?;
    let (engine, clock) = (Arc::clone(&app.engine), Arc::clone(&app.clock));
    let mut clip = Clip::begin(engine, clock, voice, &request, charge, lexicon);
    let opened = timeout(app.config.timeouts.first_audio, clip.open()).await;
    let mut opening = opened.map_err(|_| overloaded(Duration::from_secs(1)))??;
    let is_short = format.has_length() && chars <= SHORT_CHARS;
    let is_whole = is_short && clip.complete(&mut opening, app.config.timeouts.whole_clip).await?;
    let samples = is_whole.then(|| opening.samples() as u64);
    let Opening { voice, language, pieces } = opening;
    // only now is it sure that there is something to pay for
    caller.spend_token(app).await?;
    let first_audio = app.clock.now().monotonic.saturating_sub(arrived);

    let voice = HeaderValue::from_str(voice.as_str()).unwrap_or(HeaderValue::from_static("unknown"));
    app.metrics.first_audio(SpokenBy::Clip, first_audio);
    let timing = format!("ttfa;dur={:.3}", first_audio.as_secs_f64() * 1_000.0);
    let ttfa_us = first_audio.as_micros() as u64;
    tracing::info!(chars, language = language.code(), ttfa_us, "speaking");

    let header = Bytes::from(format.header(samples));
    let body = AudioBody::new(header, pieces, is_whole, clip, permit, Arc::clone(app), caller.key);
    let mut response = Response::new(Body::new(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, format.content_type());
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::VARY, HeaderValue::from_static("accept"));
    headers.insert(HeaderName::from_static("x-audio-encoding"), HeaderValue::from_static("pcm_s16le"));
    headers.insert(HeaderName::from_static("x-tts-voice"), voice);
    headers.insert(HeaderName::from_static("x-tts-chars"), HeaderValue::from(chars));
    headers.insert(HeaderName::from_static("x-tts-language"), HeaderValue::from_static(language.code()));
    if let Ok(timing) = HeaderValue::from_str(&timing) {
        headers.insert(HeaderName::from_static("server-timing"), timing);
    }
    Ok(response)
}

/// What a clip costs: the characters of its text, and those by which the request's readings are longer than the words they
/// replace. The text is read for that, away from the runtime's threads.
async fn price(request: &SynthesisRequest, lexicon: &Arc<Lexicon>) -> Result<u32, ApiError> {
    let chars = request.chars();
    if !lexicon.has_own() {
        return Ok(chars as u32);
    }
    let settings = Settings { language: request.language, lexicon: Arc::clone(lexicon) };
    let text = request.text.trim().to_owned();
    let extra = tokio::task::spawn_blocking(move || extra_chars(&text, settings)).await;
    let extra = extra.map_err(|_| internal())?;
    let all = chars.saturating_add(extra as usize);
    if all > MAX_CHARGED_CHARS {
        let message = format!(
            "the text has {all} characters with its readings in place of the words they are for; the limit is \
             {MAX_CHARGED_CHARS}"
        );
        return Err(ApiError::new(ErrorCode::TextTooLong, message).with_param("lexicon"));
    }
    Ok(all as u32)
}
