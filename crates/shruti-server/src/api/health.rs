//! `GET /healthz` and `GET /readyz`: for those who keep the server running.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header;
use serde::Serialize;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::StoreError;
use utoipa::{IntoResponses, ToSchema};

use crate::app::App;
use crate::failure::{Failure, draining};
use crate::openapi::errors::{self, Answers};
use crate::openapi::headers::RequestHeaders;
use crate::openapi::{Api, Found};

/// Whether the store can be read, as was found last.
#[derive(Debug, Default)]
pub(crate) struct StoreHealth {
    failures: AtomicU32,
}

impl StoreHealth {
    /// Of so many failures in a row one is logged: with a look every half second, one a minute.
    const LOGGED: u32 = 120;

    /// Takes note of a look at the store; what has changed is logged.
    pub(crate) fn note(&self, looked: &Result<(), StoreError>) {
        match looked {
            Ok(()) => {
                if self.failures.swap(0, Ordering::Relaxed) > 0 {
                    tracing::info!("the store can be read again; the server is ready");
                }
            }
            // more asks than it takes on, which says nothing about it
            Err(StoreError::Busy) => tracing::warn!("the store is too busy to tell what has changed"),
            Err(error) => {
                let failures = self.failures.fetch_add(1, Ordering::Relaxed);
                if failures.is_multiple_of(Self::LOGGED) {
                    tracing::error!(%error, "the store cannot be read; the server is not ready");
                }
            }
        }
    }

    fn is_well(&self) -> bool {
        self.failures.load(Ordering::Relaxed) == 0
    }
}

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

/// Whether the server takes new work: it is not shutting down, and its database can be read.
#[utoipa::path(
    get, path = "/readyz", operation_id = "ready", params(RequestHeaders),
    responses(Found<Status>, Unready)
)]
async fn ready(State(app): State<Arc<App>>) -> Response {
    if app.is_draining() {
        return Failure(draining()).into_response();
    }
    if !app.store_health.is_well() {
        let message = "the server's database cannot be read; its log says why and what to do";
        let error = ApiError::new(ErrorCode::Overloaded, message).with_retry_after_ms(1_000);
        return Failure(error).into_response();
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
