//! What all requests share.

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
use crate::config::Config;
use crate::lexicons::{Lexicons, Standing};
use crate::limits::{IpRateLimiter, Rates, SignIns, Streams};
use crate::metering::Metering;
use crate::metrics::Metrics;
use crate::store_health::StoreHealth;
use crate::synthesis::Renderings;
use crate::traces::Traces;

/// How many texts are read at once to be explained: few, for speech comes first.
const NORMALIZATIONS: usize = 2;

/// The server's state.
pub struct App {
    /// What speaks.
    pub engine: Arc<Engine>,
    /// Accounts, keys and usage.
    pub store: Arc<dyn Store>,
    /// Whether the store answers.
    pub store_health: StoreHealth,
    /// Checks keys and tokens.
    pub auth: Authenticator,
    /// Requests per second of each key.
    pub rates: Rates,
    /// Requests of clients that are known by their addresses alone.
    pub ip_rates: IpRateLimiter,
    /// Streams in progress.
    pub streams: Arc<Streams>,
    /// Sockets whose first message is to sign in.
    pub sign_ins: Arc<SignIns>,
    /// What is charged.
    pub metering: Arc<Metering>,
    /// Open connections.
    pub connections: Arc<Connections>,
    /// What is counted.
    pub metrics: Metrics,
    /// What is traced, where anything is.
    pub traces: Option<Arc<Traces>>,
    /// Readings of accounts.
    pub(crate) lexicons: Lexicons,
    /// Room for texts that are read to be explained.
    pub normalizations: Arc<Semaphore>,
    /// Clips by URL that are being rendered.
    pub(crate) renderings: Renderings,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// When the server was made, in milliseconds since 1970.
    pub started_ms: i64,
    /// What the operator set.
    pub config: Config,
    /// Cancelled when the server begins to shut down.
    pub draining: CancellationToken,
}

impl App {
    /// The state of a server that has served nothing yet.
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

    /// The readings that stand for a key. A request's own come before them ([`Lexicon::over_own`]).
    pub async fn standing_lexicon(&self, key: &KeyRecord) -> Result<Arc<Lexicon>, ApiError> {
        self.standing_lexicon_of(key.account.as_ref().zip(key.lexicon)).await
    }

    /// The same for an account whose lexicon has this version at least.
    pub async fn standing_lexicon_of(
        &self,
        account: Option<(&AccountId, i64)>,
    ) -> Result<Arc<Lexicon>, ApiError> {
        Ok(self.standing_of(account).await?.lexicon)
    }

    /// The readings that stand for a key, with their digest.
    pub(crate) async fn standing(&self, key: &KeyRecord) -> Result<Standing, ApiError> {
        self.standing_of(key.account.as_ref().zip(key.lexicon)).await
    }

    async fn standing_of(&self, account: Option<(&AccountId, i64)>) -> Result<Standing, ApiError> {
        let servers = self.config.lexicon.standing();
        if let Some((account, version)) = account {
            return self.lexicons.standing(&*self.store, account, version, servers.lexicon).await;
        }
        // the server's are nobody's to pay for
        let lexicon = Arc::new(Lexicon::default().over(servers.lexicon));
        Ok(Standing { lexicon, digest: servers.digest })
    }

    /// Refuses new work from now on; mails that wait are tried once more now.
    pub fn drain(&self) {
        self.draining.cancel();
        self.engine.drain();
        if let Some(mail) = &self.config.mail {
            mail.mailer.hurry();
        }
    }

    /// Whether new work is refused because the server shuts down.
    pub fn is_draining(&self) -> bool {
        self.draining.is_cancelled()
    }
}
