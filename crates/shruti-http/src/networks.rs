//! Configurable lists of networks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net};
use serde::Deserialize;

/// List of addresses and networks; empty by default.
///
/// The text form is a comma-separated list of addresses, networks (`10.0.0.0/8`), and `loopback` for the loopback
/// addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Networks(Vec<IpNet>);

/// Error for text that is not a list of networks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not an address or a network; expected a comma-separated list such as 127.0.0.1, 10.0.0.0/8 or loopback"
)]
pub struct InvalidNetworks(String);

impl Networks {
    /// Returns the loopback networks.
    pub fn loopback() -> Self {
        Self(loopback().to_vec())
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a network of the list contains all addresses of an address family.
    pub fn include_all_addresses(&self) -> bool {
        self.0.iter().any(|network| network.prefix_len() == 0)
    }

    /// Returns whether the list contains an address.
    pub fn include(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

impl FromStr for Networks {
    type Err = InvalidNetworks;

    fn from_str(list: &str) -> Result<Self, InvalidNetworks> {
        let mut networks = Vec::new();
        for item in list.split(',').map(str::trim) {
            if item == "loopback" {
                networks.extend(loopback());
                continue;
            }
            let address = item.parse::<IpAddr>().map(IpNet::from);
            networks.push(address.or_else(|_| item.parse()).map_err(|_| InvalidNetworks(item.to_owned()))?);
        }
        Ok(Self(networks))
    }
}

/// Returns the loopback networks: `127.0.0.0/8` and `::1`.
fn loopback() -> [IpNet; 2] {
    [Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8).into(), IpAddr::from(Ipv6Addr::LOCALHOST).into()]
}

impl TryFrom<String> for Networks {
    type Error = InvalidNetworks;

    fn try_from(list: String) -> Result<Self, InvalidNetworks> {
        list.parse()
    }
}
