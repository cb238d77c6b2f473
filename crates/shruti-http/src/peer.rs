//! Remote end of a connection.

use std::net::IpAddr;

/// Remote end of a connection: a client, or a proxy.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Address of the peer; never an IPv4-mapped IPv6 address.
    pub address: IpAddr,
    /// Whether the connection itself is encrypted.
    pub has_tls: bool,
}
