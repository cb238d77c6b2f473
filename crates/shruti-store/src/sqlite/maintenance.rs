//! The upkeep of the file.

use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt;

use super::store::SqliteStore;
use super::{checkpoint, probe, prune};
use crate::count::unsigned;
use crate::database::Database;
use crate::error::StoreError;
use crate::flows::allowance;
use crate::store::{MaintenanceStore, StoreFacts};

const COUNT_BYTES: &str = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";

#[async_trait]
impl MaintenanceStore for SqliteStore {
    async fn probe(&self) -> Result<(), StoreError> {
        let file = self.reads.file();
        self.reads.call_unchecked(self.lock_wait, move |tx| probe::probe(&mut tx.connection, &file)).await
    }

    async fn facts(&self) -> Result<StoreFacts, StoreError> {
        let file = self.reads.file();
        self.read(move |connection| {
            let bytes: i64 = connection.query_row(COUNT_BYTES, [], |row| row.get(0))?;
            // a disk that does not tell is none that is full
            let free = rustix::fs::statvfs(file.folder()).ok();
            Ok(StoreFacts {
                kind: format!("SQLite {}", rusqlite::version()),
                bytes: unsigned(bytes),
                free_bytes: free.map(|found| found.f_bavail.saturating_mul(found.f_frsize)),
            })
        })
        .await
    }

    async fn checkpoint(&self) -> Result<(), StoreError> {
        // whoever holds the file up is not waited for; what is left is done the next time
        self.writes.call(Duration::ZERO, |tx| checkpoint::run(&tx.connection).map(drop)).await
    }

    async fn prune(&self, now_ms: i64) -> Result<(), StoreError> {
        self.write(move |tx| allowance::end_expired(tx, now_ms).boxed()).await?;
        self.call(move |connection| prune::prune(connection, now_ms)).await
    }

    async fn close(&self) {
        // in this order: the last connection puts the log into the file, and none lies beside it unless another process
        // uses it
        self.reads.end().await;
        self.writes.end().await;
    }
}
