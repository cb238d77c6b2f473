//! Maintenance of the file.

use std::time::Duration;

use async_trait::async_trait;

use super::store::SqliteStore;
use super::tx::SqliteTx;
use super::{checkpoint, probe};
use crate::count::unsigned;
use crate::error::StoreError;
use crate::flows::prune;
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
        let look = move |tx: &mut SqliteTx| {
            let bytes: i64 = tx.connection.query_row(COUNT_BYTES, [], |row| row.get(0))?;
            // the free space is unknown if the disk does not report it
            let free = rustix::fs::statvfs(file.folder()).ok();
            Ok(StoreFacts {
                kind: format!("SQLite {}", rusqlite::version()),
                bytes: unsigned(bytes),
                free_bytes: free.map(|found| found.f_bavail.saturating_mul(found.f_frsize)),
            })
        };
        self.reads.call(self.lock_wait, look).await
    }

    async fn checkpoint(&self) -> Result<(), StoreError> {
        // the call does not wait for processes that block the checkpoint; the next call continues
        self.writes.call(Duration::ZERO, |tx| checkpoint::run(&tx.connection).map(drop)).await
    }

    async fn prune(&self, now_ms: i64) -> Result<(), StoreError> {
        prune::run(self, now_ms).await
    }

    async fn close(&self) {
        // the writer ends last: the last connection writes the log into the database file and removes the log, unless
        // another process uses the file
        self.reads.end().await;
        self.writes.end().await;
    }
}
