//! Address of the server.

use http::Uri;
use http::uri::{PathAndQuery, Scheme};

use crate::Error;

/// Parsed base URL of a server.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) is_secure: bool,
    /// Prefix of each path, without a trailing slash; a proxy may serve the API under a prefix.
    prefix: String,
}

impl Endpoint {
    /// Parses `http://host[:port][/prefix]`; the schemes `https`, `ws` and `wss` are also accepted.
    pub(crate) fn parse(url: &str) -> Result<Self, Error> {
        let wrong = |what: &str| Error::Address { url: url.to_owned(), what: what.to_owned() };
        let uri: Uri = url.trim().parse().map_err(|_| wrong("write it as https://host:port"))?;
        let is_secure = match uri.scheme().map(Scheme::as_str) {
            Some("http" | "ws") => false,
            Some("https" | "wss") => true,
            _ => return Err(wrong("it must begin with http:// or https://")),
        };
        let authority = uri.authority().ok_or_else(|| wrong("it has no host"))?;
        if authority.as_str().contains('@') {
            return Err(wrong("it must not contain a key or password"));
        }
        if uri.query().is_some() {
            return Err(wrong("it must not contain a query"));
        }
        let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Self { host, port, is_secure, prefix: uri.path().trim_end_matches('/').to_owned() })
    }

    /// Returns the host and port of the server, as in a `Host` header.
    pub(crate) fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }

    /// Returns the HTTP URL of a path.
    pub(crate) fn uri(&self, path: &str) -> Result<Uri, Error> {
        self.with_scheme(if self.is_secure { "https" } else { "http" }, path)
    }

    /// Returns the WebSocket URL of a path.
    pub(crate) fn websocket_uri(&self, path: &str) -> Result<Uri, Error> {
        self.with_scheme(if self.is_secure { "wss" } else { "ws" }, path)
    }

    fn with_scheme(&self, scheme: &str, path: &str) -> Result<Uri, Error> {
        let full: Result<PathAndQuery, _> = format!("{}{path}", self.prefix).parse();
        let uri = full.map_err(http::Error::from).and_then(|full| {
            Uri::builder().scheme(scheme).authority(self.authority()).path_and_query(full).build()
        });
        uri.map_err(|error| Error::Address {
            url: format!("{}{path}", self.authority()),
            what: error.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_parsed_and_built() {
        let cases = [
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/tts", "ws://127.0.0.1:8080/v1/tts"),
            (
                "https://speech.example",
                "https://speech.example:443/v1/tts",
                "wss://speech.example:443/v1/tts",
            ),
            (
                "wss://a.example/speech/",
                "https://a.example:443/speech/v1/tts",
                "wss://a.example:443/speech/v1/tts",
            ),
            ("http://[::1]:9", "http://[::1]:9/v1/tts", "ws://[::1]:9/v1/tts"),
        ];
        for (url, http, websocket) in cases {
            let endpoint = Endpoint::parse(url).unwrap();
            assert_eq!(endpoint.uri("/v1/tts").unwrap().to_string(), http);
            assert_eq!(endpoint.websocket_uri("/v1/tts").unwrap().to_string(), websocket);
        }
    }

    #[test]
    fn invalid_addresses_get_specific_errors() {
        let cases = [
            ("localhost:8080", "must begin with http"),
            ("ftp://a", "must begin with http"),
            ("http://", "https://host:port"),
            ("http://sk_1@a", "a key or password"),
            ("http://a/?token=b", "a query"),
        ];
        for (url, what) in cases {
            let error = Endpoint::parse(url).unwrap_err().to_string();
            assert!(error.contains(what), "{url}: {error}");
        }
    }
}
