//! Listen address, as users write it.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use serde::Deserialize;

/// Default port.
const PORT: u16 = 8080;

/// Listen address: `0.0.0.0:8080`, `[::]:8080`, `localhost:8080`, or only a port.
///
/// A port without an address (`8080`, `:8080`) listens on the loopback address only. To accept connections from other
/// machines, an address must be given explicitly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "PortOrText")]
pub(crate) struct ListenAddress(pub(crate) SocketAddr);

/// Value in the settings file.
#[derive(Deserialize)]
#[serde(untagged, expecting = "listen must be an address such as 0.0.0.0:8080, or a port")]
enum PortOrText {
    Port(u16),
    Text(String),
}

impl Default for ListenAddress {
    fn default() -> Self {
        Self::loopback(PORT)
    }
}

impl ListenAddress {
    fn loopback(port: u16) -> Self {
        Self((Ipv4Addr::LOCALHOST, port).into())
    }
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(address) = text.parse() {
            return Ok(Self(address));
        }
        let local = text.strip_prefix("localhost:").or_else(|| text.strip_prefix(':')).unwrap_or(text);
        if let Ok(port) = local.parse() {
            return Ok(Self::loopback(port));
        }
        let suggestion = match text.rsplit_once(':') {
            _ if text.trim_matches(['[', ']']).parse::<Ipv6Addr>().is_ok() => {
                format!("; for example [{}]:{PORT}", text.trim_matches(['[', ']']))
            }
            None if text.parse::<Ipv4Addr>().is_ok() || text == "localhost" => {
                format!("; for example {text}:{PORT}")
            }
            Some((host, port)) if port.parse::<u16>().is_ok() && !host.contains(':') => {
                format!(
                    "; host names are not supported: use the IP address, or 0.0.0.0:{port} for all addresses"
                )
            }
            _ => String::new(),
        };
        Err(format!(
            "listen must be an address with a port such as 127.0.0.1:{PORT}, or a port such as {PORT}{suggestion}"
        ))
    }
}

impl TryFrom<PortOrText> for ListenAddress {
    type Error = String;

    fn try_from(written: PortOrText) -> Result<Self, String> {
        match written {
            PortOrText::Port(port) => Ok(Self::loopback(port)),
            PortOrText::Text(text) => text.parse(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_without_address_listens_on_loopback() {
        for (text, address) in [
            ("8080", "127.0.0.1:8080"),
            (":9000", "127.0.0.1:9000"),
            ("localhost:9000", "127.0.0.1:9000"),
            ("0.0.0.0:80", "0.0.0.0:80"),
            ("[::]:443", "[::]:443"),
            ("[::1]:0", "[::1]:0"),
        ] {
            assert_eq!(text.parse::<ListenAddress>().unwrap().0.to_string(), address, "{text}");
        }
    }

    #[test]
    fn an_error_names_valid_values() {
        for (text, hint) in [
            ("localhost", "localhost:8080"),
            ("0.0.0.0", "0.0.0.0:8080"),
            ("::", "[::]:8080"),
            ("[::1]", "[::1]:8080"),
            ("tts.example:9000", "0.0.0.0:9000"),
            ("99999", "a port such as 8080"),
            ("", "127.0.0.1:8080"),
            ("here", "127.0.0.1:8080"),
        ] {
            let error = text.parse::<ListenAddress>().unwrap_err();
            assert!(error.contains(hint), "{text}: {error}");
        }
    }
}
