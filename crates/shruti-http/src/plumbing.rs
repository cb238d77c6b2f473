//! What all connections of a server share.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use shruti_protocol::ErrorCode;

use crate::limits::{Handshakes, MemoryBudget};
use crate::tls::Tls;

/// What all connections of a server share.
pub struct Plumbing {
    /// How long things may take.
    pub timeouts: ConnectionTimeouts,
    /// HTTPS instead of plain HTTP.
    pub tls: Option<Tls>,
    /// The TLS handshakes in progress.
    pub handshakes: Handshakes,
    /// What unread and unsent bytes may take.
    pub memory: Arc<MemoryBudget>,
    /// Called with each error that is answered before there is a request.
    pub on_refused: Box<dyn Fn(ErrorCode) + Send + Sync>,
}

impl fmt::Debug for Plumbing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plumbing").field("timeouts", &self.timeouts).finish_non_exhaustive()
    }
}

/// How long a connection may take before it is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionTimeouts {
    /// From the opening of a connection to the end of its TLS handshake.
    pub handshake: Duration,
    /// From the first byte of a request's head to its last; also from the opening of a connection, or the end of its
    /// handshake, to the end of its first head.
    pub head: Duration,
    /// Between two requests of one connection.
    pub idle: Duration,
    /// Without a byte taken by a client that has something to take.
    pub stalled_reader: Duration,
}

impl Default for ConnectionTimeouts {
    fn default() -> Self {
        Self {
            handshake: Duration::from_secs(10),
            head: Duration::from_secs(10),
            idle: Duration::from_secs(90),
            stalled_reader: Duration::from_mins(1),
        }
    }
}
