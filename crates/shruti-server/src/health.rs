//! `GET /healthz` and `GET /readyz`: for those who keep the server running.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::header;

use crate::app::App;
use crate::failure::{Failure, draining};

pub(crate) fn routes() -> Router<Arc<App>> {
    Router::new().route("/healthz", get(alive)).route("/readyz", get(ready))
}

/// The process answers.
async fn alive() -> Response {
    status("{\"status\":\"ok\"}")
}

/// The server takes new work.
async fn ready(State(app): State<Arc<App>>) -> Response {
    if app.is_draining() {
        return Failure(draining()).into_response();
    }
    status("{\"status\":\"ready\"}")
}

fn status(json: &'static str) -> Response {
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], json).into_response()
}
