//! The upkeep of the database, most of which PostgreSQL does by itself.

use async_trait::async_trait;

use super::store::PostgresStore;
use super::{prune, rows};
use crate::count::unsigned;
use crate::error::StoreError;
use crate::flows::allowance;
use crate::store::{MaintenanceStore, StoreFacts};

const FACTS: &str =
    "SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes";

#[async_trait]
impl MaintenanceStore for PostgresStore {
    async fn probe(&self) -> Result<(), StoreError> {
        // nothing is cached here that could hide what became of it: the question for changes tells it
        Ok(())
    }

    async fn facts(&self) -> Result<StoreFacts, StoreError> {
        self.read(async |client| {
            let row = rows::one(client, FACTS, &[]).await?;
            let version: &str = row.try_get("version")?;
            let bytes = unsigned(row.try_get("bytes")?);
            Ok(StoreFacts { kind: format!("PostgreSQL {version}"), bytes, free_bytes: None })
        })
        .await
    }

    async fn checkpoint(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn prune(&self, now_ms: i64) -> Result<(), StoreError> {
        allowance::end_expired_singly(self, now_ms).await?;
        self.call(async |transaction| prune::prune(transaction, now_ms).await).await
    }

    async fn close(&self) {
        self.connections.close();
    }
}
