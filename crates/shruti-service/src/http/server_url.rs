//! Base URL of this server as its clients see it.

use std::sync::Arc;

use http::header;
use http::request::Parts;
use shruti_store::Origin;

use super::{ClientInfo, Scheme};

/// Scheme, host and port of a request, such as `https://tts.example`, used for links to pages of this server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerUrl(Arc<str>);

impl ServerUrl {
    /// Returns the base URL of a request, or `None` if it has no host that is valid in a URL. If the scheme is unknown,
    /// because a proxy may have terminated TLS, `http` is used.
    pub fn of(parts: &Parts, client: ClientInfo) -> Option<Self> {
        let authority = match parts.uri.authority() {
            Some(authority) => authority.as_str(),
            None => parts.headers.get(header::HOST)?.to_str().ok()?,
        };
        let scheme = client.scheme.unwrap_or(Scheme::Http).as_str();
        // an origin has neither a path nor a user, and contains only characters that are valid in a URL
        let origin = format!("{scheme}://{authority}").parse::<Origin>().ok()?;
        Some(Self(origin.as_str().into()))
    }

    /// Returns the URL without a trailing slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn server_url_matches_the_request() {
        for (scheme, host, expected) in [
            (Some(Scheme::Http), "localhost:8080", Some("http://localhost:8080")),
            (Some(Scheme::Https), "tts.example", Some("https://tts.example")),
            (None, "127.0.0.1:8080", Some("http://127.0.0.1:8080")),
            (None, "a.example/path", None),
            (None, "user@a.example", None),
            (None, "\"><script>", None),
            (None, "", None),
        ] {
            let request = http::Request::builder().uri("/v1/tts").header("host", host).body(()).unwrap();
            let client = ClientInfo { address: Ipv4Addr::LOCALHOST.into(), scheme };
            let url = ServerUrl::of(&request.into_parts().0, client);
            assert_eq!(url.as_ref().map(ServerUrl::as_str), expected, "{host}");
        }
    }
}
