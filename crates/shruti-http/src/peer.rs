//! The other end of a connection.

use std::net::IpAddr;

/// The other end of a connection: a client, or a proxy that speaks for one.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Its address; never an IPv4 address written in IPv6.
    pub address: IpAddr,
    /// Whether the connection itself is encrypted.
    pub has_tls: bool,
}
