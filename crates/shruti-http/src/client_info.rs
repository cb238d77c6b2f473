//! Client address and scheme, taken from the headers of trusted proxies.
//!
//! The server reads `X-Forwarded-For` and `X-Forwarded-Proto`. It does not read `Forwarded` (RFC 7239): a proxy that
//! writes one kind of header forwards the other kind unchanged, so a client can forge the other kind.

use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;

use crate::networks::Networks;
use crate::peer::Peer;

/// URL scheme of a client's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// `http` or `ws`.
    Http,
    /// `https` or `wss`.
    Https,
}

impl Scheme {
    /// Returns the name of the scheme.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// Address and scheme of the client that sent a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientInfo {
    /// Address of the client: the peer, or the address that trusted proxies report.
    pub address: IpAddr,
    /// Scheme that the client used; `None` if a proxy may have terminated TLS and no header names the scheme.
    pub scheme: Option<Scheme>,
}

impl ClientInfo {
    /// Returns the client address and scheme of a request, from its peer and headers. The headers are trusted only if
    /// the peer is one of the proxies.
    pub fn of(proxies: &Networks, peer: Peer, headers: &HeaderMap) -> Self {
        let own = peer.has_tls.then_some(Scheme::Https);
        if !proxies.include(peer.address) {
            // if proxies are configured, every other peer is a direct client
            let direct = (!proxies.is_empty()).then_some(Scheme::Http);
            return Self { address: peer.address, scheme: own.or(direct) };
        }
        // each proxy appends the address of its peer, so the list is read from its end; addresses before the last
        // untrusted one can be forged
        let mut client = peer.address;
        for hop in last_first(headers, "x-forwarded-for") {
            let Some(address) = address(hop) else { break };
            client = address;
            if !proxies.include(client) {
                break;
            }
        }
        let declared_scheme = last_first(headers, "x-forwarded-proto").next();
        let declared_scheme = declared_scheme.and_then(|scheme| match scheme.to_ascii_lowercase().as_str() {
            "http" | "ws" => Some(Scheme::Http),
            "https" | "wss" => Some(Scheme::Https),
            _ => None,
        });
        Self { address: client, scheme: declared_scheme.or(own) }
    }
}

/// Headers that indicate that a proxy forwarded the request, in addition to those whose names begin with
/// `x-forwarded-`.
const PASSED_ON: [&str; 7] = [
    "forwarded",
    "via",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "true-client-ip",
    "cf-connecting-ip",
];

/// Returns whether a header indicates that a proxy forwarded the request. If a proxy adds no such header, its requests
/// look like those of a direct client.
pub fn was_passed_on(headers: &HeaderMap) -> bool {
    let is_of_proxies = |name: &str| name.starts_with("x-forwarded-") || PASSED_ON.contains(&name);
    headers.keys().any(|name| is_of_proxies(name.as_str()))
}

/// Returns the items of a list header in reverse order. The list may be spread over several header lines.
fn last_first<'a>(headers: &'a HeaderMap, name: &'static str) -> impl Iterator<Item = &'a str> {
    let lines: Vec<&str> =
        headers.get_all(name).iter().map(|line| line.to_str().unwrap_or_default()).collect();
    lines.into_iter().rev().flat_map(|line| line.rsplit(',')).map(str::trim)
}

/// Parses an address with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse::<SocketAddr>().ok().map(|address| address.ip());
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    bare.parse::<IpAddr>().ok().or_else(with_port).map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use http::HeaderName;

    use super::*;

    fn via(proxies: &str, peer: &str, has_tls: bool, headers: &[(&'static str, &str)]) -> ClientInfo {
        let proxies = if proxies.is_empty() { Networks::default() } else { proxies.parse().unwrap() };
        let peer = Peer { address: peer.parse().unwrap(), has_tls };
        let headers = headers
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()))
            .collect();
        ClientInfo::of(&proxies, peer, &headers)
    }

    #[test]
    fn trusts_only_configured_proxies() {
        use Scheme::{Http, Https};
        // trusted proxies, peer, headers, expected client address, expected scheme
        type Case<'a> = (&'a str, &'a str, &'a [(&'static str, &'a str)], &'a str, Option<Scheme>);
        const FOR: &str = "x-forwarded-for";
        const PROTO: &str = "x-forwarded-proto";
        let forwarding = [(FOR, "192.0.2.1"), (PROTO, "https")];
        let cases: &[Case<'_>] = &[
            ("", "127.0.0.1", &forwarding, "127.0.0.1", None),
            ("loopback", "127.0.0.1", &forwarding, "192.0.2.1", Some(Https)),
            ("loopback", "127.9.9.9", &forwarding, "192.0.2.1", Some(Https)),
            ("loopback", "::1", &forwarding, "192.0.2.1", Some(Https)),
            ("loopback", "198.51.100.9", &forwarding, "198.51.100.9", Some(Http)),
            ("10.0.0.0/8", "127.0.0.1", &forwarding, "127.0.0.1", Some(Http)),
            ("10.0.0.0/8, ::1", "10.9.8.7", &forwarding, "192.0.2.1", Some(Https)),
            ("loopback", "127.0.0.1", &[], "127.0.0.1", None),
            ("loopback", "127.0.0.1", &[(PROTO, "HTTP")], "127.0.0.1", Some(Http)),
            ("loopback", "127.0.0.1", &[(PROTO, "gopher")], "127.0.0.1", None),
            ("loopback", "127.0.0.1", &[(PROTO, "https, http")], "127.0.0.1", Some(Http)),
            // the client forged the first address of the list
            ("loopback", "127.0.0.1", &[(FOR, "203.0.113.1, 192.0.2.1")], "192.0.2.1", None),
            ("loopback", "127.0.0.1", &[(FOR, "203.0.113.1"), (FOR, "192.0.2.1")], "192.0.2.1", None),
            ("loopback,10.0.0.0/8", "127.0.0.1", &[(FOR, "192.0.2.1, 10.1.1.1")], "192.0.2.1", None),
            ("loopback", "127.0.0.1", &[(FOR, "192.0.2.1, nonsense")], "127.0.0.1", None),
            ("loopback", "127.0.0.1", &[(FOR, "192.0.2.1:4711")], "192.0.2.1", None),
            ("loopback", "127.0.0.1", &[(FOR, "[2001:db8::1]:4711")], "2001:db8::1", None),
            ("loopback", "127.0.0.1", &[(FOR, "::ffff:192.0.2.1")], "192.0.2.1", None),
            ("loopback", "127.0.0.1", &[("forwarded", "for=192.0.2.1;proto=https")], "127.0.0.1", None),
        ];
        for &(proxies, peer, headers, client, scheme) in cases {
            let expected = ClientInfo { address: client.parse().unwrap(), scheme };
            assert_eq!(via(proxies, peer, false, headers), expected, "{proxies} {peer} {headers:?}");
        }
        assert_eq!(via("", "127.0.0.1", true, &forwarding).scheme, Some(Https));
        assert_eq!(via("loopback", "127.0.0.1", true, &[(PROTO, "http")]).scheme, Some(Http));
        assert_eq!(via("loopback", "127.0.0.1", true, &[]).scheme, Some(Https));
    }

    #[test]
    fn forwarding_headers_are_detected() {
        let with = |name: &'static str| {
            HeaderMap::from_iter([(HeaderName::from_static(name), "a".parse().unwrap())])
        };
        for name in
            ["forwarded", "via", "x-real-ip", "x-forwarded-for", "x-forwarded-host", "cf-connecting-ip"]
        {
            assert!(was_passed_on(&with(name)), "{name}");
        }
        for name in ["host", "origin", "x-studio"] {
            assert!(!was_passed_on(&with(name)), "{name}");
        }
    }

    #[test]
    fn rejects_invalid_networks() {
        for list in ["", "proxy.example", "10.0.0.0/33", "127.0.0.1,", "*"] {
            assert!(list.parse::<Networks>().is_err(), "{list}");
        }
    }
}
