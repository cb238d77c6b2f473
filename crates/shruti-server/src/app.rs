//! What all requests share.

use std::sync::Arc;

use shruti_engine::Engine;
use shruti_store::Store;
use tokio_util::sync::CancellationToken;

use crate::auth::Authenticator;
use crate::clock::Clock;
use crate::config::Config;
use crate::limits::{Handshakes, IpRateLimiter, Rates, Streams};
use crate::metering::Metering;
use crate::metrics::Metrics;
use crate::store_health::StoreHealth;

/// The server's state.
pub(crate) struct App {
    pub(crate) engine: Arc<Engine>,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) store_health: StoreHealth,
    pub(crate) auth: Authenticator,
    pub(crate) rates: Rates,
    pub(crate) ip_rates: IpRateLimiter,
    pub(crate) streams: Arc<Streams>,
    pub(crate) metering: Arc<Metering>,
    pub(crate) handshakes: Handshakes,
    pub(crate) metrics: Metrics,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) config: Config,
    /// Cancelled when the server begins to shut down.
    pub(crate) draining: CancellationToken,
}

impl App {
    pub(crate) fn new(
        engine: Arc<Engine>,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        config: Config,
    ) -> Self {
        let streams = Streams::new(config.max_streams);
        let metrics = Metrics::new(Arc::clone(&engine), Arc::clone(&streams));
        let metering = Metering::new(Arc::clone(&store), Arc::clone(&clock), metrics.characters());
        Self {
            engine,
            store_health: StoreHealth::default(),
            auth: Authenticator::new(Arc::clone(&store), Arc::clone(&clock)),
            store,
            rates: Rates::default(),
            ip_rates: IpRateLimiter::default(),
            streams,
            metering: Arc::new(metering),
            metrics,
            handshakes: Handshakes::new(config.max_handshakes),
            clock,
            config,
            draining: CancellationToken::new(),
        }
    }

    /// Refuses new work from now on.
    pub(crate) fn drain(&self) {
        self.draining.cancel();
        self.engine.drain();
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }
}
