//! The `Host` of a request over HTTP/1.1 (RFC 9112, section 3.2): one, and such that a proxy before this server cannot
//! have read it as another.

use http::request::Parts;
use http::uri::Authority;
use http::{HeaderValue, Version, header};
use shruti_protocol::{ApiError, ErrorCode};

/// Refuses a request that names no host, several, or one that is none. HTTP/2 has its own way to name it.
pub(crate) fn require(parts: &Parts) -> Result<(), ApiError> {
    if parts.version > Version::HTTP_11 {
        return Ok(());
    }
    let refuse = |message: &str| Err(ApiError::new(ErrorCode::MalformedRequest, message).with_param("host"));
    let mut given = parts.headers.get_all(header::HOST).iter();
    match (given.next(), given.next()) {
        (None, _) if parts.version < Version::HTTP_11 => Ok(()),
        (None, _) => refuse("the request has no Host header; HTTP/1.1 needs one"),
        (Some(_), Some(_)) => refuse("the request has more than one Host header"),
        (Some(host), None) if is_host(host) => Ok(()),
        (Some(_), None) => refuse("the Host header is no host name or address, with a port or without"),
    }
}

fn is_host(value: &HeaderValue) -> bool {
    let Some(text) = value.to_str().ok() else { return false };
    let Ok(authority) = text.parse::<Authority>() else { return false };
    let port = text.strip_prefix(authority.host());
    let is_port = |port: &str| port.is_empty() || port.parse::<u16>().is_ok();
    !authority.host().is_empty()
        && port.is_some_and(|rest| rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port))
}
