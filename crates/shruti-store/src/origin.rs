//! Origins of web pages: the `scheme://host[:port]` that browsers send in the `Origin` header (RFC 6454).
//!
//! The `url` crate is not used, because its parser repairs input that must be rejected: it drops users, paths, queries
//! and white space, accepts `*` and empty labels in a host, and normalises `0x7f.1` to `127.0.0.1`. It also has no
//! origin for `chrome-extension://abcdef`.

use std::fmt;
use std::str::FromStr;

/// Origin of a web page in the form that browsers use: lower case, without the default port of the scheme.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin(String);

/// Error returned for a string that is not a valid origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidOrigin {
    /// The scheme is missing or has an invalid character.
    #[error("must begin with a scheme, such as https://")]
    Scheme,
    /// A path, a query or a fragment follows the host and the port.
    #[error("must end with the host or the port, without a path or a trailing slash")]
    Path,
    /// The host is missing or has a character that browsers do not send.
    #[error(
        "must name a host in letters, digits, '-' and '.' (other letters as 'xn--...'; IPv6 in brackets)"
    )]
    Host,
    /// The port is not a number from 1 to 65535.
    #[error("must have a port from 1 to 65535, or none")]
    Port,
    /// The origin is longer than [`Origin::MAX_BYTES`].
    #[error("must have at most {} characters", Origin::MAX_BYTES)]
    TooLong,
}

impl Origin {
    /// Maximum length in bytes: the longest host name with a scheme and a port.
    pub const MAX_BYTES: usize = 300;

    /// Returns the origin as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the scheme, the host and the port. The port is `None` if the origin contains none, as for the default
    /// port.
    pub fn parts(&self) -> (&str, &str, Option<u16>) {
        // a parsed origin always has these parts
        let (scheme, authority) = self.0.split_once("://").unwrap_or_default();
        let (host, port) = split_port(authority);
        (scheme, host, port.and_then(|port| port.parse().ok()))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Origin {
    type Err = InvalidOrigin;

    fn from_str(text: &str) -> Result<Self, InvalidOrigin> {
        if text.len() > Self::MAX_BYTES {
            return Err(InvalidOrigin::TooLong);
        }
        let lower = text.to_ascii_lowercase();
        let (scheme, authority) = lower.split_once("://").ok_or(InvalidOrigin::Scheme)?;
        let of_scheme = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
        if !scheme.starts_with(|c: char| c.is_ascii_lowercase()) || !scheme.bytes().all(of_scheme) {
            return Err(InvalidOrigin::Scheme);
        }
        if authority.contains(['/', '?', '#']) {
            return Err(InvalidOrigin::Path);
        }
        let (host, port) = split_port(authority);
        if !is_host(host) {
            return Err(InvalidOrigin::Host);
        }
        let port = match port {
            None => None,
            Some(port) => Some(read_port(port).ok_or(InvalidOrigin::Port)?),
        };
        Ok(match port.filter(|&port| default_port(scheme) != Some(port)) {
            Some(port) => Self(format!("{scheme}://{host}:{port}")),
            None => Self(format!("{scheme}://{host}")),
        })
    }
}

/// Returns the default port of a scheme, which browsers omit.
fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

/// Splits `host[:port]`, where the host may be an IPv6 address in brackets.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    let after_brackets = authority.rfind(']').unwrap_or(0);
    match authority[after_brackets..].find(':') {
        Some(colon) => {
            let colon = after_brackets + colon;
            (&authority[..colon], Some(&authority[colon + 1..]))
        }
        None => (authority, None),
    }
}

fn is_host(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<std::net::Ipv6Addr>().is_ok();
    }
    let of_name = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
    !host.is_empty() && !host.starts_with('.') && !host.contains("..") && host.bytes().all(of_name)
}

fn read_port(port: &str) -> Option<u16> {
    let digits = port.bytes().all(|b| b.is_ascii_digit());
    port.parse().ok().filter(|&port: &u16| digits && port > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_have_the_format_of_browsers() {
        for (given, written, parts) in [
            ("https://a.example", "https://a.example", ("https", "a.example", None)),
            ("HTTPS://A.Example:443", "https://a.example", ("https", "a.example", None)),
            ("http://localhost:80", "http://localhost", ("http", "localhost", None)),
            ("http://localhost:3000", "http://localhost:3000", ("http", "localhost", Some(3000))),
            ("https://a.example:80", "https://a.example:80", ("https", "a.example", Some(80))),
            ("http://[::1]:8080", "http://[::1]:8080", ("http", "[::1]", Some(8080))),
            ("http://[::1]", "http://[::1]", ("http", "[::1]", None)),
            ("chrome-extension://abcdef", "chrome-extension://abcdef", ("chrome-extension", "abcdef", None)),
        ] {
            let origin: Origin = given.parse().unwrap_or_else(|error| panic!("{given}: {error}"));
            assert_eq!((origin.as_str(), origin.parts()), (written, parts));
            assert_eq!(written.parse(), Ok(origin), "it reads back");
        }
    }

    #[test]
    fn invalid_origins_get_specific_errors() {
        use InvalidOrigin::{Host, Path, Port, Scheme, TooLong};
        let long = format!("https://{}", "a".repeat(300));
        for (given, why) in [
            ("", Scheme),
            ("null", Scheme),
            ("*", Scheme),
            ("a.example", Scheme),
            ("://a.example", Scheme),
            ("1s://a.example", Scheme),
            ("ht tp://a.example", Scheme),
            ("https://a.example/", Path),
            ("https://a.example/page", Path),
            ("https://a.example?x", Path),
            ("https://", Host),
            ("https://:80", Host),
            ("https://*.a.example", Host),
            ("https://user@a.example", Host),
            ("https://ä.example", Host),
            ("https://a..example", Host),
            ("https://a b", Host),
            ("https://[::1", Host),
            ("https://[zz]", Host),
            ("https://a.example:", Port),
            ("https://a.example:0", Port),
            ("https://a.example:+80", Port),
            ("https://a.example:65536", Port),
            ("https://a.example:1:2", Port),
            (long.as_str(), TooLong),
        ] {
            assert_eq!(given.parse::<Origin>(), Err(why), "{given}");
        }
    }
}
