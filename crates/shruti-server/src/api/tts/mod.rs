//! `POST /v1/tts`: a text in, a clip out, streamed as it is made.

mod openapi;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::response::Response;
use axum::routing::post;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use shruti_protocol::limits::MAX_CHARGED_CHARS;
use shruti_protocol::{ApiError, ErrorCode, SynthesisRequest};
use shruti_store::Scope;
use shruti_text::{Lexicon, Settings, extra_chars};
use tokio::time::timeout;

use super::authorized::{Access, Authorized};
use crate::app::App;
use crate::auth::Credentials;
use crate::http::errors::{internal, overloaded};
use crate::http::{ErrorResponse, RequestBody, require_json};
use crate::metering::Charge;
use crate::metrics::SpokenBy;
use crate::openapi::Api;
use crate::openapi::headers::RequestHeaders;
use crate::synthesis::{self, AudioBody, Clip, Opening, Representation, SHORT_CHARS};

/// Pages of other origins may read what this path answers.
pub(crate) const PATH: &str = "/v1/tts";

pub(crate) fn routes() -> Api {
    Api::of("speech").route(__path_speak, post(speak))
}

/// Speak a text.
///
/// One request, one clip, streamed while it is made. Everything is checked before the first byte: a request gives an
/// error, or it gives audio. If the voice breaks after that, the connection is aborted and the clip does not end as
/// if it were whole. The same request always gives the same samples. `output_format`
/// chooses the format of the answer, or `Accept` where that is not given.
///
/// Pages of the origins that a key names may call it and read every answer, errors included (CORS); a page signs in
/// with a single-use token, never with a key. A request that fails leaves its token whole.
#[utoipa::path(
    post, path = "/v1/tts", operation_id = "speak", security(("key" = []), ("token" = [])),
    params(RequestHeaders), request_body = SynthesisRequest, responses(openapi::Answers)
)]
async fn speak(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ToSpeak>,
    Extension(body): Extension<Arc<RequestBody>>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    require_json(&headers)?;
    let accepted = Representation::negotiate(&headers);

    let body = body.read(app.config.timeouts.body).await?;
    let arrived = app.clock.now().monotonic;
    let request = SynthesisRequest::from_json(&body)?;
    let Representation { format, content_type } = match &request.output_format {
        Some(name) => synthesis::named_format(name)?.into(),
        None => accepted?,
    };
    let voice = synthesis::voice(&app.engine, request.voice.as_ref())?;
    let permit = app.streams.admit(&caller.key)?;
    let lexicon = synthesis::lexicon(&request.lexicon, &app.config.lexicon.current())?;
    let chars = price(&request, &lexicon).await?;
    let mut charge = Charge::new(Arc::clone(&app.metering), Arc::clone(&caller.key), true);
    charge.cover(chars).await?;
    let (engine, clock) = (Arc::clone(&app.engine), Arc::clone(&app.clock));
    let mut clip = Clip::begin(engine, clock, voice, &request, charge, lexicon);
    let opened = timeout(app.config.timeouts.first_audio, clip.open()).await;
    let mut opening = opened.map_err(|_| overloaded(Duration::from_secs(1)))??;
    let is_short = format.has_length() && chars <= SHORT_CHARS;
    let is_whole = is_short && clip.complete(&mut opening, app.config.timeouts.whole_clip).await?;
    let Opening { voice, language, pieces } = opening;
    // only now is it sure that there is something to pay for
    app.auth.spend_token(&caller).await?;
    let first_audio = app.clock.now().monotonic.saturating_sub(arrived);

    app.metrics.first_audio(SpokenBy::Clip, first_audio);
    let timing = format!("ttfa;dur={:.3}", first_audio.as_secs_f64() * 1_000.0);
    let ttfa_us = first_audio.as_micros() as u64;
    tracing::info!(chars, language = language.code(), ttfa_us, "speaking");

    let body = AudioBody::new(format.encoder(), pieces, is_whole, clip, permit, app, caller.key);
    let mut response = Response::new(Body::new(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::VARY, HeaderValue::from_static("accept"));
    headers.insert(HeaderName::from_static("x-audio-encoding"), HeaderValue::from_static(format.coding()));
    let voice = HeaderValue::from_bytes(voice.as_str().as_bytes());
    headers
        .insert(HeaderName::from_static("x-tts-voice"), voice.unwrap_or(HeaderValue::from_static("unknown")));
    headers.insert(HeaderName::from_static("x-tts-chars"), HeaderValue::from(chars));
    headers.insert(HeaderName::from_static("x-tts-language"), HeaderValue::from_static(language.code()));
    if let Ok(timing) = HeaderValue::from_str(&timing) {
        headers.insert(HeaderName::from_static("server-timing"), timing);
    }
    Ok(response)
}

/// A key, or a token that pays for one clip.
struct ToSpeak;

impl Access for ToSpeak {
    const SCOPE: Scope = Scope::Tts;
    const IS_NEW_WORK: bool = true;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::in_header(parts)
    }
}

/// What a clip costs: the characters of its text, and those by which the request's readings are longer than the words
/// they replace. The text is read for that, away from the runtime's threads.
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
