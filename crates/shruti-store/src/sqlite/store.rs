//! SQLite store with its two threads.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::TransactionBehavior;

use super::connection::{FILE_NAME, LOCK_WAIT, connect};
use super::database_file::DatabaseFile;
use super::tx::{SqliteTx, Synchronous};
use super::worker::Worker;
use super::{checkpoint, erasing, fault, migrations};
use crate::data_folder;
use crate::database::{Database, Flow};
use crate::error::StoreError;
use crate::hashing::Hashing;
use crate::store::Store;

/// [`Store`] in one SQLite file.
///
/// One thread writes. Another thread reads with its own connection, without waiting, because readers of a write-ahead
/// log do not wait for writers. Other processes may use the same file at the same time. When the store is closed or
/// dropped, the log is written into the database file and removed.
#[derive(Debug)]
pub struct SqliteStore {
    // the fields are dropped in this order: the writing connection is closed last, and writes the log into the file
    pub(super) reads: Worker,
    pub(super) writes: Worker,
    pub(super) lock_wait: Duration,
    pub(super) hashing: Hashing,
}

impl Store for SqliteStore {}

impl SqliteStore {
    /// Maximum time that a store call made by a server waits for a write by another process. After that time, the call
    /// fails with [`StoreError::Locked`].
    pub const SERVER_LOCK_WAIT: Duration = Duration::from_millis(500);

    /// Opens the store of a data folder. Creates the folder, which only its owner may read, and the file if they are
    /// missing; applies missing migration steps; and restricts the access of other users to existing files.
    pub fn open(data_dir: &Path) -> Result<Self, StoreError> {
        let folder_error =
            |source: io::Error| StoreError::Folder { path: data_dir.display().to_string(), source };
        let explained = |error| fault::explain(error, data_dir);
        data_folder::make_private(data_dir).map_err(folder_error)?;
        let file = data_dir.join(FILE_NAME);
        // SQLite creates the log and its index with the mode of this file
        data_folder::ensure_private_file(&file).map_err(folder_error)?;
        let mut writing = connect(&file).map_err(explained)?;
        // migrations take the write lock before they read, like the transactions of flows
        writing.set_transaction_behavior(TransactionBehavior::Immediate);
        migrations::apply(&mut writing).map_err(explained)?;
        let reading = connect(&file).map_err(explained)?;
        reading.pragma_update(None, "query_only", true).map_err(|error| explained(error.into()))?;

        let file = Arc::new(DatabaseFile::open(data_dir)?);
        let start = |name, connection, at_the_end| {
            Worker::start(name, Arc::clone(&file), connection, at_the_end).map_err(folder_error)
        };
        Ok(Self {
            reads: start("shruti-store-r", SqliteTx::reading(reading), |_| ())?,
            writes: start("shruti-store-w", SqliteTx::writing(writing), checkpoint::before_closing)?,
            lock_wait: LOCK_WAIT,
            hashing: Hashing::new(),
        })
    }

    /// Sets the maximum time that a call waits for a write by another process.
    #[must_use]
    pub fn with_lock_wait(mut self, lock_wait: Duration) -> Self {
        self.lock_wait = lock_wait;
        self
    }

    /// Returns the store as a shared trait object. The code of the operations is then generated once, in this crate,
    /// not in every crate that converts the store into an `Arc<dyn Store>`.
    pub fn shared(self) -> Arc<dyn Store> {
        Arc::new(self)
    }

    /// Returns `true` if a data folder contains a store.
    pub fn is_in(data_dir: &Path) -> bool {
        data_dir.join(FILE_NAME).is_file()
    }

    /// Runs a job on the writing connection. `synchronous` determines whether its commits wait for the disk.
    async fn call<T: Send + 'static>(
        &self,
        synchronous: Synchronous,
        job: impl FnOnce(&mut SqliteTx) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let job = move |tx: &mut SqliteTx| {
            tx.set_synchronous(synchronous)?;
            job(tx)
        };
        self.writes.call(self.lock_wait, job).await
    }
}

impl Database for SqliteStore {
    type Tx = SqliteTx;

    fn hashing(&self) -> &Hashing {
        &self.hashing
    }

    async fn read<T: Send + 'static>(&self, flow: impl Flow<SqliteTx, T>) -> Result<T, StoreError> {
        self.reads.call(self.lock_wait, |tx| tx.run(flow)).await
    }

    async fn write<T: Send + 'static>(&self, flow: impl Flow<SqliteTx, T>) -> Result<T, StoreError> {
        self.call(Synchronous::Full, |tx| tx.run(flow)).await
    }

    async fn write_unsynced<T: Send + 'static>(&self, flow: impl Flow<SqliteTx, T>) -> Result<T, StoreError> {
        self.call(Synchronous::Normal, |tx| tx.run(flow)).await
    }

    async fn write_row<T: Send + 'static>(&self, flow: impl Flow<SqliteTx, T>) -> Result<T, StoreError> {
        self.write_unsynced(flow).await
    }

    async fn write_erasing<T: Send + 'static>(&self, flow: impl Flow<SqliteTx, T>) -> Result<T, StoreError> {
        self.call(Synchronous::Full, |tx| erasing::run(tx, flow)).await
    }

    async fn key_change(&self) {
        // a file sends no notifications; servers poll for changes
        std::future::pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::{Context, Waker};

    use futures_util::FutureExt;

    use super::super::tx::{SqliteTx, Synchronous};
    use super::super::worker::MAX_WAITING_JOBS;
    use super::SqliteStore;
    use crate::database::Database;
    use crate::error::StoreError;
    use crate::flows::key_rows;
    use crate::key_store::KeyStore;

    #[tokio::test]
    async fn a_panic_does_not_reduce_the_durability_of_later_calls() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path()).unwrap();
        let synchronous = |tx: &mut SqliteTx| -> Result<i64, _> {
            assert!(tx.connection.is_autocommit(), "no transaction is open");
            Ok(tx.connection.pragma_query_value(None, "synchronous", |row| row.get(0))?)
        };
        let (normal, full) = (1, 2);
        assert_eq!(store.call(Synchronous::Normal, synchronous).await.unwrap(), normal);
        let panicked = store.write_unsynced(|_| async { panic!("as a decision may") }.boxed()).await;
        assert!(matches!(panicked, Err::<(), _>(StoreError::Closed)), "{panicked:?}");
        assert_eq!(store.call(Synchronous::Full, synchronous).await.unwrap(), full);
    }

    #[tokio::test]
    async fn a_flow_that_awaits_anything_but_its_transaction_is_rolled_back() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path()).unwrap();
        let revision = store.key_revision().await.unwrap();
        let failed = store
            .write(|tx| {
                async move {
                    key_rows::next_revision(tx).await?;
                    tokio::task::yield_now().await;
                    Ok(())
                }
                .boxed()
            })
            .await;
        assert!(matches!(failed, Err(StoreError::Database(_))), "{failed:?}");
        assert_eq!(store.key_revision().await.unwrap(), revision);
    }

    #[tokio::test]
    async fn calls_above_the_queue_limit_get_a_busy_error() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let (begin, begun) = tokio::sync::oneshot::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let at_work = Arc::clone(&store);
        let long = tokio::spawn(async move {
            let wait = move |_: &mut _| {
                begin.send(()).unwrap();
                ended.recv().unwrap();
                Ok(())
            };
            at_work.reads.call(at_work.lock_wait, wait).await
        });
        begun.await.unwrap();
        let mut crowd: Vec<_> = (0..MAX_WAITING_JOBS).map(|_| store.key_revision()).collect();
        for call in &mut crowd {
            assert!(call.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        }
        assert!(matches!(store.key_revision().await, Err(StoreError::Busy)));
        end.send(()).unwrap();
        long.await.unwrap().unwrap();
        for call in crowd {
            call.await.unwrap();
        }
        store.key_revision().await.unwrap();
    }
}
