//! What is the matter with a mail server, as far as its answers and the network tell.

use std::error::Error as _;
use std::fmt;
use std::io;

use lettre::transport::smtp::Error;

/// What kind of trouble it is; each has another remedy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TroubleKind {
    /// Its name leads nowhere, or nobody takes connections there.
    Unreachable,
    /// It takes a connection, or not even that, and says nothing.
    Silent,
    /// Encryption does not come about, such as with a certificate that the system does not trust.
    Encryption,
    /// It offers no STARTTLS.
    NoStartTls,
    /// It refuses the user or the password, or takes no login that is known here.
    Login,
    /// It refuses something else.
    Refused,
    /// It does not speak SMTP, or breaks off.
    NotSmtp,
}

/// Why a mail server cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{told}")]
pub struct Trouble {
    /// Which.
    pub kind: TroubleKind,
    /// What the server or the system said. It may name the user; of a mail that was to be sent, its recipient.
    pub told: String,
}

impl Trouble {
    /// Of a server that has not answered in time.
    pub(crate) fn silent() -> Self {
        Self { kind: TroubleKind::Silent, told: "it does not answer".to_owned() }
    }

    /// What an error of the transport comes to; see [`TroubleKind::of`].
    pub(crate) fn of(error: &Error, is_wrapped: bool) -> Self {
        let told = io_error(error).map_or_else(|| error.to_string(), ToString::to_string);
        Self { kind: TroubleKind::of(error, is_wrapped), told }
    }
}

/// What the system said, however deep it lies.
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
    /// Which it is, of a server that is encrypted from the first byte or not.
    pub(crate) fn of(error: &Error, is_wrapped: bool) -> Self {
        if let Some(code) = error.status() {
            // RFC 4954, §6: 530, 534, 535 and 538 are about a login, and 454 is one that fails for now
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
            // the library has no kinds for what it finds wrong itself
            let told = error.to_string();
            return match () {
                () if told.contains("STARTTLS") => Self::NoStartTls,
                () if told.contains("authentication") => Self::Login,
                () => Self::Refused,
            };
        }
        match io_error(error).map(io::Error::kind) {
            // as the handshake reports what it finds wrong
            Some(io::ErrorKind::InvalidData) => Self::Encryption,
            // what breaks off first there is the handshake
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
            Self::Encryption => "its encryption cannot be trusted",
            Self::NoStartTls => "it offers no STARTTLS",
            Self::Login => "it refuses the user or the password",
            Self::Refused => "it refuses what is asked",
            Self::NotSmtp => "it does not answer as a mail server does",
        })
    }
}
