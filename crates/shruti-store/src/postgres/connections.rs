//! Connections: a few, shared by all calls, each call within a time.

use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_postgres::Config;

use super::PostgresAddress;
use super::client::{Connection, Transaction};
use super::fault;
use super::tls;
use super::tx::PostgresTx;
use crate::database::Flow;
use crate::error::StoreError;

/// Connections of one server, beside the one that listens for changes.
const MAX_CONNECTIONS: usize = 16;
/// Calls that may wait for a connection, with those that have one; one more is refused with [`StoreError::Busy`].
const MAX_CALLS: usize = 4_096;
/// How long a call waits for a connection of its own.
const CONNECTION_WAIT: Duration = Duration::from_secs(5);
/// How long opening a connection may take, its TLS handshake included.
const CONNECT_LIMIT: Duration = Duration::from_secs(3);
/// How long a whole call may take: more than one over a slow network takes.
const CALL_LIMIT: Duration = Duration::from_secs(10);
/// How long a statement waits for a row that another holds, and a transaction for its next statement: as options of a
/// session, and as statements of a transaction.
const SESSION_LIMITS: &str = "-c lock_timeout=5s -c idle_in_transaction_session_timeout=30s";
const TRANSACTION_LIMITS: &str =
    "SET LOCAL lock_timeout = '5s'; SET LOCAL idle_in_transaction_session_timeout = '30s'";

/// The connections of a store.
#[derive(Debug)]
pub(super) struct Connections {
    pool: Pool,
    calls: Semaphore,
    is_pooled: bool,
}

impl Connections {
    /// Connections to an address; none is opened yet.
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

    /// Does what needs no transaction.
    pub(super) async fn read<T>(
        &self,
        look_up: impl AsyncFnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.limited(async {
            let connection = Checked::new(self.get().await?);
            let found = look_up(connection.get()).await;
            connection.keep_unless_away(&found);
            found
        })
        .await
    }

    /// Does something in one transaction, which is kept if it ends well.
    pub(super) async fn transaction<T>(
        &self,
        decide: impl AsyncFnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.limited(async {
            let mut connection = Checked::new(self.get().await?);
            let decided = in_transaction(connection.get_mut(), self.is_pooled, decide).await;
            connection.keep_unless_away(&decided);
            decided
        })
        .await
    }

    /// Runs a flow on a connection, without a transaction.
    pub(super) async fn run<T: Send>(&self, flow: impl Flow<PostgresTx, T>) -> Result<T, StoreError> {
        self.limited(async {
            let mut connection = Checked::new(self.get().await?);
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
            let mut connection = Checked::new(self.get().await?);
            let outcome = run_in_transaction(connection.get_mut(), flow).await;
            connection.keep_unless_away(&outcome);
            outcome
        })
        .await
    }

    async fn limited<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        let _permit = self.calls.try_acquire().map_err(|_| StoreError::Busy)?;
        let late = || StoreError::Away(format!("it has not answered for {} s", CALL_LIMIT.as_secs()));
        timeout(CALL_LIMIT, work).await.unwrap_or_else(|_| Err(late()))
    }

    async fn get(&self) -> Result<Connection, StoreError> {
        let object = self.pool.get().await.map_err(|error| fault::not_connected(&error))?;
        Ok(Connection::new(object, self.is_pooled))
    }

    /// Closes them; calls that come later fail with [`StoreError::Closed`].
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
        // the connection is closed, which rolls back
        Err(StoreError::Away(_)) => {}
        Err(_) => tx.roll_back().await?,
    }
    outcome
}

async fn in_transaction<T>(
    connection: &mut Connection,
    is_pooled: bool,
    decide: impl AsyncFnOnce(&Transaction<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let transaction = connection.transaction().await?;
    if is_pooled {
        transaction.batch_execute(TRANSACTION_LIMITS).await?;
    }
    let decided = decide(&transaction).await?;
    transaction.commit().await?;
    Ok(decided)
}

/// What is told the database of each connection.
pub(super) fn config_of(address: &PostgresAddress) -> Config {
    let mut config = address.config.clone();
    // a pooler by transaction takes no options: its sessions are many clients'
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

/// A connection that goes back to the others only after a call that came to its end: one that was given up may have an
/// answer on its way, or none ever.
struct Checked(Option<Connection>);

impl Checked {
    fn new(connection: Connection) -> Self {
        Self(Some(connection))
    }

    #[allow(clippy::expect_used, reason = "it is there until it is kept, which takes the whole")]
    fn get(&self) -> &Connection {
        self.0.as_ref().expect("kept already")
    }

    #[allow(clippy::expect_used, reason = "it is there until it is kept, which takes the whole")]
    fn get_mut(&mut self) -> &mut Connection {
        self.0.as_mut().expect("kept already")
    }

    fn keep_unless_away<T>(mut self, ended: &Result<T, StoreError>) {
        if !matches!(ended, Err(StoreError::Away(_))) {
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
