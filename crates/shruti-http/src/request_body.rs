//! Request body reader with limits on size and time.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, header};
use http_body::Body as HttpBody;
use http_body_util::BodyExt;
use shruti_protocol::limits::MAX_BODY_BYTES;
use shruti_protocol::{ApiError, ErrorCode};
use tokio::time::timeout;

/// Maximum number of bytes of an unwanted body that are read and discarded before an error response is sent. Closing a
/// connection with unread bytes can destroy the response.
const UNWANTED_BYTES: usize = 1024 * 1024;
/// Maximum time for which an unwanted body is read and discarded.
const UNWANTED_FOR: Duration = Duration::from_secs(2);

/// Request body that a handler can read. A body that no handler reads is discarded at the end of the request.
pub struct RequestBody {
    body: Mutex<Option<Body>>,
    declared_bytes: Option<u64>,
}

impl RequestBody {
    /// Creates a body that has not been read.
    pub fn new<B>(body: B) -> Self
    where
        B: HttpBody<Data = Bytes, Error: Into<axum::BoxError>> + Send + 'static,
    {
        let declared_bytes = body.size_hint().exact();
        Self { body: Mutex::new(Some(Body::new(body))), declared_bytes }
    }

    /// Returns the whole body if it is at most 64 KiB and arrives before the timeout `within`.
    pub async fn read(&self, within: Duration) -> Result<Bytes, ApiError> {
        self.read_at_most(MAX_BODY_BYTES, within).await
    }

    /// Returns the whole body if it is at most `most` bytes and arrives before the timeout `within`.
    pub async fn read_at_most(&self, most: usize, within: Duration) -> Result<Bytes, ApiError> {
        let too_large =
            || ApiError::new(ErrorCode::BodyTooLarge, format!("the body is larger than {most} bytes"));
        if self.declared_bytes.is_some_and(|bytes| bytes > most as u64) {
            return Err(too_large());
        }
        let Some(mut body) = self.take() else { return Ok(Bytes::new()) };
        let result = timeout(within, collect(&mut body, most)).await;
        match result {
            Ok(Ok(Some(bytes))) => Ok(bytes),
            Ok(Ok(None)) => {
                self.put_back(body);
                Err(too_large())
            }
            Ok(Err(_)) => Err(ApiError::new(ErrorCode::InvalidJson, "the body is incomplete")),
            Err(_) => {
                let message = format!("the body did not arrive within {} seconds", within.as_secs());
                Err(ApiError::new(ErrorCode::RequestTimeout, message))
            }
        }
    }

    /// Reads and discards the rest of the body, within limits.
    pub async fn discard(&self) {
        let Some(mut body) = self.take() else { return };
        let read = async {
            let mut bytes = 0;
            while let Some(Ok(frame)) = body.frame().await {
                bytes += frame.data_ref().map_or(0, Bytes::len);
                if bytes > UNWANTED_BYTES {
                    return;
                }
            }
        };
        // the error response is sent even after a timeout
        let _ = timeout(UNWANTED_FOR, read).await;
    }

    fn take(&self) -> Option<Body> {
        self.body.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put_back(&self, body: Body) {
        *self.body.lock().unwrap_or_else(PoisonError::into_inner) = Some(body);
    }
}

/// Reads all bytes; returns `None` if there are more than `most`.
async fn collect(body: &mut Body, most: usize) -> Result<Option<Bytes>, axum::Error> {
    let mut collected = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame?;
        let Some(data) = frame.data_ref() else { continue };
        if collected.is_empty() && body.is_end_stream() && data.len() <= most {
            return Ok(Some(data.clone()));
        }
        if collected.len() + data.len() > most {
            return Ok(None);
        }
        collected.extend_from_slice(data);
    }
    Ok(Some(collected.into()))
}

/// Returns an error unless the headers declare JSON, under the conditions of [`require_media_type`].
pub fn require_json(headers: &HeaderMap) -> Result<(), ApiError> {
    require_media_type(headers, "application/json")
}

/// Returns an error unless the headers declare `media_type`, without a content encoding and without a charset other
/// than UTF-8.
pub fn require_media_type(headers: &HeaderMap, media_type: &str) -> Result<(), ApiError> {
    let refuse = |message: &str| Err(ApiError::new(ErrorCode::UnsupportedMediaType, message));
    let encoded = |value: &http::HeaderValue| !value.as_bytes().eq_ignore_ascii_case(b"identity");
    if headers.get_all(header::CONTENT_ENCODING).iter().any(encoded) {
        return refuse("the body must not have a content encoding");
    }
    let declared =
        headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut parts = declared.split(';').map(str::trim);
    if !parts.next().unwrap_or_default().eq_ignore_ascii_case(media_type) {
        return refuse(&format!("the content type must be {media_type}"));
    }
    let charset =
        parts.filter_map(|part| part.split_once('=')).find(|(name, _)| name.eq_ignore_ascii_case("charset"));
    match charset.map(|(_, value)| value.trim_matches('"').to_ascii_lowercase()) {
        Some(other) if other != "utf-8" && other != "utf8" => refuse("the charset must be utf-8"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_utf_8_json() {
        let accepted = |pairs: &[(http::HeaderName, &'static str)]| {
            let headers = pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect();
            require_json(&headers).is_ok()
        };
        for right in
            ["application/json", "Application/JSON; charset=UTF-8", "application/json;charset=\"utf-8\""]
        {
            assert!(accepted(&[(header::CONTENT_TYPE, right)]), "{right}");
        }
        for wrong in ["", "text/plain", "application/jsonp", "application/json; charset=utf-16"] {
            assert!(!accepted(&[(header::CONTENT_TYPE, wrong)]), "{wrong}");
        }
        assert!(!accepted(&[]));
        let json = (header::CONTENT_TYPE, "application/json");
        assert!(!accepted(&[json.clone(), (header::CONTENT_ENCODING, "gzip")]));
        assert!(accepted(&[json, (header::CONTENT_ENCODING, "identity")]));
    }
}
