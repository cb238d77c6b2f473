//! `POST /v1/tts`: converts a text to a clip, streamed during synthesis. `timed` contains the variant with word
//! timestamps.

mod openapi;
mod timed;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Extension, State};
use axum::response::Response;
use axum::routing::post;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use shruti_audio::Format;
use shruti_lang::VoiceId;
use shruti_protocol::fields::{self, Fields};
use shruti_protocol::{ApiError, SynthesisRequest, unknown_fields};
use shruti_store::Scope;

use shruti_service::app::App;
use shruti_service::auth::Credentials;
use shruti_service::authorized::{Access, Authorized};
use shruti_service::http::{ErrorResponse, RequestBody, require_json};
use shruti_service::metrics::ApiKind;
use shruti_service::openapi::Api;
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::synthesis::{self, Representation, Spoken};

pub(crate) fn routes() -> Api {
    Api::of("speech")
        .route(__path_speak, post(speak))
        .route(timed::__path_speak_timed, post(timed::speak_timed))
}

/// Speak a text.
///
/// The response is a clip that is streamed during synthesis. Everything is checked before the first byte: the response
/// is either an error or audio. If synthesis fails after that, the connection is aborted, so that an incomplete clip
/// does not look complete. A voice that `GET /v1/voices` lists as `deterministic` always returns the same samples for
/// the same request. `output_format` selects the format of the response; without it, the `Accept` header does.
///
/// Pages of the origins that a key allows may call this endpoint and read every response, including errors (CORS). A
/// page authenticates with a single-use token, never with a key. A failed request does not use up its token.
#[utoipa::path(
    post, path = "/v1/tts", operation_id = "speak", security(("key" = []), ("token" = [])),
    params(RequestHeaders), request_body = SynthesisRequest, responses(openapi::Answers)
)]
async fn speak(
    State(app): State<Arc<App>>,
    Authorized { caller, .. }: Authorized<ClipAccess>,
    Extension(body): Extension<Arc<RequestBody>>,
    headers: HeaderMap,
) -> Result<Response, ErrorResponse> {
    let accepted = Representation::negotiate(&headers);
    let ParsedRequest { request, voice, warnings, arrived } =
        ParsedRequest::read(&app, &body, &headers).await?;
    let Representation { format, content_type } = match &request.output_format {
        Some(name) => synthesis::named_format(name)?.into(),
        None => accepted?,
    };
    let spoken =
        synthesis::speak_or_repeat(app, &caller, voice, &request, format, ApiKind::Clip, arrived).await?;
    Ok(respond(spoken, content_type, format, warnings))
}

/// A parsed request.
struct ParsedRequest {
    request: SynthesisRequest,
    /// Voice of the clip.
    voice: VoiceId,
    warnings: Option<HeaderValue>,
    /// Time at which the last byte of the body arrived.
    arrived: Duration,
}

impl ParsedRequest {
    async fn read(app: &App, body: &RequestBody, headers: &HeaderMap) -> Result<Self, ApiError> {
        require_json(headers)?;
        let body = body.read(app.config.timeouts.body).await?;
        let arrived = app.clock.now().monotonic;
        let fields = fields::object(&body, "the body")?;
        let request = SynthesisRequest::from_fields(&fields)?;
        let warnings = warnings(&fields);
        let voice = synthesis::voice(&app.engine, request.voice.as_ref())?;
        Ok(Self { request, voice, warnings, arrived })
    }
}

/// Returns the response that contains a clip.
fn respond(
    spoken: Spoken,
    content_type: HeaderValue,
    format: Format,
    warnings: Option<HeaderValue>,
) -> Response {
    let Spoken { body, voice, language, engine, chars, first_audio } = spoken;
    let timing = format!("ttfa;dur={:.3}", first_audio.as_secs_f64() * 1_000.0);
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
    if let Ok(engine) = HeaderValue::from_str(&engine) {
        headers.insert(HeaderName::from_static("x-tts-engine"), engine);
    }
    if let Some(warnings) = warnings {
        headers.insert(WARNING, warnings);
    }
    if let Ok(timing) = HeaderValue::from_str(&timing) {
        headers.insert(HeaderName::from_static("server-timing"), timing);
    }
    response
}

/// Header with warnings about a request that succeeded.
const WARNING: HeaderName = HeaderName::from_static("x-shruti-warning");

/// Returns the warnings of a request as a header value, or `None` if there are none. All characters except spaces and
/// visible ASCII are escaped, for example as `\u{924}`.
fn warnings(fields: &Fields) -> Option<HeaderValue> {
    let warnings = unknown_fields::warnings(fields, SynthesisRequest::FIELDS);
    if warnings.is_empty() {
        return None;
    }
    let text = warnings.join("; ");
    let is_visible = |c: char| c.is_ascii_graphic() || c == ' ';
    let escaped: String = text
        .chars()
        .map(|c| if is_visible(c) { c.to_string() } else { c.escape_unicode().to_string() })
        .collect();
    HeaderValue::from_str(&escaped).ok()
}

/// Access requirements of the paths for clips: an API key, or a token that is valid for one clip.
struct ClipAccess;

impl Access for ClipAccess {
    const SCOPE: Scope = Scope::Tts;
    const IS_NEW_WORK: bool = true;

    fn credentials(parts: &Parts) -> Result<Credentials<'_>, ApiError> {
        Credentials::in_header(parts)
    }
}
