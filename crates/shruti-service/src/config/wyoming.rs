//! Settings of the Wyoming protocol.

use std::sync::Arc;

use shruti_store::KeyPrefix;
use tokio::net::TcpListener;

/// Listener for clients of the Wyoming protocol, and the key that they share.
#[derive(Clone, Debug)]
pub struct WyomingConfig {
    /// Listener.
    pub listener: Arc<TcpListener>,
    /// API key that is used for all connections. Its limits apply to all connections together, and their usage is
    /// charged to it.
    pub key: KeyPrefix,
}
