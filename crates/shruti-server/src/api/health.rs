//! `GET /healthz` and `GET /readyz`: for those who keep the server running.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header;
use serde::Serialize;
use shruti_protocol::{ApiError, ErrorCode};
use utoipa::{IntoResponses, ToSchema};

use crate::app::App;
use crate::http::ErrorResponse;
use crate::http::errors::draining;
use crate::openapi::errors::{self, Answers};
use crate::openapi::headers::RequestHeaders;
use crate::openapi::{Api, Found};

pub(crate) fn routes() -> Api {
    Api::of("health").route(__path_alive, get(alive)).route(__path_ready, get(ready))
}

/// How the server is.
#[derive(Serialize, ToSchema)]
pub(crate) struct Status {
    /// `ok` or `ready`.
    status: &'static str,
}

/// Whether the process answers.
#[utoipa::path(
    get, path = "/healthz", operation_id = "alive", params(RequestHeaders),
    responses(Found<Status>)
)]
async fn alive() -> Response {
    status("ok")
}

/// Whether the server takes new work: it is not shutting down, and its database can be read. While a database that
/// several servers share is away, each is ready as long as the keys that it knows go on: a balancer would find no other.
#[utoipa::path(
    get, path = "/readyz", operation_id = "ready", params(RequestHeaders),
    responses(Found<Status>, Unready)
)]
async fn ready(State(app): State<Arc<App>>) -> Response {
    if app.is_draining() {
        return ErrorResponse(draining()).into_response();
    }
    if !app.store_health.is_well() && !app.auth.is_trusted() {
        let message = "the server's database cannot be read; its log says why and what to do";
        let error = ApiError::new(ErrorCode::Overloaded, message).with_retry_after_ms(1_000);
        return ErrorResponse(error).into_response();
    }
    status("ready")
}

struct Unready;

impl IntoResponses for Unready {
    fn responses() -> Answers {
        errors::answers(&[ErrorCode::Overloaded, ErrorCode::Draining])
    }
}

fn status(status: &'static str) -> Response {
    ([(header::CACHE_CONTROL, "no-store")], Json(Status { status })).into_response()
}
