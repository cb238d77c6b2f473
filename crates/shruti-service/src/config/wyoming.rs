//! The Wyoming protocol.

use std::sync::Arc;

use shruti_store::KeyPrefix;
use tokio::net::TcpListener;

/// Where clients of the Wyoming protocol connect, and the key that answers for all of them.
#[derive(Clone, Debug)]
pub struct WyomingConfig {
    /// Accepts the connections.
    pub listener: Arc<TcpListener>,
    /// The key: its limits hold for all connections together, and its usage grows.
    pub key: KeyPrefix,
}
