//! Validation of the host of a request, given in `Host` (RFC 9112, section 3.2) or as the authority of its target. The
//! host must be well-formed, and the server must accept requests for it.

use http::request::Parts;
use http::uri::Authority;
use http::{HeaderValue, Version, header};
use shruti_protocol::{ApiError, ErrorCode};

use super::Peer;
use super::hosts::{HostOwner, Hosts};

/// Returns the owner of the host that a request names. Returns an error for a malformed host and, without TLS, for a
/// host for which the server does not accept requests. Over HTTP/1.x, several `Host` headers are an error; over
/// HTTP/1.1, a missing `Host` header is an error too.
pub fn require(hosts: &Hosts, parts: &Parts) -> Result<HostOwner, ApiError> {
    if parts.version <= Version::HTTP_11 {
        require_one(parts)?;
    }
    // HTTP/2 has `:authority` and may also have `Host`; both must be valid
    let values = parts.headers.get_all(header::HOST).iter();
    let values = values.map(|host| authority(host).ok_or_else(|| refused(NO_HOST)));
    let named = parts.uri.authority().cloned().map(Ok).into_iter().chain(values);
    let owners = named.map(|authority| Ok(hosts.owner_of(authority?.host())));
    let owner = owners.collect::<Result<Vec<_>, ApiError>>()?.into_iter().max();
    // over TLS, every host counts as own, because a browser continues only if the certificate matches the name
    let has_tls = parts.extensions.get::<Peer>().is_some_and(|peer| peer.has_tls);
    match owner.filter(|_| !has_tls).unwrap_or(HostOwner::Own) {
        HostOwner::Foreign => Err(refused(FOREIGN)),
        owner => Ok(owner),
    }
}

const NO_HOST: &str = "the Host header is not a host name or an address with an optional port";
const FOREIGN: &str = "the request names a host that this server does not serve; use its IP address, localhost, \
                       or a name that its operator set with --public-url or --allow-hosts";

fn require_one(parts: &Parts) -> Result<(), ApiError> {
    let mut hosts = parts.headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if parts.version < Version::HTTP_11 => Ok(()),
        (None, _) => Err(refused("the request has no Host header; HTTP/1.1 needs one")),
        (Some(_), Some(_)) => Err(refused("the request has more than one Host header")),
        (Some(_), None) => Ok(()),
    }
}

fn refused(message: &str) -> ApiError {
    ApiError::new(ErrorCode::MalformedRequest, message).with_param("host")
}

fn authority(value: &HeaderValue) -> Option<Authority> {
    let text = value.to_str().ok()?;
    let authority = text.parse::<Authority>().ok()?;
    let rest = text.strip_prefix(authority.host())?;
    let is_port = |port: &str| port.is_empty() || port.parse::<u16>().is_ok();
    let is_whole = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
    (is_whole && !authority.host().is_empty()).then_some(authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner_of(version: Version, uri: &str, host: Option<&str>, has_tls: bool) -> Option<HostOwner> {
        let mut request = http::Request::builder().version(version).uri(uri);
        if let Some(host) = host {
            request = request.header(header::HOST, host);
        }
        let mut parts = request.body(()).unwrap().into_parts().0;
        parts.extensions.insert(Peer { address: [192, 0, 2, 1].into(), has_tls });
        let hosts = Hosts::new("speech.example".parse().unwrap(), ([0, 0, 0, 0], 80).into(), false);
        require(&hosts, &parts).ok()
    }

    #[test]
    fn all_hosts_of_a_request_must_be_own() {
        let own = Some(HostOwner::Own);
        for (version, uri, host, expected) in [
            (Version::HTTP_11, "/", Some("speech.example:8080"), own),
            (Version::HTTP_11, "/", Some("evil.example"), None),
            (Version::HTTP_11, "/", None, None),
            (Version::HTTP_10, "/", None, own),
            (Version::HTTP_10, "/", Some("evil.example"), None),
            (Version::HTTP_11, "http://evil.example/", Some("speech.example"), None),
            (Version::HTTP_11, "http://speech.example/", Some("evil.example"), None),
            (Version::HTTP_2, "http://speech.example/", None, own),
            (Version::HTTP_2, "http://evil.example:8080/", None, None),
            (Version::HTTP_2, "http://speech.example/", Some("evil.example"), None),
            (Version::HTTP_2, "/", Some("evil.example"), None),
            (Version::HTTP_2, "/", Some("speech.example, evil.example"), None),
        ] {
            assert_eq!(owner_of(version, uri, host, false), expected, "{version:?} {uri} {host:?}");
        }
        assert_eq!(
            owner_of(Version::HTTP_2, "https://a.example/", None, true),
            own,
            "its certificate says so"
        );
    }
}
