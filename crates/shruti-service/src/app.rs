//! State that all requests share.

use std::sync::Arc;

use shruti_clock::Clock;
use shruti_engine::Engine;
use shruti_http::Connections;
use shruti_protocol::ApiError;
use shruti_store::{AccountId, KeyRecord, Store};
use shruti_text::Lexicon;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::auth::Authenticator;
use crate::clips::Renderings;
use crate::config::Config;
use crate::lexicons::Lexicons;
use crate::limits::{IpRateLimiter, Rates, SignIns, Streams};
use crate::metering::Metering;
use crate::metrics::Metrics;
use crate::store_health::StoreHealth;
use crate::traces::Traces;

/// Maximum number of texts that are normalised concurrently. It is low because synthesis has priority.
const NORMALIZATIONS: usize = 2;

/// State of the server.
pub struct App {
    /// Synthesis engine.
    pub engine: Arc<Engine>,
    /// Store of accounts, keys and usage.
    pub store: Arc<dyn Store>,
    /// Availability of the store.
    pub store_health: StoreHealth,
    /// Authenticator for keys and tokens.
    pub auth: Authenticator,
    /// Rate limiter for API keys.
    pub rates: Rates,
    /// Rate limiter for clients that are identified only by their address.
    pub ip_rates: IpRateLimiter,
    /// Limiter for concurrent streams.
    pub streams: Arc<Streams>,
    /// Limiter for WebSockets that have not yet sent their first message, which must contain their credentials.
    pub sign_ins: Arc<SignIns>,
    /// Usage metering.
    pub metering: Arc<Metering>,
    /// Limiter for open connections.
    pub connections: Arc<Connections>,
    /// Metrics.
    pub metrics: Metrics,
    /// Tracing, if enabled.
    pub traces: Option<Arc<Traces>>,
    /// Cache of account lexicons.
    pub(crate) lexicons: Lexicons,
    /// Permits for text normalisation.
    pub normalizations: Arc<Semaphore>,
    /// Signed-URL clips that are being rendered.
    pub(crate) renderings: Renderings,
    /// Clock.
    pub clock: Arc<dyn Clock>,
    /// Start time of the server, in milliseconds since 1970.
    pub started_ms: i64,
    /// Settings of the operator.
    pub config: Config,
    /// Cancelled when the server begins to shut down.
    pub draining: CancellationToken,
}

impl App {
    /// Creates the initial state of a server.
    pub fn new(engine: Arc<Engine>, store: Arc<dyn Store>, clock: Arc<dyn Clock>, config: Config) -> Self {
        let streams = Streams::new(config.max_streams);
        let mailer = config.mail.as_ref().map(|mail| mail.mailer.clone());
        let exporter = config.traces.as_ref().map(|traces| traces.exporter.clone());
        let metrics = Metrics::new(
            Arc::clone(&engine),
            Arc::clone(&streams),
            mailer,
            exporter,
            config.clips.cache.clone(),
        );
        let traces = config.traces.clone().map(|traces| Arc::new(Traces::new(traces, Arc::clone(&clock))));
        let metering =
            Metering::new(Arc::clone(&store), Arc::clone(&clock), metrics.characters(), config.timeouts.draw);
        Self {
            engine,
            store_health: StoreHealth::default(),
            auth: Authenticator::new(Arc::clone(&store), Arc::clone(&clock), config.servers),
            store,
            rates: Rates::default(),
            ip_rates: IpRateLimiter::default(),
            streams,
            sign_ins: Arc::default(),
            metering: Arc::new(metering),
            metrics,
            traces,
            connections: Connections::new(config.max_connections, config.max_connections_per_address),
            lexicons: Lexicons::default(),
            normalizations: Arc::new(Semaphore::new(NORMALIZATIONS)),
            renderings: Renderings::default(),
            started_ms: clock.now().wall_ms,
            clock,
            config,
            draining: CancellationToken::new(),
        }
    }

    /// Returns the lexicon that applies to a key. Add it to the lexicon of a request as a fallback
    /// ([`Lexicon::with_own_fallback`]), so that the entries of the request take precedence.
    pub async fn lexicon_of_key(&self, key: &KeyRecord) -> Result<Arc<Lexicon>, ApiError> {
        self.lexicon_of_account(key.account.as_ref().zip(key.lexicon)).await
    }

    /// Returns the lexicon that applies to an account. The account is given together with the minimum version of its
    /// lexicon. Without an account, only the server's lexicon applies.
    pub async fn lexicon_of_account(
        &self,
        account: Option<(&AccountId, i64)>,
    ) -> Result<Arc<Lexicon>, ApiError> {
        let servers = self.config.lexicon.current();
        if let Some((account, version)) = account {
            return self.lexicons.applied(&*self.store, account, version, servers).await;
        }
        // added as a fallback, because readings from the server's lexicon are not charged
        Ok(Arc::new(Lexicon::default().with_fallback(servers)))
    }

    /// Begins the shutdown. From now on, new work is refused. Each email that is waiting for a retry gets one final
    /// attempt immediately.
    pub fn drain(&self) {
        self.draining.cancel();
        self.engine.drain();
        if let Some(mail) = &self.config.mail {
            mail.mailer.stop_waiting();
        }
    }

    /// Returns whether new work is refused because the server is shutting down.
    pub fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }
}
