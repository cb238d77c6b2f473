//! Origin of the web page that sent a request.

use std::net::IpAddr;

use http::header;
use http::request::Parts;
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{KeyRecord, Origin};

use super::ClientInfo;
use super::hosts::HostOwner;

/// Origin of the page that sent a request, as reported by the browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestOrigin {
    /// No origin: the client is not a browser, or a page requested a resource of its own server.
    Absent,
    /// A page of this server.
    Same,
    /// A page of another origin.
    Cross(Origin),
    /// A page with an opaque origin (`null`: a file, a sandboxed frame), or an invalid header.
    Opaque,
}

impl RequestOrigin {
    /// Returns the origin of a request.
    ///
    /// A page is the server's own if its origin matches the scheme, host and port of the request. The scheme is not
    /// compared if it is unknown, because a proxy may have terminated TLS. The proxy must forward `Host` unchanged.
    /// Over plain HTTP, a host counts as the server's own only if the server's [names](super::Hosts) are configured,
    /// because a page can point its own host name at this server.
    pub fn of(parts: &Parts) -> Self {
        let mut values = parts.headers.get_all(header::ORIGIN).iter();
        let Some(origin) = values.next() else { return Self::Absent };
        let origin = origin.to_str().ok().filter(|_| values.next().is_none());
        let Some(origin) = origin.and_then(|origin| origin.parse::<Origin>().ok()) else {
            return Self::Opaque;
        };
        if is_own(&origin, parts) { Self::Same } else { Self::Cross(origin) }
    }

    /// Returns the error for a page that is not allowed. `subject` is the beginning of the message, such as "the API
    /// key does not".
    pub(crate) fn refused(&self, subject: &str) -> ApiError {
        let message = match self {
            Self::Cross(origin) => format!(
                "{subject} allow pages of {origin}; `shruti keys create --origin {origin}` creates a key that does",
                origin = origin.as_str()
            ),
            _ => format!(
                "{subject} allow pages without an origin, such as a file or a sandboxed frame; serve the page over \
                 HTTP, and allow its origin with `shruti keys create --origin ORIGIN`"
            ),
        };
        ApiError::new(ErrorCode::OriginNotAllowed, message)
    }

    /// Returns whether the key allows this page.
    pub(crate) fn may_use(&self, key: &KeyRecord) -> bool {
        match self {
            Self::Absent | Self::Same => true,
            Self::Cross(origin) => key.origins.contains(origin),
            Self::Opaque => false,
        }
    }
}

/// Returns whether the browser of a request stores `Secure` cookies (Secure Contexts, §3.1): its page was loaded over
/// HTTPS or from the browser's own machine. Returns `true` if the request has no valid origin.
pub fn keeps_secure_cookies(parts: &Parts) -> bool {
    let value = parts.headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let Some(origin) = value.and_then(|origin| origin.parse::<Origin>().ok()) else { return true };
    let (scheme, host, _) = origin.parts();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let own_machine =
        host == "localhost" || host.ends_with(".localhost") || address.is_ok_and(|it| it.is_loopback());
    scheme != "http" || own_machine
}

fn is_own(origin: &Origin, parts: &Parts) -> bool {
    let (scheme, _, _) = origin.parts();
    let authority = match parts.uri.authority() {
        Some(authority) => Some(authority.as_str()),
        None => parts.headers.get(header::HOST).and_then(|host| host.to_str().ok()),
    };
    let known = parts.extensions.get::<ClientInfo>().and_then(|via| via.scheme);
    if known.is_some_and(|known| known.as_str() != scheme) {
        return false;
    }
    let owner = parts.extensions.get::<HostOwner>();
    if scheme == "http" && owner == Some(&HostOwner::Unknown) {
        return false;
    }
    let own = authority.and_then(|authority| format!("{scheme}://{authority}").parse::<Origin>().ok());
    matches!(scheme, "http" | "https") && own.as_ref() == Some(origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(uri: &str, headers: &[(&str, &str)]) -> RequestOrigin {
        let mut request = http::Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        RequestOrigin::of(&request.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn plain_http_keeps_secure_cookies_only_on_localhost() {
        for (origin, keeps) in [
            ("http://localhost:8080", true),
            ("http://studio.localhost", true),
            ("http://127.0.0.1:8080", true),
            ("http://[::1]:8080", true),
            ("https://a.example", true),
            ("http://a.example", false),
            ("http://192.168.1.5:8080", false),
            ("http://localhost.example", false),
        ] {
            let request = http::Request::builder().header("origin", origin);
            assert_eq!(keeps_secure_cookies(&request.body(()).unwrap().into_parts().0), keeps, "{origin}");
        }
        assert!(keeps_secure_cookies(&http::Request::new(()).into_parts().0));
    }

    #[test]
    fn same_origin_pages_are_own() {
        for (origin, host) in [
            ("http://a.example", "a.example"),
            ("https://a.example", "a.example"),
            ("https://a.example", "A.Example:443"),
            ("http://localhost:8080", "localhost:8080"),
            ("http://[::1]:8080", "[::1]:8080"),
        ] {
            assert_eq!(
                page("/", &[("origin", origin), ("host", host)]),
                RequestOrigin::Same,
                "{origin} {host}"
            );
        }
        assert_eq!(
            page("https://a.example/v1/tts", &[("origin", "https://a.example")]),
            RequestOrigin::Same,
            "HTTP/2"
        );
        for (origin, host) in [
            ("https://a.example", "b.example"),
            ("https://a.example", "a.example:8443"),
            ("https://a.example:8443", "a.example"),
            ("http://a.example", "a.example:443"),
            ("https://a.example", "a.example.evil.example"),
            ("chrome-extension://a.example", "a.example"),
            ("https://a.example", "a.example/"),
            ("https://a.example", ""),
        ] {
            let expected = RequestOrigin::Cross(origin.parse().unwrap());
            assert_eq!(page("/", &[("origin", origin), ("host", host)]), expected, "{origin} {host}");
        }
    }

    #[test]
    fn compares_the_scheme_if_known() {
        use super::super::Scheme;
        for (origin, known, is_own) in [
            ("https://a.example", Some(Scheme::Https), true),
            ("http://a.example", Some(Scheme::Https), false),
            ("https://a.example", Some(Scheme::Http), false),
            ("http://a.example", Some(Scheme::Http), true),
            ("https://a.example", None, true),
            ("http://a.example", None, true),
        ] {
            let request = http::Request::builder().header("origin", origin).header("host", "a.example");
            let mut parts = request.body(()).unwrap().into_parts().0;
            parts.extensions.insert(ClientInfo { address: [192, 0, 2, 1].into(), scheme: known });
            assert_eq!(RequestOrigin::of(&parts) == RequestOrigin::Same, is_own, "{origin} {known:?}");
        }
    }

    #[test]
    fn unknown_host_over_plain_http_is_not_own() {
        for (origin, owner, is_own) in [
            ("http://a.example", HostOwner::Own, true),
            ("http://a.example", HostOwner::Unknown, false),
            ("https://a.example", HostOwner::Unknown, true),
        ] {
            let request = http::Request::builder().header("origin", origin).header("host", "a.example");
            let mut parts = request.body(()).unwrap().into_parts().0;
            parts.extensions.insert(owner);
            assert_eq!(RequestOrigin::of(&parts) == RequestOrigin::Same, is_own, "{origin} {owner:?}");
        }
    }

    #[test]
    fn opaque_origins_are_not_pages() {
        assert_eq!(page("/", &[("host", "a.example")]), RequestOrigin::Absent);
        for origin in ["null", "", "a.example", "https://a.example/", "https://a.example, https://b.example"]
        {
            assert_eq!(
                page("/", &[("origin", origin), ("host", "a.example")]),
                RequestOrigin::Opaque,
                "{origin}"
            );
        }
        let twice = [("origin", "https://a.example"), ("origin", "https://b.example")];
        assert_eq!(page("/", &twice), RequestOrigin::Opaque);
    }
}
