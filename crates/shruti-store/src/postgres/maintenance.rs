//! The upkeep of the database, most of which PostgreSQL does by itself.

use async_trait::async_trait;

use super::prune;
use super::store::PostgresStore;
use crate::error::StoreError;
use crate::store::MaintenanceStore;

#[async_trait]
impl MaintenanceStore for PostgresStore {
    async fn probe(&self) -> Result<(), StoreError> {
        // nothing is cached here that could hide what became of it: the question for changes tells it
        Ok(())
    }

    async fn checkpoint(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn prune(&self, now_ms: i64) -> Result<(), StoreError> {
        self.end_expired_leases(now_ms).await?;
        self.call(async |transaction| prune::prune(transaction, now_ms).await).await
    }

    async fn close(&self) {
        self.connections.close();
    }
}
