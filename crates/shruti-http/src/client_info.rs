//! What a proxy says about the client behind it, and whether it is believed.
//!
//! `X-Forwarded-For` and `X-Forwarded-Proto` are; `Forwarded` (RFC 7239) is not read: a proxy that writes one kind of
//! header passes the other on as the client made it up.

use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;

use crate::networks::Networks;
use crate::peer::Peer;

/// How a client addressed the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// `http` or `ws`.
    Http,
    /// `https` or `wss`.
    Https,
}

impl Scheme {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// Which way a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientInfo {
    /// The client, as far as it is known: the peer, or whom trusted proxies name.
    pub address: IpAddr,
    /// The scheme that the client used; `None` where a proxy may have ended TLS and nobody says so.
    pub scheme: Option<Scheme>,
}

impl ClientInfo {
    /// Of a request with these headers from a peer, who is believed where it is one of the proxies.
    pub fn of(proxies: &Networks, peer: Peer, headers: &HeaderMap) -> Self {
        let own = peer.has_tls.then_some(Scheme::Https);
        if !proxies.include(peer.address) {
            // where proxies are named, nobody else is one
            let direct = (!proxies.is_empty()).then_some(Scheme::Http);
            return Self { address: peer.address, scheme: own.or(direct) };
        }
        // each proxy adds the address it was called from; those before the first that is not trusted are hearsay
        let mut client = peer.address;
        for hop in last_first(headers, "x-forwarded-for") {
            let Some(address) = address(hop) else { break };
            client = address;
            if !proxies.include(client) {
                break;
            }
        }
        let told = last_first(headers, "x-forwarded-proto").next();
        let told = told.and_then(|scheme| match scheme.to_ascii_lowercase().as_str() {
            "http" | "ws" => Some(Scheme::Http),
            "https" | "wss" => Some(Scheme::Https),
            _ => None,
        });
        Self { address: client, scheme: told.or(own) }
    }
}

/// Headers by which proxies say that they passed a request on, beside those that begin with `x-forwarded-`.
const PASSED_ON: [&str; 7] = [
    "forwarded",
    "via",
    "x-real-ip",
    "x-client-ip",
    "x-cluster-client-ip",
    "true-client-ip",
    "cf-connecting-ip",
];

/// Whether a header shows that a proxy passed the request on. A proxy that adds none cannot be told from a client.
pub fn was_passed_on(headers: &HeaderMap) -> bool {
    let is_of_proxies = |name: &str| name.starts_with("x-forwarded-") || PASSED_ON.contains(&name);
    headers.keys().any(|name| is_of_proxies(name.as_str()))
}

/// The items of a list that may be spread over several header lines, from its end.
fn last_first<'a>(headers: &'a HeaderMap, name: &'static str) -> impl Iterator<Item = &'a str> {
    let lines: Vec<&str> =
        headers.get_all(name).iter().map(|line| line.to_str().unwrap_or_default()).collect();
    lines.into_iter().rev().flat_map(|line| line.rsplit(',')).map(str::trim)
}

/// An address, some write it with its port.
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
    fn a_proxy_is_believed_where_it_is_trusted_and_only_there() {
        use Scheme::{Http, Https};
        // whom the server trusts, who calls, with which headers: who the client is and what it used
        type Case<'a> = (&'a str, &'a str, &'a [(&'static str, &'a str)], &'a str, Option<Scheme>);
        const FOR: &str = "x-forwarded-for";
        const PROTO: &str = "x-forwarded-proto";
        let told = [(FOR, "192.0.2.1"), (PROTO, "https")];
        let cases: &[Case<'_>] = &[
            ("", "127.0.0.1", &told, "127.0.0.1", None),
            ("loopback", "127.0.0.1", &told, "192.0.2.1", Some(Https)),
            ("loopback", "127.9.9.9", &told, "192.0.2.1", Some(Https)),
            ("loopback", "::1", &told, "192.0.2.1", Some(Https)),
            ("loopback", "198.51.100.9", &told, "198.51.100.9", Some(Http)),
            ("10.0.0.0/8", "127.0.0.1", &told, "127.0.0.1", Some(Http)),
            ("10.0.0.0/8, ::1", "10.9.8.7", &told, "192.0.2.1", Some(Https)),
            ("loopback", "127.0.0.1", &[], "127.0.0.1", None),
            ("loopback", "127.0.0.1", &[(PROTO, "HTTP")], "127.0.0.1", Some(Http)),
            ("loopback", "127.0.0.1", &[(PROTO, "gopher")], "127.0.0.1", None),
            ("loopback", "127.0.0.1", &[(PROTO, "https, http")], "127.0.0.1", Some(Http)),
            // the client made the beginning up
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
        assert_eq!(via("", "127.0.0.1", true, &told).scheme, Some(Https));
        assert_eq!(via("loopback", "127.0.0.1", true, &[(PROTO, "http")]).scheme, Some(Http));
        assert_eq!(via("loopback", "127.0.0.1", true, &[]).scheme, Some(Https));
    }

    #[test]
    fn what_proxies_add_shows_that_they_passed_a_request_on() {
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
    fn what_is_no_proxy_is_said() {
        for list in ["", "proxy.example", "10.0.0.0/33", "127.0.0.1,", "*"] {
            assert!(list.parse::<Networks>().is_err(), "{list}");
        }
    }
}
