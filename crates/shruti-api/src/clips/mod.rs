//! `GET /v1/clips/{voice}/{language}`: a clip from a signed URL, for telephony platforms and web pages.

mod openapi;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use serde_json::{Map, Value};
use shruti_protocol::fields::invalid_field;
use shruti_protocol::{ApiError, ErrorCode, SynthesisRequest};
use shruti_store::Scope;

use shruti_service::app::App;
use shruti_service::auth::Caller;
use shruti_service::authorized::RateSlot;
use shruti_service::clips::url::{ClipUrl, MAX_CHARS, MAX_LIFE_S, SignedUrl, SigningSecret};
use shruti_service::http::ErrorResponse;
use shruti_service::http::errors::{draining, not_found};
use shruti_service::openapi::Api;
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::synthesis::{self, ClipRequest, Fetched, FetchedAnswer, Representation};

/// Default format of a clip whose URL does not specify one. Every player supports it.
const DEFAULT_FORMAT: &str = "mp3";
/// Value of `language` that requests automatic detection.
const AUTO_LANGUAGE: &str = "auto";

pub(crate) fn routes() -> Api {
    Api::of("speech").route(__path_clip, get(clip))
}

/// Play a clip from a signed URL.
///
/// This endpoint is for players that open a URL and send no headers, such as telephony platforms and `<audio src>`. The
/// URL is signed with a secret that is derived from an API key, by `shruti sign` or an SDK, and does not contain the
/// key. No part of the URL can be changed. It is valid until its expiry, as long as its key is valid. `language` is a
/// code of `GET /v1/languages`, or `auto`.
///
/// Any cache may store the response until the URL expires. A request may ask for a single byte range. A clip is charged
/// once per key and month, regardless of the number of plays, unless the operator charges each request.
#[utoipa::path(
    get,
    path = "/v1/clips/{voice}/{language}",
    operation_id = "clip",
    params(RequestHeaders, openapi::Parameters),
    responses(openapi::Answers)
)]
async fn clip(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answer(app, &parts).await.unwrap_or_else(|error| ErrorResponse(error).into_response())
}

async fn answer(app: Arc<App>, parts: &Parts) -> Result<Response, ApiError> {
    if !app.config.clips.has_urls {
        return Err(not_found());
    }
    if app.is_draining() {
        return Err(draining());
    }
    let arrived = app.clock.now().monotonic;
    let signed = SignedUrl::parse(parts.uri.path(), parts.uri.query().unwrap_or_default())?;
    let (caller, left_s) = authorize(&app, parts, &signed).await?;
    let (request, representation) = read(&signed.url)?;
    let Representation { format, content_type } = representation;
    let voice = synthesis::voice(&app.engine, request.voice.as_ref())?;
    let is_head = parts.method == Method::HEAD;
    let clip_request = ClipRequest { caller, voice, request, format, is_head, arrived };
    let fetched = synthesis::fetch(app, clip_request, &parts.headers).await?;
    Ok(respond(fetched, content_type, format.coding(), left_s))
}

/// Returns the caller that signed the URL and the remaining validity of the URL, in seconds. Errors about malformed
/// values are returned first. Errors about the state of the key or the expiry are returned only if the URL is signed
/// with that key.
async fn authorize(app: &App, parts: &Parts, signed: &SignedUrl) -> Result<(Caller, i64), ApiError> {
    let (key, expires_s) = (signed.key()?, signed.expires_s()?);
    let is_signed = |hash: &_| signed.is_signed_with(&SigningSecret::of(hash));
    let caller = app.auth.authenticate_signed(parts, &key, is_signed, Scope::Tts).await?;
    let now = app.clock.now();
    let left_s = expires_s - now.wall_ms / 1_000;
    if left_s <= 0 {
        return Err(ApiError::new(ErrorCode::ExpiredUrl, "the URL has expired; sign a new one"));
    }
    if left_s > MAX_LIFE_S {
        let message = format!("expires must be within {} days from now", MAX_LIFE_S / 86_400);
        return Err(invalid_field("expires", message));
    }
    let (status, allowed) = app.rates.take(&caller.key, now.monotonic);
    if let (Some(slot), Some(status)) = (parts.extensions.get::<RateSlot>(), status) {
        // a request is counted only once, so the slot is still empty
        let _ = slot.set(status);
    }
    allowed?;
    Ok((caller, left_s))
}

/// Converts a URL to a synthesis request and its representation. The checks are the same as for the body of `POST
/// /v1/tts`.
fn read(url: &ClipUrl) -> Result<(SynthesisRequest, Representation), ApiError> {
    let mut fields = Map::new();
    fields.insert("voice".to_owned(), url.voice.as_str().into());
    if url.language != AUTO_LANGUAGE {
        fields.insert("language".to_owned(), url.language.as_str().into());
    }
    for name in ["text", "clarity", "engine"] {
        fields.extend(url.parameter(name).map(|value| (name.to_owned(), Value::from(value))));
    }
    for (name, example) in [("speed", "1.2"), ("pitch", "-1.5")] {
        let Some(value) = url.parameter(name) else { continue };
        let is_plain = value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
        let number = value.parse::<f64>().ok().filter(|_| is_plain);
        let number = number
            .ok_or_else(|| invalid_field(name, format!("{name} must be a number, such as {example}")))?;
        fields.insert(name.to_owned(), number.into());
    }
    let request = SynthesisRequest::from_fields(&fields)?;
    let chars = request.chars();
    if chars > MAX_CHARS {
        let message = format!(
            "text has {chars} characters; the limit of a URL is {MAX_CHARS}. Use POST /v1/tts for longer texts"
        );
        return Err(ApiError::new(ErrorCode::TextTooLong, message).with_param("text"));
    }
    let format =
        synthesis::named_format(url.parameter("format").unwrap_or(DEFAULT_FORMAT)).map_err(|error| {
            let message = error.message.replacen("output_format", "format", 1);
            ApiError { message, ..error }.with_param("format")
        })?;
    Ok((request, format.into()))
}

fn respond(fetched: Fetched, content_type: HeaderValue, coding: &'static str, left_s: i64) -> Response {
    let Fetched { etag, facts, first_audio, answer } = fetched;
    let (status, body, length, range) = match answer {
        FetchedAnswer::NotModified => (StatusCode::NOT_MODIFIED, None, None, None),
        FetchedAnswer::Whole(body, length) => (StatusCode::OK, Some(body), length, None),
        FetchedAnswer::Part(body, first, last, of) => (
            StatusCode::PARTIAL_CONTENT,
            Some(body),
            Some(last - first + 1),
            Some(format!("bytes {first}-{last}/{of}")),
        ),
        FetchedAnswer::RangeNotSatisfiable(of) => {
            let message = format!("the clip has {of} bytes, and the range begins after its end");
            let mut response =
                ErrorResponse(ApiError::new(ErrorCode::RangeNotSatisfiable, message)).into_response();
            insert(response.headers_mut(), header::CONTENT_RANGE, &format!("bytes */{of}"));
            return response;
        }
    };
    let has_body = body.is_some();
    let mut response = Response::new(body.unwrap_or_default());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    insert(headers, header::CACHE_CONTROL, &format!("public, max-age={left_s}, immutable"));
    if let Some(etag) = etag {
        insert(headers, header::ETAG, &etag);
    }
    if !has_body {
        return response;
    }
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(HeaderName::from_static("x-audio-encoding"), HeaderValue::from_static(coding));
    if let Some(range) = range {
        insert(headers, header::CONTENT_RANGE, &range);
    }
    if let Some(length) = length {
        headers.insert(header::CONTENT_LENGTH, length.into());
    }
    if let Some(facts) = facts {
        insert(headers, HeaderName::from_static("x-tts-voice"), &facts.voice);
        insert(headers, HeaderName::from_static("x-tts-language"), &facts.language);
        insert(headers, HeaderName::from_static("x-tts-engine"), &facts.engine);
        headers.insert(HeaderName::from_static("x-tts-chars"), facts.chars.into());
    }
    if let Some(first_audio) = first_audio {
        let timing = format!("ttfa;dur={:.3}", first_audio.as_secs_f64() * 1_000.0);
        insert(headers, HeaderName::from_static("server-timing"), &timing);
    }
    response
}

/// Sets a header, unless the value contains characters that are not allowed in a header value.
fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
        headers.insert(name, value);
    }
}
