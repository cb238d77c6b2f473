//! `GET /metrics`: metrics of the server, only for the clients that the operator allows. By default, only the local
//! machine is allowed.

use std::sync::Arc;

use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, header};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::HostOwner;
use utoipa::IntoResponses;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::response::ResponseBuilder;

use shruti_service::app::App;
use shruti_service::http::errors::{internal, not_found};
use shruti_service::http::{ClientInfo, ErrorResponse, was_passed_on};
use shruti_service::openapi::Api;
use shruti_service::openapi::errors::{self, Answers};
use shruti_service::openapi::headers::{self, RequestHeaders};

/// Content type of the response.
const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(crate) fn routes() -> Api {
    Api::of("health").route(__path_metrics, get(metrics))
}

struct Text;

impl IntoResponses for Text {
    fn responses() -> Answers {
        let mut answers = errors::answers(&[ErrorCode::NotFound]);
        let answer = ResponseBuilder::new()
            .description("The metrics.")
            .content(CONTENT_TYPE, ContentBuilder::new().build());
        answers.insert("200".to_owned(), headers::with(answer, headers::ALWAYS).build().into());
        answers
    }
}

/// Read the metrics of the server.
///
/// The response is in the text format of `OpenMetrics`, for Prometheus. Only the local machine and the clients that
/// `--metrics-for` allows receive it; for all others the path does not exist.
#[utoipa::path(get, path = "/metrics", operation_id = "metrics", params(RequestHeaders), responses(Text))]
async fn metrics(
    State(app): State<Arc<App>>,
    Extension(client): Extension<ClientInfo>,
    Extension(owner): Extension<HostOwner>,
    given: HeaderMap,
) -> Response {
    // if a proxy that is not trusted forwarded the request, the client is unknown
    let is_hearsay = app.config.trusted_proxies.is_empty() && was_passed_on(&given);
    if is_hearsay || !app.config.metrics_for.include(client.address) {
        return ErrorResponse(not_found()).into_response();
    }
    if owner != HostOwner::Own {
        // protects against DNS rebinding: a web page in a browser on this machine can point its own host name at this
        // server
        let message = "metrics are not available for this host; use the IP address of the server, localhost, or a \
                       name that its operator set with --public-url or --allow-hosts";
        return ErrorResponse(ApiError::new(ErrorCode::NotFound, message)).into_response();
    }
    match app.metrics.text() {
        Ok(text) => ([(header::CONTENT_TYPE, CONTENT_TYPE), (header::CACHE_CONTROL, "no-store")], text)
            .into_response(),
        Err(error) => {
            tracing::error!(%error, "the metrics could not be encoded");
            ErrorResponse(internal()).into_response()
        }
    }
}
