//! `GET /healthz` and `GET /readyz`: health checks for operators.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{Uri, header};
use serde::Serialize;
use shruti_engine::Engine;
use shruti_lang::Language;
use shruti_protocol::fields::invalid_field;
use shruti_protocol::{ApiError, ErrorCode};
use utoipa::{IntoResponses, ToSchema};

use shruti_service::app::App;
use shruti_service::http::ErrorResponse;
use shruti_service::http::errors::draining;
use shruti_service::openapi::errors::{self, Answers};
use shruti_service::openapi::headers::RequestHeaders;
use shruti_service::openapi::{Api, JsonResponse};

pub(crate) fn routes() -> Api {
    Api::of("health").route(__path_alive, get(alive)).route(__path_ready, get(ready))
}

/// Status of the server.
#[derive(Serialize, ToSchema)]
pub(crate) struct Status {
    /// `ok` or `ready`.
    status: &'static str,
}

/// Check that the process is alive.
#[utoipa::path(
    get, path = "/healthz", operation_id = "alive", params(RequestHeaders),
    responses(JsonResponse<Status>)
)]
async fn alive() -> Response {
    status("ok")
}

/// Check that the server accepts new work.
///
/// The server is ready if it is not shutting down and its database can be read. While a database that several servers
/// share is unavailable, each server stays ready as long as its cached keys are valid, because no other server would be
/// in a better state.
///
/// With `pack`, or `voice` and `language`, the server must also be able to synthesize speech with them. A load balancer
/// can use this to find suitable servers.
#[utoipa::path(
    get, path = "/readyz", operation_id = "ready",
    params(
        RequestHeaders,
        ("pack" = Option<String>, Query, example = "te-padmavathi",
            description = "Name of a voice pack that must be loaded and, if it runs on another server, must respond. \
                           May be repeated; then all packs are required."),
        ("voice" = Option<String>, Query, example = "Padmavathi", description = "Name of a voice that must be available."),
        ("language" = Option<String>, Query, example = "te",
            description = "Language that the voice must support; without `voice`, the default voice is checked."),
    ),
    responses(JsonResponse<Status>, Unready)
)]
async fn ready(State(app): State<Arc<App>>, uri: Uri) -> Response {
    let required = match RequiredVoices::of(uri.query().unwrap_or_default()) {
        Ok(required) => required,
        Err(error) => return ErrorResponse(error).into_response(),
    };
    if app.is_draining() {
        return ErrorResponse(draining()).into_response();
    }
    if !app.store_health.is_well() && !app.auth.is_trusted() {
        let message =
            "the server's database cannot be read; see the server's log for the reason and the remedy";
        return ErrorResponse(unready(message)).into_response();
    }
    match required.find(&app.engine) {
        Ok(()) => status("ready"),
        Err(missing) => ErrorResponse(unready(missing)).into_response(),
    }
}

fn unready(message: &str) -> ApiError {
    ApiError::new(ErrorCode::Overloaded, message).with_retry_after_ms(1_000)
}

/// Voice packs, voice and language that a server must provide to be ready; none by default.
#[derive(Debug, Default, PartialEq, Eq)]
struct RequiredVoices {
    packs: Vec<String>,
    voice: Option<String>,
    language: Option<Language>,
}

impl RequiredVoices {
    /// Parses the query. Unknown parameters are refused. Otherwise, a server would ignore a misspelled requirement and
    /// report that it is ready.
    fn of(query: &str) -> Result<Self, ApiError> {
        let mut required = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "pack" => required.packs.push(value.into_owned()),
                "voice" => required.voice = Some(value.into_owned()),
                "language" => {
                    let unknown =
                        |_| invalid_field("language", "language must be a code such as te".to_owned());
                    required.language = Some(value.parse().map_err(unknown)?);
                }
                _ => {
                    let message =
                        "unknown parameter in the query; expected pack, voice and language".to_owned();
                    return Err(invalid_field("query", message));
                }
            }
        }
        Ok(required)
    }

    /// Checks that the engine provides everything that is required. Otherwise, returns a message that names what is
    /// missing.
    fn find(&self, engine: &Engine) -> Result<(), &'static str> {
        const NOT_RESPONDING: &str = "the server of this voice does not respond";
        let backends = if self.packs.is_empty() { Vec::new() } else { engine.backends() };
        for pack in &self.packs {
            let found = backends.iter().find(|backend| backend.description.name == *pack);
            if !found.ok_or("this pack is not loaded on this server")?.is_usable {
                return Err(NOT_RESPONDING);
            }
        }
        if self.voice.is_none() && self.language.is_none() {
            return Ok(());
        }
        let voices = engine.voices();
        let voice = match &self.voice {
            Some(name) => voices.find(name).ok_or("this server does not have this voice")?,
            None => voices.default_voice(),
        };
        let is_meant = |language| self.language.is_none_or(|required| required == language);
        let languages = voices.languages_of(voice).filter(|given| is_meant(given.language));
        let spoken: Vec<bool> = languages.map(|given| given.is_usable).collect();
        match spoken.as_slice() {
            [] => Err("this voice does not support this language on this server"),
            usable if usable.contains(&true) => Ok(()),
            _ => Err(NOT_RESPONDING),
        }
    }
}

struct Unready;

impl IntoResponses for Unready {
    fn responses() -> Answers {
        errors::answers(&[ErrorCode::InvalidField, ErrorCode::Overloaded, ErrorCode::Draining])
    }
}

fn status(status: &'static str) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], Json(Status { status })).into_response()
}
