//! Where a collector takes traces.

use std::fmt;

use http::Uri;

/// The path for traces below the address of a collector, as OTLP has it.
const PATH: &str = "v1/traces";

/// The URL to which spans are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectorUrl(String);

/// Why a URL is none of a collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCollectorUrl {
    /// It is no URL with a host.
    #[error("must be a URL such as http://collector:4318")]
    NoUrl,
    /// Neither HTTP nor HTTPS.
    #[error("must begin with https:// or http://")]
    Scheme,
    /// A user or a password stands in it.
    #[error("must hold no user and no password; OTEL_EXPORTER_OTLP_HEADERS in the environment is for them")]
    Secret,
    /// It has a query or a fragment, where secrets stand, too.
    #[error("must hold no ? and no #; OTEL_EXPORTER_OTLP_HEADERS in the environment is for secrets")]
    Query,
}

impl CollectorUrl {
    /// The traces' path of a collector at this address (`http://collector:4318`).
    pub fn of_base(base: &str) -> Result<Self, InvalidCollectorUrl> {
        Self::exact(&format!("{}/{PATH}", base.trim_end_matches('/')))
    }

    /// This URL as it is.
    pub fn exact(url: &str) -> Result<Self, InvalidCollectorUrl> {
        // whatever else is wrong with it, a URL with a secret is not shown
        if url.contains('@') {
            return Err(InvalidCollectorUrl::Secret);
        }
        if url.contains(['?', '#']) {
            return Err(InvalidCollectorUrl::Query);
        }
        let uri: Uri = url.parse().map_err(|_| InvalidCollectorUrl::NoUrl)?;
        match (uri.scheme_str(), uri.host()) {
            (Some("http" | "https"), Some(host)) if !host.is_empty() => Ok(Self(url.to_owned())),
            (None | Some("http" | "https"), _) => Err(InvalidCollectorUrl::NoUrl),
            (Some(_), _) => Err(InvalidCollectorUrl::Scheme),
        }
    }

    /// The URL.
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
            ("collector:4318", InvalidCollectorUrl::NoUrl),
            ("http://", InvalidCollectorUrl::NoUrl),
            ("", InvalidCollectorUrl::NoUrl),
        ] {
            assert_eq!(CollectorUrl::of_base(url), Err(wrong), "{url}");
        }
    }
}
