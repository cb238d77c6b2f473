//! Documents that never change while the server runs: pages, scripts, styles.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};

/// A document, with a name for its content so that a browser that has it need not load it again.
pub(crate) struct Document {
    content_type: &'static str,
    body: Bytes,
    etag: String,
}

impl Document {
    pub(crate) fn new(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        Self { content_type, etag: format!("\"{:016x}\"", hasher.finish()), body }
    }

    /// The whole document, or that it is the one that the request names.
    pub(crate) fn answer(&self, asked: &HeaderMap) -> Response {
        let fixed = [
            (header::ETAG, self.etag.as_str()),
            // kept, and asked for again each time: a new server may say something new
            (header::CACHE_CONTROL, "no-cache"),
        ];
        let known = asked.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let mut known = known.flat_map(|value| value.split(','));
        if known.any(|tag| tag.trim().trim_start_matches("W/") == self.etag) {
            return (StatusCode::NOT_MODIFIED, fixed).into_response();
        }
        (fixed, [(header::CONTENT_TYPE, self.content_type)], self.body.clone()).into_response()
    }
}
