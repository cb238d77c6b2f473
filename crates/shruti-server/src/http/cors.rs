//! Cross-origin resource sharing (Fetch Standard, WHATWG): which pages a browser lets read an answer.
//!
//! A preflight carries no key, and an answer `401` has none that could be asked. So a page is let in here when **any**
//! valid key names its origin: that only lets it read answers, errors included. Whether the key or token of
//! the request itself is for this page is decided at sign-in, by `403 origin_not_allowed`. Credentials mode is not
//! offered: nothing here reads a cookie, and a page sends its token itself.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::Origin;

use super::{ErrorResponse, RequestOrigin};

const METHODS: HeaderValue = HeaderValue::from_static("POST");
/// What a page may send.
const REQUEST_HEADERS: HeaderValue =
    HeaderValue::from_static("authorization, content-type, accept, x-client-request-id");
/// What a page may read, beside what it always may.
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "x-request-id, x-client-request-id, x-tts-voice, x-tts-language, x-tts-chars, x-audio-encoding, server-timing, \
     retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset",
);
/// Seconds that a browser remembers a preflight; the request itself is judged each time.
const REMEMBERED: HeaderValue = HeaderValue::from_static("600");

/// What the browser is told about one request.
pub(crate) struct CorsDecision {
    /// Whether the path is shared at all.
    shared: bool,
    /// The request's own words for the page that may read the answer.
    reader: Option<HeaderValue>,
    /// The answer to a preflight.
    preflight: Option<Result<(), ApiError>>,
}

impl CorsDecision {
    /// Decides on a request for a path that is `shared` with pages of other origins, or is not. `is_allowed` says
    /// whether any
    /// key names an origin.
    pub(crate) async fn of(
        shared: bool,
        parts: &Parts,
        is_allowed: impl AsyncFnOnce(&Origin) -> Result<bool, ApiError>,
    ) -> Self {
        let page = RequestOrigin::of(parts);
        if !shared || matches!(page, RequestOrigin::Absent | RequestOrigin::Same) {
            return Self { shared, reader: None, preflight: None };
        }
        let allowed = match &page {
            RequestOrigin::Cross(origin) => is_allowed(origin).await,
            _ => Ok(false),
        };
        let may_read = matches!(allowed, Ok(true));
        let reader = parts.headers.get(header::ORIGIN).filter(|_| may_read).cloned();
        let is_preflight = parts.method == Method::OPTIONS
            && parts.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        let preflight = is_preflight.then(|| match allowed {
            Ok(true) => Ok(()),
            Ok(false) => {
                let message = "no key of this server allows pages of this origin";
                Err(ApiError::new(ErrorCode::OriginNotAllowed, message))
            }
            Err(error) => Err(error),
        });
        Self { shared, reader, preflight }
    }

    /// The answer to a preflight; `None` when the request is something else.
    pub(crate) fn preflight(&self) -> Option<Response> {
        if let Err(error) = self.preflight.clone()? {
            return Some(ErrorResponse(error).into_response());
        }
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, REMEMBERED);
        Some(response)
    }

    /// Tells the browser who may read an answer.
    pub(crate) fn write(self, headers: &mut HeaderMap) {
        if !self.shared {
            return;
        }
        // without it a cache could hand one page's answer to another
        headers.append(header::VARY, HeaderValue::from_static("origin"));
        if let Some(reader) = self.reader {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, reader);
            if self.preflight.is_none() {
                headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
            }
        }
    }
}
