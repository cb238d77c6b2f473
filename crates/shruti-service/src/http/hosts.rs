//! Host names of the server.
//!
//! A web page can point its own DNS name at this server after the page has loaded (DNS rebinding). The browser then
//! treats the server as the page's own origin, and the page can read its responses. Such a request has the page's name
//! as its host, so the server accepts only requests for its own names.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use serde::Deserialize;
use shruti_store::Origin;

/// List of host names. Each name includes its subdomains (`speech.example` and `te.speech.example`).
///
/// The text form is a comma-separated list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct HostNames(Vec<String>);

/// Error for text that is not a list of host names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is not a host name; expected a comma-separated list of names with letters, digits, '-' and '.', without a \
     scheme or a port: tts.example.org,shruti.speech.svc"
)]
pub struct InvalidHostNames(String);

impl HostNames {
    /// Adds the host of an origin to the list.
    pub fn add_host_of(&mut self, origin: &Origin) {
        self.0.push(origin.parts().1.to_owned());
    }

    fn include(&self, host: &str) -> bool {
        self.0
            .iter()
            .any(|name| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
    }
}

impl FromStr for HostNames {
    type Err = InvalidHostNames;

    fn from_str(list: &str) -> Result<Self, InvalidHostNames> {
        let read = |item: &str| {
            // the item is parsed as an origin, because that checks the characters of its host
            let origin = format!("http://{item}").parse::<Origin>().ok();
            let host = origin.filter(|origin| origin.parts().2.is_none() && !item.contains(':'));
            host.map(|origin| origin.parts().1.to_owned()).ok_or_else(|| InvalidHostNames(item.to_owned()))
        };
        list.split(',').map(str::trim).map(read).collect::<Result<_, _>>().map(Self)
    }
}

impl TryFrom<String> for HostNames {
    type Error = InvalidHostNames;

    fn try_from(list: String) -> Result<Self, InvalidHostNames> {
        list.parse()
    }
}

/// Owner of the host that a request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HostOwner {
    /// The host is the server's own.
    Own,
    /// The host may be the server's own, but the server's names are not configured.
    Unknown,
    /// The host is not the server's own.
    Foreign,
}

/// Hosts for which a server accepts requests. The default has no names and accepts requests for all hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    names: HostNames,
    is_local: bool,
    refuses_others: bool,
}

impl Hosts {
    /// Creates the hosts of a server that listens on `address` and has the given `names`.
    ///
    /// Other hosts are refused if there are names, or if the server listens only on the loopback interface without a
    /// proxy.
    pub fn new(names: HostNames, address: SocketAddr, is_behind_proxy: bool) -> Self {
        let is_local = address.ip().to_canonical().is_loopback();
        let refuses_others = !names.0.is_empty() || (is_local && !is_behind_proxy);
        Self { names, is_local, refuses_others }
    }

    /// Returns the owner of a host, given without its port.
    ///
    /// IP addresses and loopback names always count as the server's own, because a web page cannot control their
    /// resolution. Unless the server listens only on the loopback interface, the same applies to names without a dot,
    /// such as those of containers.
    pub fn owner_of(&self, host: &str) -> HostOwner {
        let host = host.to_ascii_lowercase();
        let host = host.strip_suffix('.').unwrap_or(&host);
        let address = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        let is_of_loopback = host == "localhost" || host.ends_with(".localhost");
        let is_of_network = !self.is_local && !host.contains('.');
        if address.parse::<IpAddr>().is_ok() || is_of_loopback || is_of_network || self.names.include(host) {
            HostOwner::Own
        } else if self.refuses_others {
            HostOwner::Foreign
        } else {
            HostOwner::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(names: &str, address: &str, is_behind_proxy: bool) -> Hosts {
        let names = if names.is_empty() { HostNames::default() } else { names.parse().unwrap() };
        Hosts::new(names, address.parse().unwrap(), is_behind_proxy)
    }

    #[test]
    fn accepts_own_hosts() {
        use HostOwner::{Foreign, Own, Unknown};
        let local = hosts("", "127.0.0.1:8080", false);
        let behind_proxy = hosts("", "[::1]:8080", true);
        let network = hosts("", "0.0.0.0:8080", false);
        let named = hosts("speech.example, shruti.speech.svc", "0.0.0.0:8080", true);
        let named_local = hosts("Speech.example", "127.0.0.1:8080", true);
        let unset = Hosts::default();
        let servers = [&local, &behind_proxy, &network, &named, &named_local, &unset];
        for (host, standings) in [
            ("127.0.0.1", [Own; 6]),
            ("192.0.2.7", [Own; 6]),
            ("[::1]", [Own; 6]),
            ("[2001:db8::1]", [Own; 6]),
            ("localhost", [Own; 6]),
            ("LocalHost.", [Own; 6]),
            ("studio.localhost", [Own; 6]),
            ("evil.example", [Foreign, Unknown, Unknown, Foreign, Foreign, Unknown]),
            ("localhost.evil.example", [Foreign, Unknown, Unknown, Foreign, Foreign, Unknown]),
            ("127.0.0.1.evil.example", [Foreign, Unknown, Unknown, Foreign, Foreign, Unknown]),
            ("speech.example", [Foreign, Unknown, Unknown, Own, Own, Unknown]),
            ("te.SPEECH.example.", [Foreign, Unknown, Unknown, Own, Own, Unknown]),
            ("evilspeech.example", [Foreign, Unknown, Unknown, Foreign, Foreign, Unknown]),
            ("speech.example.evil.example", [Foreign, Unknown, Unknown, Foreign, Foreign, Unknown]),
            ("shruti.speech.svc", [Foreign, Unknown, Unknown, Own, Foreign, Unknown]),
            ("shruti-1", [Foreign, Unknown, Own, Own, Foreign, Own]),
        ] {
            let found = servers.map(|server| server.owner_of(host));
            assert_eq!(found, standings, "{host}");
        }
    }

    #[test]
    fn public_url_adds_its_host() {
        let mut names = HostNames::default();
        names.add_host_of(&"https://tts.example.org:8443".parse().unwrap());
        assert_eq!(names, "tts.example.org".parse().unwrap());
    }

    #[test]
    fn rejects_invalid_host_names() {
        for list in [
            "",
            "a.example,",
            "https://a.example",
            "a.example:443",
            "a.example/path",
            "*.a.example",
            ".a.example",
        ] {
            let error = list.parse::<HostNames>().unwrap_err();
            assert!(error.to_string().contains("without a scheme or a port"), "{list}: {error}");
        }
    }
}
