//! Classification of mail server errors.

use std::error::Error as _;
use std::fmt;
use std::io;

use lettre::transport::smtp::Error;

/// Kind of a mail server error. Each kind has a different remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailServerErrorKind {
    /// The DNS lookup failed, or the connection was refused or failed in another way.
    Unreachable,
    /// The server does not respond in time.
    Silent,
    /// The TLS handshake failed, for example because the system does not trust the certificate.
    Encryption,
    /// The server does not support STARTTLS.
    NoStartTls,
    /// The server rejects the user or the password, or supports no common login method.
    Login,
    /// The server rejects another command, or the client reports an error that no other kind covers.
    Rejected,
    /// The server does not speak SMTP, or it closes the connection.
    NotSmtp,
}

/// Error of a mail server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MailServerError {
    /// Kind of the error.
    pub kind: MailServerErrorKind,
    /// Message of the server or the operating system. It may contain the user name and, if an email was sent, its
    /// recipient.
    pub message: String,
}

impl MailServerError {
    /// Creates the error for a server that did not respond in time.
    pub(crate) fn silent() -> Self {
        Self { kind: MailServerErrorKind::Silent, message: "it does not respond".to_owned() }
    }

    /// Converts an error of the transport; see [`MailServerErrorKind::of`].
    pub(crate) fn of(error: &Error, has_implicit_tls: bool) -> Self {
        let message = io_error(error).map_or_else(|| error.to_string(), ToString::to_string);
        Self { kind: MailServerErrorKind::of(error, has_implicit_tls), message }
    }
}

/// Returns the first I/O error in the chain of causes, if there is one.
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

impl MailServerErrorKind {
    /// Classifies an error of the transport. `has_implicit_tls` is `true` if the connection uses implicit TLS.
    pub(crate) fn of(error: &Error, has_implicit_tls: bool) -> Self {
        if let Some(code) = error.status() {
            // RFC 4954, §6: 530, 534, 535 and 538 concern the login; 454 is a temporary login failure
            let code = code.to_string();
            return if code.starts_with("53") || code == "454" { Self::Login } else { Self::Rejected };
        }
        if error.is_timeout() {
            return Self::Silent;
        }
        if error.is_tls() {
            return Self::Encryption;
        }
        if error.is_client() {
            // lettre does not classify the errors that it detects itself, so their messages are searched
            let message = error.to_string();
            return match () {
                () if message.contains("STARTTLS") => Self::NoStartTls,
                () if message.contains("authentication") => Self::Login,
                () => Self::Rejected,
            };
        }
        match io_error(error).map(io::Error::kind) {
            // a failed TLS handshake is reported as invalid data
            Some(io::ErrorKind::InvalidData) => Self::Encryption,
            // with implicit TLS, a connection that closes early fails in the handshake
            Some(io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) if has_implicit_tls => {
                Self::Encryption
            }
            Some(io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) | None => Self::NotSmtp,
            Some(_) => Self::Unreachable,
        }
    }
}

impl fmt::Display for MailServerErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unreachable => "it cannot be reached",
            Self::Silent => "it does not respond",
            Self::Encryption => "its TLS connection cannot be trusted",
            Self::NoStartTls => "it does not support STARTTLS",
            Self::Login => "it rejects the user or the password",
            Self::Rejected => "it rejects the command",
            Self::NotSmtp => "it does not respond as an SMTP server",
        })
    }
}
