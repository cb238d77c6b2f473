//! Conversion of errors to responses: sets the status, headers and body of all failures.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use shruti_protocol::{ApiError, ErrorCode};

use super::errors::{internal, not_found};
use super::{RequestId, ServerUrl};

/// An [`ApiError`] as the response of a handler.
///
/// A handler knows neither the request ID nor the error format of its API. The response therefore contains the error as
/// an extension and an empty body until [`finish`] writes the body.
#[derive(Debug)]
pub struct ErrorResponse(pub ApiError);

impl From<ApiError> for ErrorResponse {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status_code(self.0.code.status());
        response.extensions_mut().insert(Pending(self.0));
        response
    }
}

#[derive(Clone)]
struct Pending(ApiError);

/// Extension that marks a response as an error page for browsers. Such a response is sent unchanged.
#[derive(Clone, Copy)]
pub struct ErrorPage(pub ErrorCode);

/// Error format of an API. The routes of an API name their format (`Api::errors_in`). All other routes use [`Native`].
pub trait ErrorDialect: Send + Sync + 'static {
    /// Returns the status of a code.
    fn status(&self, code: ErrorCode) -> u16;

    /// Returns the body, in JSON.
    fn body(&self, error: ApiError, id: RequestId) -> Vec<u8>;

    /// Adds the headers that only errors of this API have.
    fn headers(&self, _code: ErrorCode, _headers: &mut HeaderMap) {}
}

/// Error format of this server's own API.
pub struct Native;

impl ErrorDialect for Native {
    fn status(&self, code: ErrorCode) -> u16 {
        code.status()
    }

    fn body(&self, error: ApiError, id: RequestId) -> Vec<u8> {
        // serialisation of plain data cannot fail; if it did, the status would be sent without a body
        serde_json::to_vec(&error.into_body(id.to_string())).unwrap_or_default()
    }
}

fn status_code(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Writes the body and headers of a failed response and returns its error code. A successful response is left
/// unchanged, and `None` is returned.
pub fn finish(response: &mut Response, id: RequestId, server: Option<&ServerUrl>) -> Option<ErrorCode> {
    if let Some(ErrorPage(code)) = response.extensions_mut().remove() {
        return Some(code);
    }
    let pending = response.extensions_mut().remove::<Pending>();
    let dialect = response.extensions_mut().remove::<&'static dyn ErrorDialect>().unwrap_or(&Native);
    if pending.is_none() && !response.status().is_client_error() && !response.status().is_server_error() {
        return None;
    }
    let error = match pending {
        Some(Pending(error)) => error,
        None => from_framework(response.status()),
    };
    let error = error.with_docs_at(server.map(ServerUrl::as_str));
    let (code, retry_after_ms) = (error.code, error.retry_after_ms);
    let status = status_code(dialect.status(code));
    let body = dialect.body(error, id);

    *response.status_mut() = status;
    let headers = response.headers_mut();
    dialect.headers(code, headers);
    headers.remove(header::CONTENT_LENGTH);
    headers.remove(header::TRANSFER_ENCODING);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if status == StatusCode::UNAUTHORIZED {
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

/// Converts an error status of the framework to an API error.
fn from_framework(status: StatusCode) -> ApiError {
    match status {
        StatusCode::METHOD_NOT_ALLOWED => ApiError::new(
            ErrorCode::MethodNotAllowed,
            "this path does not support this method; see the Allow header",
        ),
        StatusCode::NOT_FOUND => not_found(),
        other => {
            tracing::error!(status = other.as_u16(), "a response has no error code of the API");
            internal()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Error format with its own status and body, like the formats of other vendors.
    struct Foreign;

    impl ErrorDialect for Foreign {
        fn status(&self, _code: ErrorCode) -> u16 {
            403
        }

        fn body(&self, error: ApiError, _id: RequestId) -> Vec<u8> {
            error.message.into_bytes()
        }
    }

    #[tokio::test]
    async fn errors_use_the_format_of_their_api() {
        let error = || ApiError::new(ErrorCode::InvalidApiKey, "no");
        let mut own = ErrorResponse(error()).into_response();
        assert_eq!(finish(&mut own, RequestId::new(), None), Some(ErrorCode::InvalidApiKey));
        assert_eq!(
            (own.status().as_u16(), own.headers()[header::WWW_AUTHENTICATE].as_bytes()),
            (401, &b"Bearer"[..])
        );

        let mut foreign = ErrorResponse(error()).into_response();
        foreign.extensions_mut().insert(&Foreign as &'static dyn ErrorDialect);
        assert_eq!(finish(&mut foreign, RequestId::new(), None), Some(ErrorCode::InvalidApiKey));
        assert_eq!((foreign.status().as_u16(), foreign.headers().get(header::WWW_AUTHENTICATE)), (403, None));
        let body = axum::body::to_bytes(foreign.into_body(), 100).await.unwrap();
        assert_eq!(body, "no");
    }
}
