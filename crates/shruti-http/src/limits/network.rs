//! Networks that count as one client.

use std::net::{IpAddr, Ipv6Addr};

/// Returns the network of one customer: an IPv4 address itself, or the /64 of an IPv6 address.
pub fn customer(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => prefix(address, 64),
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// Returns the network of one site: the /48 of an IPv6 address; `None` for IPv4.
pub(crate) fn site(address: IpAddr) -> Option<IpAddr> {
    match address.to_canonical() {
        IpAddr::V6(address) => Some(prefix(address, 48)),
        IpAddr::V4(_) => None,
    }
}

fn prefix(address: Ipv6Addr, bits: u32) -> IpAddr {
    Ipv6Addr::from_bits(address.to_bits() & !(u128::MAX >> bits)).into()
}
