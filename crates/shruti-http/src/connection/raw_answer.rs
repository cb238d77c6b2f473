//! Error responses that are written without an HTTP implementation.

use http::StatusCode;
use shruti_protocol::{ApiError, ErrorCode};

use crate::request_id::RequestId;

/// Callback for each error response that is sent before a request exists.
pub(super) type OnRefused = dyn Fn(ErrorCode) + Send + Sync;

/// Formats an error as an HTTP/1.1 response, and logs and reports it like any other error.
pub(super) fn raw_answer(error: ApiError, on_refused: &OnRefused) -> Vec<u8> {
    on_refused(error.code);
    let id = RequestId::new().to_string();
    tracing::debug!(%id, code = error.code.as_str(), "answered before there was a request");
    let status = StatusCode::from_u16(error.code.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let body = serde_json::to_string(&error.into_body(id.clone())).unwrap_or_default();
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         cache-control: no-store\r\nx-content-type-options: nosniff\r\n\
         x-request-id: {id}\r\nconnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}
