//! Errors of the client.

use std::io;
use std::time::Duration;

use http::StatusCode;
use rustls::CertificateError;
use shruti_protocol::ErrorDetail;
use shruti_protocol::stream::{CloseCode, MAX_TURN_ID_CHARS};

/// Error of the client. It is cheap to clone, since several turns may be lost for the same reason.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The URL of the server cannot be used.
    #[error("'{url}' is not a valid server address: {what}")]
    Address {
        /// URL as given.
        url: String,
        /// Problem with the URL.
        what: String,
    },
    /// The API key contains characters that an HTTP header cannot contain.
    #[error("the API key contains invalid characters, such as a line break")]
    Key,
    /// The trusted certificates cannot be used.
    #[error("the certificates cannot be used: {0}")]
    Certificates(String),
    /// The client could not connect, or a proxy responded that the server is unavailable.
    #[error("no connection to {server}: {cause}")]
    Connect {
        /// Host and port of the server.
        server: String,
        /// Reason for the failure.
        cause: String,
    },
    /// The server refused a request or aborted a turn, with a documented error.
    #[error("{} ({}, {})", detail.message, detail.code, detail.request_id)]
    Refused {
        /// HTTP status; `None` inside a conversation.
        status: Option<StatusCode>,
        /// Error sent by the server.
        detail: Box<ErrorDetail>,
    },
    /// The server sent something that violates the protocol or exceeds a limit of the client, or the client could not
    /// create a valid request.
    #[error("the server violated the protocol: {0}")]
    Protocol(String),
    /// The connection was lost.
    #[error("the connection was lost: {0}")]
    Broken(String),
    /// The server closed the conversation.
    #[error("the server closed the conversation: {reason} ({code})")]
    Closed {
        /// WebSocket close code.
        code: u16,
        /// Close reason sent by the server.
        reason: String,
    },
    /// The ID of a turn is invalid. The client checks this itself, because the server's refusal could not contain the
    /// ID.
    #[error("a turn ID must have 1 to {MAX_TURN_ID_CHARS} characters and no control characters")]
    TurnName,
    /// The conversation has ended.
    #[error("the conversation has ended")]
    Ended,
}

impl Error {
    /// Returns whether a retry of the same operation may succeed.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Connect { .. } | Self::Broken(_) => true,
            Self::Refused { detail, .. } => detail.retryable,
            Self::Closed { code, .. } => may_return(*code),
            _ => false,
        }
    }

    /// Returns the delay before a retry, if the server specifies it.
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

/// Returns whether a client may reconnect after a close with this code.
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
    // a client may reconnect after any other code: a temporary condition, a code from a proxy, or no close frame
    for_good.iter().all(|known| known.number() != code)
}

/// Describes an error and its causes for users of the client.
fn explain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut chain: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(tls) = find_tls(error) {
            return explain_tls(tls);
        }
        let text = error.to_string();
        // many error messages contain the message of their cause
        if chain.last().is_none_or(|last| !last.contains(&text)) {
            chain.push(text);
        }
        next = error.source();
    }
    chain.join(": ")
}

/// Returns the error of the TLS library, even if I/O errors wrap it: their `source` skips the wrapped error itself.
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
                "the server's certificate is signed by an unknown authority (it may be self-signed; add its file as \
                 a trusted certificate)"
            }
            _ => return format!("the server's certificate is not valid: {error}"),
        },
        rustls::Error::InvalidMessage(_) => "the server does not speak TLS on this port (use http://)",
        _ => return error.to_string(),
    };
    what.to_owned()
}
