//! The networks that stand for a client.

use std::net::{IpAddr, Ipv6Addr};

/// Returns the address itself for IPv4, the /64 that one customer has for IPv6.
pub fn customer(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => prefix(address, 64),
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// Returns the /48 that one site has for IPv6, nothing for IPv4.
pub(crate) fn site(address: IpAddr) -> Option<IpAddr> {
    match address.to_canonical() {
        IpAddr::V6(address) => Some(prefix(address, 48)),
        IpAddr::V4(_) => None,
    }
}

fn prefix(address: Ipv6Addr, bits: u32) -> IpAddr {
    Ipv6Addr::from_bits(address.to_bits() & !(u128::MAX >> bits)).into()
}
