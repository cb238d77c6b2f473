//! The store and its two threads.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

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

/// The [`Store`] in one SQLite file.
///
/// Two threads work it: one that writes, and one with a connection of its own that reads and waits for nobody, since
/// readers of a write-ahead log do not wait for writers. Other processes may use the same file at the same time. When
/// the store is closed or dropped, the log is written into the file and removed.
#[derive(Debug)]
pub struct SqliteStore {
    // closed in this order: the last connection puts the log into the file
    pub(super) reads: Worker,
    pub(super) writes: Worker,
    pub(super) lock_wait: Duration,
    pub(super) hashing: Hashing,
}

impl Store for SqliteStore {}

impl SqliteStore {
    /// How long a server waits for another process that writes. What cannot be written then is refused with
    /// [`StoreError::Locked`], or tried again.
    pub const SERVER_LOCK_WAIT: Duration = Duration::from_millis(500);

    /// Opens the store of a data folder. What is missing is made: the folder (readable by its owner alone), the
    /// file, the tables of this version. What others could read of what was there they cannot read any more.
    pub fn open(data_dir: &Path) -> Result<Self, StoreError> {
        let folder_error =
            |source: io::Error| StoreError::Folder { path: data_dir.display().to_string(), source };
        let explained = |error| fault::explain(error, data_dir);
        data_folder::make_private(data_dir).map_err(folder_error)?;
        let file = data_dir.join(FILE_NAME);
        // SQLite gives the files beside it the mode of this one
        data_folder::ensure_private_file(&file).map_err(folder_error)?;
        let mut writing = connect(&file).map_err(explained)?;
        // who writes takes the lock first: two that read before they write would be in each other's way
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

    /// The same, waiting at most so long for another process that writes.
    #[must_use]
    pub fn with_lock_wait(mut self, lock_wait: Duration) -> Self {
        self.lock_wait = lock_wait;
        self
    }

    /// Whether a data folder holds a store.
    pub fn is_in(data_dir: &Path) -> bool {
        data_dir.join(FILE_NAME).is_file()
    }

    /// A call that changes nothing. It waits for no writer.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        look_up: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.reads.call(self.lock_wait, |tx| look_up(&mut tx.connection)).await
    }

    /// A call that may change something.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let work = |tx: &mut SqliteTx| decide(&mut tx.connection);
        self.writes.call(self.lock_wait, |tx| synchronously(tx, Synchronous::Full, work)).await
    }

    /// A call whose outcome need not outlive a power cut, and so does not wait for the disk: it lives for a minute, and
    /// first audio waits for it. It outlives the death of the process like any other.
    #[allow(dead_code, reason = "the subjects move to the flows one by one")]
    pub(super) async fn call_without_sync<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let work = |tx: &mut SqliteTx| decide(&mut tx.connection);
        self.writes.call(self.lock_wait, |tx| synchronously(tx, Synchronous::Normal, work)).await
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
        let work = |tx: &mut SqliteTx| tx.run(flow);
        self.writes.call(self.lock_wait, |tx| synchronously(tx, Synchronous::Full, work)).await
    }

    async fn write_unsynced<T: Send + 'static>(&self, flow: impl Flow<SqliteTx, T>) -> Result<T, StoreError> {
        let work = |tx: &mut SqliteTx| tx.run(flow);
        self.writes.call(self.lock_wait, |tx| synchronously(tx, Synchronous::Normal, work)).await
    }

    async fn write_row<T: Send + 'static>(&self, flow: impl Flow<SqliteTx, T>) -> Result<T, StoreError> {
        self.write_unsynced(flow).await
    }

    async fn write_erasing<T: Send + 'static>(&self, flow: impl Flow<SqliteTx, T>) -> Result<T, StoreError> {
        let work = |tx: &mut SqliteTx| erasing::run(tx, flow);
        self.writes.call(self.lock_wait, |tx| synchronously(tx, Synchronous::Full, work)).await
    }

    async fn key_change(&self) {
        // a file does not notify; servers ask for changes
        std::future::pending::<()>().await;
    }
}

fn synchronously<T>(
    tx: &mut SqliteTx,
    synchronous: Synchronous,
    work: impl FnOnce(&mut SqliteTx) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    tx.set_synchronous(synchronous)?;
    work(tx)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::{Context, Waker};

    use super::super::worker::MAX_WAITING_JOBS;
    use rusqlite::Connection;

    use super::SqliteStore;
    use crate::error::StoreError;
    use crate::key_store::KeyStore;

    #[tokio::test]
    async fn a_call_that_panics_leaves_the_next_as_durable_as_before() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path()).unwrap();
        let synchronous = |connection: &mut Connection| -> Result<i64, _> {
            Ok(connection.pragma_query_value(None, "synchronous", |row| row.get(0))?)
        };
        let (normal, full) = (1, 2);
        assert_eq!(store.call_without_sync(synchronous).await.unwrap(), normal);
        let panicked = store.call_without_sync(|_| -> Result<(), _> { panic!("as a decision may") }).await;
        assert!(matches!(panicked, Err(StoreError::Closed)), "{panicked:?}");
        assert_eq!(store.call(synchronous).await.unwrap(), full);
    }

    #[tokio::test]
    async fn a_crowd_waits_and_one_more_is_told_that_the_store_is_busy() {
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
            at_work.read(wait).await
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
