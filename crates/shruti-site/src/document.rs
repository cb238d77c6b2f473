//! Static documents that do not change while the server runs: pages, scripts and style sheets.

use std::io::Write;

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, StatusCode, header};
use sha2::{Digest, Sha256};

/// `Cache-Control` for documents that a browser must revalidate before each use, because a new server version may have
/// changed them.
const ASK_AGAIN: &str = "no-cache";
/// `Cache-Control` for documents whose URL contains a hash of their content: cached for a year without revalidation.
const NEVER_CHANGES: &str = "public, max-age=31536000, immutable";

/// A document with an entity tag, so that a browser does not download it again.
pub(crate) struct Document {
    content_type: &'static str,
    body: Bytes,
    /// Body compressed with gzip, if that is shorter.
    gzip: Option<Bytes>,
    /// First 16 hexadecimal digits of the body's SHA-256.
    hash: String,
    cache_control: &'static str,
}

impl Document {
    pub(crate) fn new(content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let mut first = [0; 8];
        first.copy_from_slice(&Sha256::digest(&body)[..8]);
        let hash = format!("{:016x}", u64::from_be_bytes(first));
        // images and audio are already compressed
        let text = content_type.starts_with("text/")
            || content_type.contains("json")
            || content_type.contains("svg");
        let gzip = text.then(|| gzipped(&body)).flatten().filter(|gzip| gzip.len() < body.len());
        Self { content_type, gzip, hash, body, cache_control: ASK_AGAIN }
    }

    /// Marks the document as immutable. Its URL must change with its content.
    pub(crate) fn immutable(self) -> Self {
        Self { cache_control: NEVER_CHANGES, ..self }
    }

    /// Returns the content.
    #[cfg(test)]
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Returns the number of bytes that a browser with support for gzip downloads.
    #[cfg(test)]
    pub(crate) fn compressed_len(&self) -> usize {
        self.gzip.as_ref().unwrap_or(&self.body).len()
    }

    /// Returns the document, compressed if the client accepts gzip, or `304 Not Modified` if the client already has it.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response {
        let gzip = self.gzip.as_ref().filter(|_| takes_gzip(headers));
        let etag = format!("\"{}{}\"", self.hash, if gzip.is_some() { "-gzip" } else { "" });
        let fixed = [
            (header::ETAG, etag.as_str()),
            (header::CACHE_CONTROL, self.cache_control),
            (header::VARY, "accept-encoding"),
        ];
        let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let mut known = known.flat_map(|value| value.split(','));
        if known.any(|tag| tag.trim().trim_start_matches("W/") == etag) {
            return (StatusCode::NOT_MODIFIED, fixed).into_response();
        }
        let typed = [(header::CONTENT_TYPE, self.content_type)];
        match gzip {
            Some(gzip) => (fixed, typed, [(header::CONTENT_ENCODING, "gzip")], gzip.clone()).into_response(),
            None => (fixed, typed, self.body.clone()).into_response(),
        }
    }
}

fn gzipped(body: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

/// Returns whether a request accepts gzip (RFC 9110, §12.5.3).
fn takes_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let codings: Vec<(&str, bool)> = values
        .flat_map(|value| value.split(','))
        .map(|coding| {
            let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
            let weight = weight.trim().strip_prefix("q=").and_then(|weight| weight.trim().parse().ok());
            (name.trim(), weight.unwrap_or(1.0_f32) > 0.0)
        })
        .collect();
    let is_accepted = |wanted: &str| {
        codings.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|&(_, taken)| taken)
    };
    is_accepted("gzip").or_else(|| is_accepted("*")).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn asking(encoding: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::ACCEPT_ENCODING, HeaderValue::from_static(encoding))])
    }

    #[test]
    fn gzip_is_sent_to_clients_that_accept_it() {
        for (told, taken) in [
            ("gzip", true),
            ("br, GZIP;q=0.5", true),
            ("*", true),
            ("gzip;q=0", false),
            ("*, gzip;q=0", false),
            ("*;q=0", false),
            ("br", false),
            ("", false),
        ] {
            assert_eq!(takes_gzip(&asking(told)), taken, "{told}");
        }
        let document = Document::new("text/plain", "a".repeat(1_000));
        let tags = ["gzip", "br"].map(|encoding| {
            let answer = document.answer(&asking(encoding));
            assert_eq!(answer.headers().contains_key(header::CONTENT_ENCODING), encoding == "gzip");
            assert_eq!(answer.headers()[header::VARY], "accept-encoding");
            answer.headers()[header::ETAG].clone()
        });
        assert_ne!(tags[0], tags[1], "two bodies, two names");
        for (encoding, tag) in ["gzip", "br"].into_iter().zip(tags) {
            let mut headers = asking(encoding);
            headers.insert(header::IF_NONE_MATCH, tag);
            assert_eq!(document.answer(&headers).status(), StatusCode::NOT_MODIFIED, "{encoding}");
        }
        assert!(
            !Document::new("text/plain", "a")
                .answer(&asking("gzip"))
                .headers()
                .contains_key(header::CONTENT_ENCODING),
            "it would be longer"
        );
    }
}
