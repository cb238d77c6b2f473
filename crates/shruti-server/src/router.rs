//! What happens to every request, whatever its path: an id, a log line, contained panics, one form of error.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Router;
use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::FutureExt;
use http::{HeaderName, HeaderValue, Method, Request, StatusCode, Version, header};
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;
use shruti_protocol::ErrorCode;
use tower::ServiceExt;
use tracing::Instrument;

use crate::app::App;
use crate::connection::{Activity, Neighbour, RequestGuard};
use crate::cors::Sharing;
use crate::failure::{self, Failure};
use crate::forwarded::Via;
use crate::openapi::Api;
use crate::request_id::{RequestId, client_request_id};
use crate::upload::Upload;
use crate::{catalogue, docs, health, host, metrics, stream, studio, tokens, tts, usage};

/// All paths of the API, with their documentation.
pub(crate) fn api() -> Api {
    Api::default()
        .merge(tts::routes())
        .merge(stream::routes())
        .merge(tokens::routes())
        .merge(usage::routes())
        .merge(catalogue::routes())
        .merge(health::routes())
        .merge(metrics::routes())
        .merge(docs::routes())
}

pub(crate) fn router(app: Arc<App>) -> Router {
    let router = api().router.merge(studio::routes(&app));
    router.fallback(async || Failure(failure::not_found())).with_state(app)
}

/// Answers one request.
pub(crate) async fn serve(
    app: Arc<App>,
    router: Router,
    activity: Arc<Activity>,
    neighbour: Neighbour,
    request: Request<Incoming>,
) -> Response {
    let in_progress = activity.begin_request();
    let id = RequestId::new();
    let via = Via::of(&app.config.trusted_proxies, neighbour, request.headers());
    let span = tracing::info_span!("request", %id, client = %via.client);
    let response = answer(app, router, request, id, via).instrument(span).await;
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        activity.upgrade();
    }
    response.map(|body| Body::new(CountedBody { body, _in_progress: in_progress }))
}

async fn answer(
    app: Arc<App>,
    router: Router,
    request: Request<Incoming>,
    id: RequestId,
    via: Via,
) -> Response {
    let started = app.clock.now().monotonic;
    let (mut parts, body) = request.into_parts();
    let method = parts.method.clone();
    let path = loggable(parts.uri.path());
    let is_studio = studio::is_at(parts.uri.path());
    let client_id = client_request_id(&parts.headers);
    let one_request_at_a_time = parts.version < Version::HTTP_2;
    let waits_to_send = parts.headers.contains_key(header::EXPECT);
    let upload = Arc::new(Upload::new(body));
    parts.extensions.insert(Arc::clone(&upload));
    parts.extensions.insert(id);
    parts.extensions.insert(via);
    let sharing = Sharing::of(&app, &parts).await;

    let addressed = host::require(&parts);
    let handled = async {
        if let Err(error) = addressed {
            return Ok(Failure(error).into_response());
        }
        match sharing.preflight() {
            Some(answer) => Ok(answer),
            None => router.oneshot(Request::from_parts(parts, Body::empty())).await,
        }
    };
    let mut response = match AssertUnwindSafe(handled).catch_unwind().await {
        Ok(Ok(response)) => response,
        Ok(Err(never)) => match never {},
        Err(_panic) => {
            tracing::error!(%path, "a handler panicked");
            Failure(failure::internal()).into_response()
        }
    };
    let failed = failure::finish(&mut response, id);
    if failed.is_some() && one_request_at_a_time && !waits_to_send {
        upload.discard().await;
    }

    let headers = response.headers_mut();
    headers.insert(HeaderName::from_static("x-request-id"), id.header());
    if let Some(client_id) = client_id {
        headers.insert(HeaderName::from_static("x-client-request-id"), client_id);
    }
    sharing.write(headers);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if is_studio {
        studio::protect(headers, app.config.strict_transport);
    }
    // HTTP/2 knows no such header; there the connection is told by its own means
    let broken = matches!(failed, Some(ErrorCode::RequestTimeout | ErrorCode::BodyTooLarge));
    if one_request_at_a_time && (broken || app.is_draining()) {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    let took = app.clock.now().monotonic.saturating_sub(started);
    app.metrics.answered(path, response.status().as_u16());
    if let Some(code) = failed {
        app.metrics.failed(code);
    }
    log(&method, path, response.status(), failed, took.as_micros() as u64);
    response
}

fn log(method: &Method, path: &str, status: StatusCode, failed: Option<ErrorCode>, took_us: u64) {
    const METHODS: [Method; 5] = [Method::GET, Method::HEAD, Method::POST, Method::PATCH, Method::DELETE];
    let code = failed.map(ErrorCode::as_str);
    let status = status.as_u16();
    // other methods are the caller's own words
    let method = if METHODS.contains(method) { method.as_str() } else { "other" };
    match path {
        "/healthz" | "/readyz" | "/metrics" => {
            tracing::debug!(method, path, status, code, took_us, "answered");
        }
        _ => tracing::info!(method, path, status, code, took_us, "answered"),
    }
}

/// The path as it may be logged: one of ours, never what a caller made up, and no query: it may hold a token.
fn loggable(path: &str) -> &'static str {
    const PATHS: [&str; 21] = [
        "/",
        "/v1/tts",
        "/v1/tts/stream",
        "/v1/tokens",
        "/v1/usage",
        "/v1/languages",
        "/v1/voices",
        "/healthz",
        "/readyz",
        "/metrics",
        "/docs",
        "/docs/http",
        "/docs/websocket",
        "/docs/errors",
        "/docs/deploy",
        "/docs/operating",
        "/docs/security",
        "/docs/reference",
        "/docs/style.css",
        "/openapi.json",
        "/asyncapi.json",
    ];
    PATHS.into_iter().find(|&known| known == path).or_else(|| studio::loggable(path)).unwrap_or("other")
}

/// A response body that keeps its connection from counting as idle until it was sent or given up.
struct CountedBody {
    body: Body,
    _in_progress: RequestGuard,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
