//! The address of this server as a client knows it.

use std::sync::Arc;

use http::header;
use http::request::Parts;
use shruti_store::Origin;

use super::{ClientInfo, Scheme};

/// Scheme, host and port by which a request came, `https://tts.example`, so that answers can name pages of this server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerUrl(Arc<str>);

impl ServerUrl {
    /// That of a request; `None` where it names no host that could stand in a URL. Where a proxy may have ended TLS and
    /// does not say so, it is taken for plain HTTP.
    pub fn of(parts: &Parts, client: ClientInfo) -> Option<Self> {
        let authority = match parts.uri.authority() {
            Some(authority) => authority.as_str(),
            None => parts.headers.get(header::HOST)?.to_str().ok()?,
        };
        let scheme = client.scheme.unwrap_or(Scheme::Http).as_str();
        // an origin has neither a path nor a user, and only characters of a URL
        let origin = format!("{scheme}://{authority}").parse::<Origin>().ok()?;
        Some(Self(origin.as_str().into()))
    }

    /// The URL, without a slash at its end.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[test]
    fn it_is_what_the_request_names() {
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
