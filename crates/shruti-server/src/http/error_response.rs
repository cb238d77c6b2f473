//! From an error to its answer: the one place where failures get status, headers and body.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use shruti_protocol::{ApiError, ErrorCode};

use crate::request_id::RequestId;

/// An [`ApiError`] on its way out of a handler.
///
/// A handler does not know the request's id, so the response carries the error beside an empty body until
/// [`finish`] writes it.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) ApiError);

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status(self.0.code);
        response.extensions_mut().insert(Pending(self.0));
        response
    }
}

#[derive(Clone)]
struct Pending(ApiError);

fn status(code: ErrorCode) -> StatusCode {
    StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Gives a failed response its body and headers, whoever made it; a successful one passes. Returns the code.
pub(crate) fn finish(response: &mut Response, id: RequestId) -> Option<ErrorCode> {
    let pending = response.extensions_mut().remove::<Pending>();
    if pending.is_none() && !response.status().is_client_error() && !response.status().is_server_error() {
        return None;
    }
    let error = match pending {
        Some(Pending(error)) => error,
        None => from_framework(response.status()),
    };
    let code = error.code;
    let retry_after_ms = error.retry_after_ms;
    // the body is plain data; were it not serialisable, the status alone would have to do
    let body = serde_json::to_vec(&error.into_body(id.to_string())).unwrap_or_default();

    *response.status_mut() = status(code);
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.remove(header::TRANSFER_ENCODING);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if code.status() == 401 {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(milliseconds) = retry_after_ms {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(milliseconds.div_ceil(1_000).max(1)));
    }
    if code == ErrorCode::WebsocketRequired {
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    }
    *response.body_mut() = Body::from(body);
    Some(code)
}

/// What the framework refused by itself, in the contract's terms.
fn from_framework(status: StatusCode) -> ApiError {
    match status {
        StatusCode::METHOD_NOT_ALLOWED => ApiError::new(
            ErrorCode::MethodNotAllowed,
            "this path does not take this method; see the Allow header",
        ),
        StatusCode::NOT_FOUND => not_found(),
        other => {
            tracing::error!(status = other.as_u16(), "an answer without a code of the contract");
            internal()
        }
    }
}

pub(crate) fn not_found() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "nothing lives at this path; speech is at POST /v1/tts")
}

pub(crate) fn internal() -> ApiError {
    ApiError::new(ErrorCode::Internal, "something broke inside the server; try again")
}

pub(crate) fn draining() -> ApiError {
    ApiError::new(ErrorCode::Draining, "the server is shutting down and takes no new work")
        .with_retry_after_ms(5_000)
}
