//! Maintenance of the database, most of which PostgreSQL does itself.

use async_trait::async_trait;
use futures_util::FutureExt;

use super::store::PostgresStore;
use crate::database::{Database, Tx, params};
use crate::error::StoreError;
use crate::flows::prune;
use crate::sql::Sql;
use crate::store::{MaintenanceStore, StoreFacts};

const FACTS: Sql = Sql::postgres_only(
    "SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes",
);

#[async_trait]
impl MaintenanceStore for PostgresStore {
    async fn probe(&self) -> Result<(), StoreError> {
        // no check is needed: no pages are cached here, so the query for key changes fails if the database is
        // unavailable
        Ok(())
    }

    async fn facts(&self) -> Result<StoreFacts, StoreError> {
        self.read(|tx| {
            tx.one(&FACTS, params![], |row| {
                let kind = format!("PostgreSQL {}", row.get::<String>("version")?);
                Ok(StoreFacts { kind, bytes: row.get("bytes")?, free_bytes: None })
            })
            .boxed()
        })
        .await
    }

    async fn checkpoint(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn prune(&self, now_ms: i64) -> Result<(), StoreError> {
        prune::run(self, now_ms).await
    }

    async fn close(&self) {
        self.connections.close();
    }
}
