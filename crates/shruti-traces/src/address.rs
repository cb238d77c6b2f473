//! Address of a trace collector.

use std::fmt;

use http::Uri;

/// Path of the traces endpoint, relative to the base address of a collector (OTLP).
const PATH: &str = "v1/traces";

/// URL to which spans are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectorUrl(String);

/// Error for a URL that is not a valid collector address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCollectorUrl {
    /// The text is not a URL with a host.
    #[error("must be a URL such as http://collector:4318")]
    NotAUrl,
    /// The scheme is neither HTTP nor HTTPS.
    #[error("must begin with https:// or http://")]
    Scheme,
    /// The URL contains a user or a password.
    #[error(
        "must not contain a user or a password; set them in the environment variable OTEL_EXPORTER_OTLP_HEADERS"
    )]
    Secret,
    /// The URL has a query or a fragment, which may contain secrets.
    #[error("must not contain ? or #; set secrets in the environment variable OTEL_EXPORTER_OTLP_HEADERS")]
    Query,
}

impl CollectorUrl {
    /// Returns the trace URL of a collector with the given base address, such as `http://collector:4318`.
    pub fn of_base(base: &str) -> Result<Self, InvalidCollectorUrl> {
        Self::exact(&format!("{}/{PATH}", base.trim_end_matches('/')))
    }

    /// Returns `url` as the trace URL, without appending a path.
    pub fn exact(url: &str) -> Result<Self, InvalidCollectorUrl> {
        // secrets are rejected first, so that the other errors never concern a URL with a secret and may be shown with
        // the URL
        if url.contains('@') {
            return Err(InvalidCollectorUrl::Secret);
        }
        if url.contains(['?', '#']) {
            return Err(InvalidCollectorUrl::Query);
        }
        let uri: Uri = url.parse().map_err(|_| InvalidCollectorUrl::NotAUrl)?;
        match (uri.scheme_str(), uri.host()) {
            (Some("http" | "https"), Some(host)) if !host.is_empty() => Ok(Self(url.to_owned())),
            (None | Some("http" | "https"), _) => Err(InvalidCollectorUrl::NotAUrl),
            (Some(_), _) => Err(InvalidCollectorUrl::Scheme),
        }
    }

    /// Returns the URL as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CollectorUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collector_has_an_address_without_secrets() {
        for base in ["http://collector:4318", "http://collector:4318/"] {
            assert_eq!(CollectorUrl::of_base(base).unwrap().as_str(), "http://collector:4318/v1/traces");
        }
        let below = CollectorUrl::of_base("https://otel.example/team").unwrap();
        assert_eq!(below.as_str(), "https://otel.example/team/v1/traces");
        for (url, wrong) in [
            ("https://user:secret@otel.example", InvalidCollectorUrl::Secret),
            ("https://otel.example?key=secret", InvalidCollectorUrl::Query),
            ("https://otel.example/#secret", InvalidCollectorUrl::Query),
            ("grpc://collector:4317", InvalidCollectorUrl::Scheme),
            ("collector:4318", InvalidCollectorUrl::NotAUrl),
            ("http://", InvalidCollectorUrl::NotAUrl),
            ("", InvalidCollectorUrl::NotAUrl),
        ] {
            assert_eq!(CollectorUrl::of_base(url), Err(wrong), "{url}");
        }
    }
}
