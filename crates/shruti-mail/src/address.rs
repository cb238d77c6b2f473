//! Address of an SMTP server.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use percent_encoding::percent_decode_str;

/// Address of the SMTP server that sends emails: `smtps://user@host` for implicit TLS (port 465), or `smtp://user@host`
/// for STARTTLS (port 587). An `smtp` address of this machine without a user (`smtp://localhost:25`) uses no TLS.
/// Characters such as `@` in the user name may be percent-encoded (`%40`). The address does not contain a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmtpAddress {
    /// `true` if the connection uses implicit TLS.
    pub(crate) has_implicit_tls: bool,
    pub(crate) user: Option<String>,
    pub(crate) host: String,
    pub(crate) port: u16,
}

/// Error for text that is not the address of an SMTP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSmtpAddress {
    /// The scheme is not supported.
    #[error("must begin with smtps:// or smtp://")]
    Scheme,
    /// The address contains a password.
    #[error("must not contain a password; set it in a file or in the environment")]
    Password,
    /// The part after the scheme is not an optional user followed by a host and an optional port.
    #[error("must name a host, such as smtps://user@smtp.example.org or smtp://localhost:25")]
    Host,
}

impl SmtpAddress {
    /// Returns `true` if the server runs on this machine, so that the connection cannot be intercepted on the network.
    pub(crate) fn is_here(&self) -> bool {
        self.host == "localhost" || self.host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }

    /// Returns `true` if the address contains a user, so that the mailer needs a password.
    pub fn has_user(&self) -> bool {
        self.user.is_some()
    }
}

impl FromStr for SmtpAddress {
    type Err = InvalidSmtpAddress;

    fn from_str(text: &str) -> Result<Self, InvalidSmtpAddress> {
        let (has_implicit_tls, rest) = match text.strip_prefix("smtps://") {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix("smtp://").ok_or(InvalidSmtpAddress::Scheme)?),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (user, place) = match rest.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, rest),
        };
        if user.is_some_and(|user| user.contains(':')) {
            return Err(InvalidSmtpAddress::Password);
        }
        let user = user.map(|user| percent_decode_str(user).decode_utf8().map(Cow::into_owned));
        let user = user.transpose().map_err(|_| InvalidSmtpAddress::Host)?;
        let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, "")) => (host, None),
            Some((host, port)) => (host, Some(port.strip_prefix(':').ok_or(InvalidSmtpAddress::Host)?)),
            None => place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))),
        };
        let port = match port {
            Some(port) => port.parse().map_err(|_| InvalidSmtpAddress::Host)?,
            None if has_implicit_tls => 465,
            None => 587,
        };
        let is_name = |host: &str| host.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-');
        if host.is_empty()
            || !(is_name(host) || host.parse::<IpAddr>().is_ok())
            || user.as_deref() == Some("")
        {
            return Err(InvalidSmtpAddress::Host);
        }
        Ok(Self { has_implicit_tls, user, host: host.to_owned(), port })
    }
}

impl fmt::Display for SmtpAddress {
    /// Omits the user, which may be a person's email address.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.has_implicit_tls { "smtps" } else { "smtp" };
        write!(f, "{scheme}://{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_host_and_an_optional_user() {
        for (text, has_implicit_tls, user, host, port) in [
            ("smtps://smtp.example.org", true, None, "smtp.example.org", 465),
            ("smtps://shruti@smtp.example.org:4650", true, Some("shruti"), "smtp.example.org", 4_650),
            (
                "smtp://shruti%40example.org@smtp.example.org",
                false,
                Some("shruti@example.org"),
                "smtp.example.org",
                587,
            ),
            (
                "smtp://shruti@example.org@smtp.example.org/",
                false,
                Some("shruti@example.org"),
                "smtp.example.org",
                587,
            ),
            ("smtp://localhost:25", false, None, "localhost", 25),
            ("smtp://[::1]:2525", false, None, "::1", 2_525),
        ] {
            let read: SmtpAddress = text.parse().unwrap();
            assert_eq!((read.has_implicit_tls, read.user.as_deref()), (has_implicit_tls, user), "{text}");
            assert_eq!((read.host.as_str(), read.port), (host, port), "{text}");
            assert!(!user.is_some_and(|user| read.to_string().contains(user)), "{read}");
        }
        for (text, wrong) in [
            ("http://a", InvalidSmtpAddress::Scheme),
            ("smtp.example.org", InvalidSmtpAddress::Scheme),
            ("smtps://user:secret@host", InvalidSmtpAddress::Password),
            ("smtps://", InvalidSmtpAddress::Host),
            ("smtps://@host", InvalidSmtpAddress::Host),
            ("smtps://host:99999", InvalidSmtpAddress::Host),
            ("smtps://host:", InvalidSmtpAddress::Host),
            ("smtps://ho st", InvalidSmtpAddress::Host),
            ("smtps://a%FF@host", InvalidSmtpAddress::Host),
            ("smtps://host/path", InvalidSmtpAddress::Host),
            ("smtp://[::1", InvalidSmtpAddress::Host),
            ("smtp://[::1]x", InvalidSmtpAddress::Host),
        ] {
            assert_eq!(text.parse::<SmtpAddress>(), Err(wrong), "{text}");
        }
    }

    #[test]
    fn only_loopback_addresses_are_local() {
        for (text, is_here) in [
            ("smtp://localhost:25", true),
            ("smtp://127.0.0.7:25", true),
            ("smtp://[::1]:25", true),
            ("smtp://localhost.example.org:25", false),
            ("smtp://10.0.0.1:25", false),
        ] {
            assert_eq!(text.parse::<SmtpAddress>().unwrap().is_here(), is_here, "{text}");
        }
    }
}
