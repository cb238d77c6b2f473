//! State and settings that all connections of a server share.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use shruti_protocol::ErrorCode;

use crate::limits::{Handshakes, MemoryBudget};
use crate::tls::Tls;

/// State and settings that all connections of a server share.
pub struct Plumbing {
    /// Timeouts of connections.
    pub timeouts: ConnectionTimeouts,
    /// TLS settings; `None` for plain HTTP.
    pub tls: Option<Tls>,
    /// TLS handshakes in progress.
    pub handshakes: Handshakes,
    /// Memory budget for unread and unsent bytes.
    pub memory: Arc<MemoryBudget>,
    /// Callback for each error response that is sent before a request exists.
    pub on_refused: Box<dyn Fn(ErrorCode) + Send + Sync>,
}

impl fmt::Debug for Plumbing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plumbing").field("timeouts", &self.timeouts).finish_non_exhaustive()
    }
}

/// Timeouts of a connection. Each duration is a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionTimeouts {
    /// Time from accepting a connection to the end of its TLS handshake.
    pub handshake: Duration,
    /// Time from the first to the last byte of a request head. For the first head of a connection, the time starts when
    /// the connection is accepted or its TLS handshake ends.
    pub head: Duration,
    /// Time between two requests of a connection.
    pub idle: Duration,
    /// Time for which a client may leave available data unread.
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
