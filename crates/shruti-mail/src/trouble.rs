//! Diagnosis of a mail server's errors.

use std::error::Error as _;
use std::fmt;
use std::io;

use lettre::transport::smtp::Error;

/// Kind of a mail server error. Each kind has a different remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TroubleKind {
    /// DNS lookup failed or the connection was refused.
    Unreachable,
    /// The server does not respond in time.
    Silent,
    /// The TLS handshake failed, for example because the system does not trust the certificate.
    Encryption,
    /// The server does not support STARTTLS.
    NoStartTls,
    /// The server rejects the user or the password, or supports no common login method.
    Login,
    /// The server rejects another command.
    Refused,
    /// The server does not speak SMTP, or closes the connection.
    NotSmtp,
}

/// Error of a mail server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{told}")]
pub struct Trouble {
    /// Kind of the error.
    pub kind: TroubleKind,
    /// Message of the server or the system. It may contain the user and, if a mail was sent, its recipient.
    pub told: String,
}

impl Trouble {
    /// Creates the error for a server that did not respond in time.
    pub(crate) fn silent() -> Self {
        Self { kind: TroubleKind::Silent, told: "it does not answer".to_owned() }
    }

    /// Converts an error of the transport; see [`TroubleKind::of`].
    pub(crate) fn of(error: &Error, is_wrapped: bool) -> Self {
        let told = io_error(error).map_or_else(|| error.to_string(), ToString::to_string);
        Self { kind: TroubleKind::of(error, is_wrapped), told }
    }
}

/// Finds the I/O error in the chain of causes.
fn io_error(error: &Error) -> Option<&io::Error> {
    let mut cause = error.source();
    while let Some(deeper) = cause {
        if let Some(found) = deeper.downcast_ref() {
            return Some(found);
        }
        cause = deeper.source();
    }
    None
}

impl TroubleKind {
    /// Classifies an error of the transport. `is_wrapped` is `true` if the connection uses implicit TLS.
    pub(crate) fn of(error: &Error, is_wrapped: bool) -> Self {
        if let Some(code) = error.status() {
            // RFC 4954, §6: 530, 534, 535 and 538 concern the login; 454 is a temporary login failure
            let code = code.to_string();
            return if code.starts_with("53") || code == "454" { Self::Login } else { Self::Refused };
        }
        if error.is_timeout() {
            return Self::Silent;
        }
        if error.is_tls() {
            return Self::Encryption;
        }
        if error.is_client() {
            // the library does not classify the errors that it detects itself
            let told = error.to_string();
            return match () {
                () if told.contains("STARTTLS") => Self::NoStartTls,
                () if told.contains("authentication") => Self::Login,
                () => Self::Refused,
            };
        }
        match io_error(error).map(io::Error::kind) {
            // reported by the TLS handshake
            Some(io::ErrorKind::InvalidData) => Self::Encryption,
            // with implicit TLS, a connection that closes early fails in the handshake
            Some(io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) if is_wrapped => {
                Self::Encryption
            }
            Some(io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) | None => Self::NotSmtp,
            Some(_) => Self::Unreachable,
        }
    }
}

impl fmt::Display for TroubleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreachable => "it cannot be reached",
            Self::Silent => "it does not answer",
            Self::Encryption => "its TLS connection cannot be trusted",
            Self::NoStartTls => "it does not support STARTTLS",
            Self::Login => "it rejects the user or the password",
            Self::Refused => "it rejects the command",
            Self::NotSmtp => "it does not answer as an SMTP server",
        })
    }
}
