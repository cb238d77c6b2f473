//! Router of all paths, and the processing that is common to all requests: IDs, logging, panics and error bodies.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue, Method, StatusCode, Version, header};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_service::app::App;
use shruti_service::authorized::RateSlot;
use shruti_service::http::Scheme;
use shruti_service::http::cors::CorsDecision;
use shruti_service::http::errors::{internal, not_found};
use shruti_service::http::{
    ClientInfo, ErrorResponse, Peer, RequestBody, RequestId, ServerUrl, client_request_id, finish, host,
    method_name,
};
use shruti_service::traces::Trace;
use tracing::Instrument;

use crate::routes;

/// Returns the router of all paths. Each request must have its [`Peer`] and its [`RequestBody`] in its extensions.
pub(crate) fn router(app: Arc<App>) -> Router {
    let router = routes::all().router.merge(shruti_site::studio_routes(&app));
    let router = router.fallback(async || ErrorResponse(not_found()));
    router.layer(from_fn_with_state(Arc::clone(&app), answer)).with_state(app)
}

/// Processes one request.
async fn answer(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let id = RequestId::new();
    let (Some(peer), Some(body)) = (
        request.extensions().get::<Peer>().copied(),
        request.extensions().get::<Arc<RequestBody>>().cloned(),
    ) else {
        tracing::error!("a request without a connection");
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let client = ClientInfo::of(&app.config.trusted_proxies, peer, request.headers());
    request.extensions_mut().insert(id);
    request.extensions_mut().insert(client);
    let span =
        tracing::info_span!("request", %id, client = %client.address, trace_id = tracing::field::Empty);
    let mut trace = None;
    if let Some(traces) = &app.traces {
        let origin = traces.request(id, request.headers(), !is_routine(request.uri().path()));
        trace = origin.trace().map(Arc::clone);
        request.extensions_mut().insert(origin);
    }
    if let Some(trace) = &trace {
        span.record("trace_id", tracing::field::display(trace.id()));
    }
    answer_as(app, id, client, trace, body, request, next).instrument(span).await
}

async fn answer_as(
    app: Arc<App>,
    id: RequestId,
    client: ClientInfo,
    trace: Option<Arc<Trace>>,
    body: Arc<RequestBody>,
    mut request: Request,
    next: Next,
) -> Response {
    let started = app.clock.now().monotonic;
    let rate = RateSlot::default();
    request.extensions_mut().insert(Arc::clone(&rate));
    let method = request.method().clone();
    // the route pattern is used, because it contains no text from the caller and no query; a query may contain a token
    let path = request.extensions().get::<MatchedPath>().cloned();
    let path = path.as_ref().map_or("other", MatchedPath::as_str);
    let is_studio = shruti_site::is_studio(request.uri().path());
    let client_id = client_request_id(request.headers());
    let version = request.version();
    if let Some(trace) = &trace {
        trace.asked(&method, path, version, client.scheme.map(Scheme::as_str));
    }
    let one_request_at_a_time = version < Version::HTTP_2;
    let waits_to_send = request.headers().contains_key(header::EXPECT);
    let wants_socket = request.headers().get(header::UPGRADE).is_some_and(|to| to == "websocket");
    let (mut parts, unused) = request.into_parts();
    let server = ServerUrl::of(&parts, client);
    if let Some(server) = &server {
        parts.extensions.insert(server.clone());
    }
    let addressed = host::require(&app.config.hosts, &parts);
    if let Ok(standing) = addressed {
        parts.extensions.insert(standing);
    }
    let cors = CorsDecision::of(routes::shared_methods(path), &parts, async |origin| {
        app.auth.is_origin_allowed(origin).await
    })
    .await;

    let handled = async {
        if let Err(error) = addressed {
            return ErrorResponse(error).into_response();
        }
        match cors.preflight() {
            Some(answer) => answer,
            None => next.run(Request::from_parts(parts, unused)).await,
        }
    };
    let mut response = AssertUnwindSafe(handled).catch_unwind().await.unwrap_or_else(|_panic| {
        tracing::error!(%path, "a handler panicked");
        ErrorResponse(internal()).into_response()
    });
    if wants_socket && response.status() == StatusCode::METHOD_NOT_ALLOWED {
        let allow = response.headers_mut().remove(header::ALLOW);
        response = ErrorResponse(not_a_socket()).into_response();
        response.headers_mut().extend(allow.map(|allow| (header::ALLOW, allow)));
    }
    let failed = finish(&mut response, id, server.as_ref());
    if failed.is_some() && one_request_at_a_time && !waits_to_send {
        body.discard().await;
    }

    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static("x-request-id"), id.header());
    if let Some(client_id) = client_id {
        headers.insert(HeaderName::from_static("x-client-request-id"), client_id);
    }
    if let Some(rate) = rate.get() {
        rate.write(headers);
    }
    cors.write(headers);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if is_studio {
        shruti_site::protect_studio(headers, app.config.strict_transport);
    }
    // HTTP/2 has no `Connection` header and closes connections by other means
    let broken = matches!(failed, Some(ErrorCode::RequestTimeout | ErrorCode::BodyTooLarge));
    if one_request_at_a_time && (broken || app.is_draining()) {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    let took = app.clock.now().monotonic.saturating_sub(started);
    app.metrics.answered(path, response.status().as_u16());
    if let Some(code) = failed {
        app.metrics.failed(code);
    }
    if let Some(trace) = trace {
        trace.answered(response.status(), failed);
    }
    log(&method, path, response.status(), failed, took.as_micros() as u64);
    response
}

/// Returns the error for a WebSocket client at a path that supports only plain HTTP.
fn not_a_socket() -> ApiError {
    let message = "this path does not support WebSocket; conversations are at /v1/tts/stream";
    ApiError::new(ErrorCode::MethodNotAllowed, message)
}

fn log(method: &Method, path: &str, status: StatusCode, failed: Option<ErrorCode>, took_us: u64) {
    let code = failed.map(ErrorCode::as_str);
    let is_fault = status.is_server_error() && !is_routine(path);
    let status = status.as_u16();
    let method = method_name(method);
    if is_fault {
        tracing::info!(method, path, status, code, took_us, "answered");
    } else {
        tracing::debug!(method, path, status, code, took_us, "answered");
    }
}

/// Returns whether monitoring systems poll a path regularly.
fn is_routine(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/metrics")
}
