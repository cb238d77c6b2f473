//! The store and its connections.

use std::sync::{Arc, OnceLock};

use tokio::sync::Notify;

use super::client::{Connection, Transaction};
use super::connections::Connections;
use super::listener::Listener;
use super::tx::PostgresTx;
use super::{PostgresAddress, migrations};
use crate::database::{Database, Flow};
use crate::error::StoreError;
use crate::hashing::Hashing;
use crate::store::Store;

/// The [`Store`] in a PostgreSQL database, which several servers may share.
///
/// It keeps some connections, each call within a time; a call fails with [`StoreError::Away`] while the database cannot
/// be reached, and the next one tries anew. Who waits for changes of keys has one connection more.
#[derive(Debug)]
pub struct PostgresStore {
    pub(super) address: PostgresAddress,
    pub(super) connections: Connections,
    pub(super) hashing: Hashing,
    /// Told when another process may have changed a key.
    pub(super) key_changes: Arc<Notify>,
    pub(super) listener: OnceLock<Listener>,
}

impl Store for PostgresStore {}

impl PostgresStore {
    /// Opens the store at an address, and brings its tables up to date where they are not: for that, and for nothing
    /// else, the user must be allowed to make tables.
    pub async fn open(address: &PostgresAddress) -> Result<Self, StoreError> {
        let connections = Connections::new(address)?;
        migrations::apply(&connections).await?;
        Ok(Self {
            address: address.clone(),
            connections,
            hashing: Hashing::new(),
            key_changes: Arc::default(),
            listener: OnceLock::new(),
        })
    }

    /// A call that changes nothing, or one row in one statement.
    pub(super) async fn read<T>(
        &self,
        look_up: impl AsyncFnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.connections.read(look_up).await
    }

    /// A call that may change something.
    pub(super) async fn call<T>(
        &self,
        decide: impl AsyncFnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.connections.transaction(decide).await
    }
}

impl Database for PostgresStore {
    type Tx = PostgresTx;

    fn hashing(&self) -> &Hashing {
        &self.hashing
    }

    async fn read<T: Send + 'static>(&self, flow: impl Flow<PostgresTx, T>) -> Result<T, StoreError> {
        self.connections.run(flow).await
    }

    async fn write<T: Send + 'static>(&self, flow: impl Flow<PostgresTx, T>) -> Result<T, StoreError> {
        self.connections.run_in_transaction(flow).await
    }

    async fn write_unsynced<T: Send + 'static>(
        &self,
        flow: impl Flow<PostgresTx, T>,
    ) -> Result<T, StoreError> {
        self.connections.run_in_transaction(flow).await
    }

    async fn write_row<T: Send + 'static>(&self, flow: impl Flow<PostgresTx, T>) -> Result<T, StoreError> {
        self.connections.run(flow).await
    }

    async fn write_erasing<T: Send + 'static>(
        &self,
        flow: impl Flow<PostgresTx, T>,
    ) -> Result<T, StoreError> {
        self.connections.run_in_transaction(flow).await
    }

    async fn key_change(&self) {
        // notifications need a session; servers ask for changes in any case
        if let Some(address) = self.address.session() {
            self.listener.get_or_init(|| Listener::start(address.clone(), Arc::clone(&self.key_changes)));
        }
        self.key_changes.notified().await;
    }
}
