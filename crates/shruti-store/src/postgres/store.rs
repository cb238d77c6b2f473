//! PostgreSQL store with its connections.

use std::sync::{Arc, OnceLock};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::Notify;

use super::connections::Connections;
use super::listener::Listener;
use super::tx::PostgresTx;
use super::{PostgresAddress, migrations};
use crate::database::{Database, Flow};
use crate::error::StoreError;
use crate::hashing::Hashing;
use crate::store::Store;

/// [`Store`] in a PostgreSQL database, which several servers may share.
///
/// The store has a pool of connections and a time limit for calls. While the database is unavailable, a call fails with
/// [`StoreError::Away`], and the next call tries to connect again. Waiting for key changes uses one more connection.
#[derive(Debug)]
pub struct PostgresStore {
    pub(super) address: PostgresAddress,
    pub(super) connections: Connections,
    pub(super) hashing: Hashing,
    /// Notified when another process may have changed a key.
    pub(super) key_changes: Arc<Notify>,
    pub(super) listener: OnceLock<Listener>,
}

impl Store for PostgresStore {}

impl PostgresStore {
    /// Opens the store at an address, and migrates its tables if they are outdated. Only a migration needs the right to
    /// create tables.
    pub fn open(address: &PostgresAddress) -> BoxFuture<'_, Result<Self, StoreError>> {
        // boxed like the other public futures of this type, so that their code is generated only in this crate
        async move {
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
        .boxed()
    }

    /// Returns the store as a shared trait object. The code of the operations is then generated once, in this crate,
    /// not in every crate that converts the store into an `Arc<dyn Store>`.
    pub fn shared(self) -> Arc<dyn Store> {
        Arc::new(self)
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
        // notifications need a session; without them servers still poll for changes
        if let Some(address) = self.address.session() {
            self.listener.get_or_init(|| Listener::start(address.clone(), Arc::clone(&self.key_changes)));
        }
        self.key_changes.notified().await;
    }
}
