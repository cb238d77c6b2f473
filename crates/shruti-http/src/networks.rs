//! Lists of addresses, as an operator writes them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net};
use serde::Deserialize;

/// Addresses for which something holds; none by default.
///
/// Written as a list with commas: addresses, networks (`10.0.0.0/8`), and `loopback` for this machine's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Networks(Vec<IpNet>);

/// What is no list of networks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no address and no network; write 127.0.0.1, 10.0.0.0/8 or loopback, with commas between")]
pub struct NotNetworks(String);

impl Networks {
    /// This machine's own addresses.
    pub fn loopback() -> Self {
        Self(loopback().to_vec())
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether all addresses of some family are among them.
    pub fn include_everybody(&self) -> bool {
        self.0.iter().any(|network| network.prefix_len() == 0)
    }

    /// Whether an address is among them.
    pub fn include(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

impl FromStr for Networks {
    type Err = NotNetworks;

    fn from_str(list: &str) -> Result<Self, NotNetworks> {
        let mut networks = Vec::new();
        for item in list.split(',').map(str::trim) {
            if item == "loopback" {
                networks.extend(loopback());
                continue;
            }
            let address = item.parse::<IpAddr>().map(IpNet::from);
            networks.push(address.or_else(|_| item.parse()).map_err(|_| NotNetworks(item.to_owned()))?);
        }
        Ok(Self(networks))
    }
}

/// All addresses of this machine's own: `127.0.0.0/8` and `::1`.
fn loopback() -> [IpNet; 2] {
    [Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8).into(), IpAddr::from(Ipv6Addr::LOCALHOST).into()]
}

impl TryFrom<String> for Networks {
    type Error = NotNetworks;

    fn try_from(list: String) -> Result<Self, NotNetworks> {
        list.parse()
    }
}
