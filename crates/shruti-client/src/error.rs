//! What can go wrong between a client and its server.

use std::io;
use std::time::Duration;

use http::StatusCode;
use rustls::CertificateError;
use shruti_protocol::ErrorDetail;
use shruti_protocol::stream::{CloseCode, MAX_TURN_ID_CHARS};

/// Why something could not be done. Cheap to clone: several turns may be lost for one reason.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The address of the server cannot be used.
    #[error("'{url}' is no address of a server: {what}")]
    Address {
        /// The address as it was given.
        url: String,
        /// What is wrong with it.
        what: String,
    },
    /// A file of certificates cannot be used.
    #[error("the certificates cannot be used: {0}")]
    Certificates(String),
    /// No connection came about.
    #[error("no connection to {server}: {cause}")]
    Connect {
        /// The server's host and port.
        server: String,
        /// Why.
        cause: String,
    },
    /// The server refused a request or broke off a turn, with the error of its documentation.
    #[error("{} ({}, {})", detail.message, detail.code, detail.request_id)]
    Refused {
        /// The HTTP status; none inside a conversation.
        status: Option<StatusCode>,
        /// What the server said.
        detail: Box<ErrorDetail>,
    },
    /// What came is nothing that this server would say.
    #[error("the server does not speak the protocol: {0}")]
    Protocol(String),
    /// The connection broke in the middle of something.
    #[error("the connection broke: {0}")]
    Broken(String),
    /// The server closed the conversation.
    #[error("the server closed the conversation: {reason} ({code})")]
    Closed {
        /// The WebSocket close code.
        code: u16,
        /// The reason, as it was sent.
        reason: String,
    },
    /// A turn was to have a name that the server refuses, and could not name in its refusal.
    #[error("the name of a turn must have 1 to {MAX_TURN_ID_CHARS} characters and no control characters")]
    TurnName,
    /// The conversation has ended.
    #[error("the conversation has ended")]
    Ended,
}

impl Error {
    /// Whether the same again, a little later, may go well.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Connect { .. } | Self::Broken(_) => true,
            Self::Refused { detail, .. } => detail.retryable,
            Self::Closed { code, .. } => may_return(*code),
            _ => false,
        }
    }

    /// When the same again may go well, where the server says it.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { detail, .. } => detail.retry_after_ms.map(Duration::from_millis),
            _ => None,
        }
    }

    pub(crate) fn connect(server: &str, cause: &(dyn std::error::Error + 'static)) -> Self {
        Self::Connect { server: server.to_owned(), cause: explain(cause) }
    }

    pub(crate) fn broken(cause: &(dyn std::error::Error + 'static)) -> Self {
        Self::Broken(explain(cause))
    }
}

/// Whether a client may connect again after a close with this code.
fn may_return(code: u16) -> bool {
    let for_good = [
        CloseCode::Normal,
        CloseCode::ProtocolError,
        CloseCode::Unsupported,
        CloseCode::InvalidUtf8,
        CloseCode::TooBig,
        CloseCode::TooManyErrors,
        CloseCode::Unauthorized,
        CloseCode::QuotaExhausted,
        CloseCode::Forbidden,
        CloseCode::KeyRevoked,
    ];
    // any other code is a proxy's, or a connection's that ended without a goodbye
    for_good.iter().all(|known| known.number() != code)
}

/// An error and what lies below it, in words for those who run the client.
fn explain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut chain: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(tls) = find_tls(error) {
            return explain_tls(tls);
        }
        let text = error.to_string();
        // many errors repeat the one below
        if chain.last().is_none_or(|last| !last.contains(&text)) {
            chain.push(text);
        }
        next = error.source();
    }
    chain.join(": ")
}

/// The TLS library's error, also where I/O errors wrap it: they leave themselves out of their chain.
fn find_tls<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    let mut error = error;
    while let Some(within) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        error = within;
    }
    error.downcast_ref()
}

fn explain_tls(error: &rustls::Error) -> String {
    let what = match error {
        rustls::Error::InvalidCertificate(why) => match why {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the server's certificate has expired"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the server's certificate is not valid yet"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "the server's certificate is for another host"
            }
            CertificateError::UnknownIssuer => {
                "the server's certificate is signed by nobody known here (self-signed, perhaps; name its file as a \
                 certificate to trust)"
            }
            _ => return format!("the server's certificate is not valid: {error}"),
        },
        rustls::Error::InvalidMessage(_) => "the server does not speak TLS on this port (use http://)",
        _ => return error.to_string(),
    };
    what.to_owned()
}
