//! Cross-origin resource sharing (Fetch Standard, WHATWG): decides which pages may read a response.
//!
//! A preflight request has no key, and a response `401` belongs to no key whose origins could be checked. Therefore a
//! page is allowed here if **any** valid key lists its origin. This only lets the page read responses, including
//! errors. Authentication checks whether the key or token of the request itself allows the page, and otherwise returns
//! `403 origin_not_allowed`. Credentials mode is not supported: these paths read no cookies, and a page sends its token
//! explicitly.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use shruti_protocol::ApiError;
use shruti_store::Origin;
use utoipa::openapi::{PathItem, Paths};

use super::key_headers::KEY_HEADERS;
use super::{ErrorResponse, RequestOrigin};

/// Request headers that a page may send: the headers with keys, and a wildcard for all others, because the SDKs of
/// other services add custom headers. The wildcard does not include `authorization`, and browsers from before 2020 do
/// not support the wildcard.
static REQUEST_HEADERS: LazyLock<HeaderValue> = LazyLock::new(|| {
    let known =
        ["authorization", "content-type", "accept", "x-client-request-id", "if-match", "if-none-match"];
    header_list(known.into_iter().chain(KEY_HEADERS).chain(["*"]))
});
/// Response headers that a page may read in addition to the safelisted ones (Fetch Standard, 2.2.2).
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "x-request-id, x-client-request-id, x-tts-voice, x-tts-language, x-tts-engine, x-tts-chars, x-audio-encoding, \
     x-shruti-warning, server-timing, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, etag, x-should-retry, dg-error",
);
/// Time for which a browser caches a preflight response, in seconds. The actual requests are checked every time.
const REMEMBERED: HeaderValue = HeaderValue::from_static("600");

/// Paths whose responses may be read by pages of other origins, with the methods of each path.
pub struct SharedPaths(HashMap<String, HeaderValue>);

impl SharedPaths {
    /// Returns all documented paths with their methods.
    pub fn of(documented: &Paths) -> Self {
        let methods = |item: &PathItem| {
            let operations = [("GET", &item.get), ("POST", &item.post), ("PUT", &item.put)];
            header_list(
                operations.into_iter().filter(|(_, operation)| operation.is_some()).map(|(name, _)| name),
            )
        };
        Self(documented.paths.iter().map(|(path, item)| (path.clone(), methods(item))).collect())
    }

    /// Returns the methods of a path, given as the router's pattern; `None` for a path that is not shared.
    pub fn methods(&self, path: &str) -> Option<&HeaderValue> {
        self.0.get(path)
    }
}

/// Joins names into a header value.
fn header_list<'a>(names: impl Iterator<Item = &'a str>) -> HeaderValue {
    let list = names.collect::<Vec<_>>().join(", ");
    // names of methods and headers are plain ASCII, so this cannot fail
    HeaderValue::try_from(list).unwrap_or(HeaderValue::from_static(""))
}

/// CORS decision for one request.
pub struct CorsDecision {
    /// Methods of the path; `None` if the path is not shared with pages of other origins.
    shared: Option<&'static HeaderValue>,
    /// Value of the request's `Origin` header if pages of that origin may read the response.
    reader: Option<HeaderValue>,
    /// Result of a preflight request; `None` if the request is not a preflight.
    preflight: Option<Result<(), ApiError>>,
}

impl CorsDecision {
    /// Makes the decision for a request. `shared` contains the methods of the path if it is shared with pages of other
    /// origins; `is_allowed` returns whether any key lists an origin.
    pub async fn of(
        shared: Option<&'static HeaderValue>,
        parts: &Parts,
        is_allowed: impl AsyncFnOnce(&Origin) -> Result<bool, ApiError>,
    ) -> Self {
        let page = RequestOrigin::of(parts);
        if shared.is_none() || matches!(page, RequestOrigin::Absent | RequestOrigin::Same) {
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
            Ok(false) => Err(page.refused("the keys of this server do not")),
            Err(error) => Err(error),
        });
        Self { shared, reader, preflight }
    }

    /// Returns the response to a preflight request; `None` if the request is not a preflight.
    pub fn preflight(&self) -> Option<Response> {
        let methods = self.shared?;
        if let Err(error) = self.preflight.clone()? {
            return Some(ErrorResponse(error).into_response());
        }
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NO_CONTENT;
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods.clone());
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS.clone());
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, REMEMBERED);
        Some(response)
    }

    /// Writes the CORS headers of a response.
    pub fn write(self, headers: &mut HeaderMap) {
        if self.shared.is_none() {
            return;
        }
        // without `Vary`, a cache could return one page's response to another page
        headers.append(header::VARY, HeaderValue::from_static("origin"));
        if let Some(reader) = self.reader {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, reader);
            if self.preflight.is_none() {
                headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::headers;

    #[test]
    fn exposes_every_documented_header() {
        let exposed = EXPOSED_HEADERS.to_str().unwrap().to_owned();
        let exposed: Vec<&str> = exposed.split(", ").collect();
        for (name, _) in headers::all().filter(|(name, _)| !["WWW-Authenticate", "Upgrade"].contains(name)) {
            assert!(exposed.contains(&name.to_ascii_lowercase().as_str()), "{name}");
        }
    }
}
