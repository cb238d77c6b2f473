//! The other end of a connection.

use std::net::IpAddr;

/// The other end of a connection: a client, or a proxy that speaks for one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    pub(crate) address: IpAddr,
    /// Whether the connection itself is encrypted.
    pub(crate) has_tls: bool,
}
