//! Pool of connections, with limits for calls.

use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_postgres::Config;

use super::PostgresAddress;
use super::fault;
use super::tls;
use super::tx::PostgresTx;
use crate::database::Flow;
use crate::error::StoreError;

/// Maximum number of connections of one Shruti server, without the connection that listens for changes.
const MAX_CONNECTIONS: usize = 16;
/// Maximum number of calls that have a connection or wait for one; a further call fails with [`StoreError::Busy`].
const MAX_CALLS: usize = 4_096;
/// Maximum time that a call waits for a connection.
const CONNECTION_WAIT: Duration = Duration::from_secs(5);
/// Maximum time to open a connection, including its TLS handshake.
const CONNECT_LIMIT: Duration = Duration::from_secs(3);
/// Maximum duration of a whole call, long enough for a call over a slow network.
const CALL_LIMIT: Duration = Duration::from_secs(10);
/// Session options: the maximum time that a statement waits for a lock, and that a transaction waits for its next
/// statement.
const SESSION_LIMITS: &str = "-c lock_timeout=5s -c idle_in_transaction_session_timeout=30s";

/// Connections of a store.
#[derive(Debug)]
pub(super) struct Connections {
    pool: Pool,
    calls: Semaphore,
    is_pooled: bool,
}

impl Connections {
    /// Creates a pool for an address, without opening a connection.
    pub(super) fn new(address: &PostgresAddress) -> Result<Self, StoreError> {
        let config = config_of(address);
        let recycling_method = RecyclingMethod::Fast;
        let manager =
            Manager::from_config(config, tls::connector(address)?, ManagerConfig { recycling_method });
        let pool = Pool::builder(manager)
            .max_size(MAX_CONNECTIONS)
            .wait_timeout(Some(CONNECTION_WAIT))
            .create_timeout(Some(CONNECT_LIMIT))
            .recycle_timeout(Some(CONNECT_LIMIT))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| StoreError::Database(Box::new(error)))?;
        Ok(Self { pool, calls: Semaphore::new(MAX_CALLS), is_pooled: address.is_pooled })
    }

    /// Runs a flow on a connection, without a transaction.
    pub(super) async fn run<T: Send>(&self, flow: impl Flow<PostgresTx, T>) -> Result<T, StoreError> {
        self.limited(async {
            let mut connection = self.get().await?;
            let outcome = flow(connection.get_mut()).await;
            connection.keep_unless_away(&outcome);
            outcome
        })
        .await
    }

    /// Runs a flow in a transaction, which is committed if the flow succeeds.
    pub(super) async fn run_in_transaction<T: Send>(
        &self,
        flow: impl Flow<PostgresTx, T>,
    ) -> Result<T, StoreError> {
        self.limited(async {
            let mut connection = self.get().await?;
            let outcome = run_in_transaction(connection.get_mut(), flow).await;
            connection.keep_unless_away(&outcome);
            outcome
        })
        .await
    }

    async fn limited<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        let _permit = self.calls.try_acquire().map_err(|_| StoreError::Busy)?;
        let late = || StoreError::Away(format!("it has not responded for {} s", CALL_LIMIT.as_secs()));
        timeout(CALL_LIMIT, work).await.unwrap_or_else(|_| Err(late()))
    }

    async fn get(&self) -> Result<Checked, StoreError> {
        let object = self.pool.get().await.map_err(|error| fault::not_connected(&error))?;
        Ok(Checked(Some(PostgresTx::new(object, self.is_pooled))))
    }

    /// Closes the connections. Later calls fail with [`StoreError::Closed`].
    pub(super) fn close(&self) {
        self.pool.close();
    }
}

async fn run_in_transaction<T: Send>(
    tx: &mut PostgresTx,
    flow: impl Flow<PostgresTx, T>,
) -> Result<T, StoreError> {
    tx.begin().await?;
    let outcome = flow(tx).await;
    match &outcome {
        Ok(_) => tx.commit().await?,
        // the caller closes the connection, which rolls back the transaction
        Err(StoreError::Away(_)) => {}
        Err(_) => tx.roll_back().await?,
    }
    outcome
}

/// Returns the settings for each connection to an address.
pub(super) fn config_of(address: &PostgresAddress) -> Config {
    let mut config = address.config.clone();
    // a pooler in transaction mode accepts no options, because several clients share its sessions
    if !address.is_pooled {
        let own = config.get_options().unwrap_or_default();
        let options = format!("{SESSION_LIMITS} {own}");
        config.options(options.trim_end());
    }
    if config.get_application_name().is_none() {
        config.application_name("shruti");
    }
    config.connect_timeout(CONNECT_LIMIT);
    config.tcp_user_timeout(CALL_LIMIT);
    config.keepalives_idle(CALL_LIMIT);
    config
}

/// Connection that returns to the pool only after a completed call. The connection of an abandoned call is closed,
/// because it may have an outstanding response.
struct Checked(Option<PostgresTx>);

impl Checked {
    #[allow(clippy::expect_used, reason = "the connection is taken only by methods that consume this value")]
    fn get_mut(&mut self) -> &mut PostgresTx {
        self.0.as_mut().expect("the connection was already kept")
    }

    fn keep_unless_away<T>(mut self, outcome: &Result<T, StoreError>) {
        if !matches!(outcome, Err(StoreError::Away(_))) {
            drop(self.0.take());
        }
    }
}

impl Drop for Checked {
    fn drop(&mut self) {
        if let Some(connection) = self.0.take() {
            connection.close();
        }
    }
}
