//! The store in one SQLite file.

mod accounts;
mod allowance;
mod audit;
mod backup;
mod checkpoint;
mod guessing;
mod inspect;
mod keys;
mod migrations;
mod place;
mod playground;
mod probe;
mod promo;
mod prune;
mod sessions;
mod tokens;
mod usage;
mod worker;

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::Connection;

pub use inspect::Inspection;

use crate::account::AccountId;
use crate::audit::Actor;
use crate::data_folder;
use crate::disk;
use crate::hashing::Hashing;
use crate::key::KeyPrefix;
use crate::model::{CreatedKey, Issuance, KeyChanges, KeyCreation, KeyRecord, KeySpec, Revocation, Rotation};
use crate::origin::Origin;
use crate::secret::SecretHash;
use crate::store::{Store, StoreError};
use place::Place;
use worker::Worker;

/// The file's name inside the data folder.
const FILE_NAME: &str = data_folder::DATABASE;
/// How long a command waits for another process that writes, such as `shruti keys` beside a running server.
const LOCK_WAIT: Duration = Duration::from_secs(5);

/// The [`Store`] in one SQLite file.
///
/// Two threads work it: one that writes, and one with a connection of its own that reads and waits for nobody, since
/// readers of a write-ahead log do not wait for writers. Other processes may use the same file at the same time. When
/// the store is closed or dropped, the log is written into the file and removed.
#[derive(Debug)]
pub struct SqliteStore {
    // closed in this order: the last connection puts the log into the file
    reads: Worker,
    writes: Worker,
    patience: Duration,
    hashing: Hashing,
}

impl SqliteStore {
    /// How long a server waits for another process that writes. What cannot be written then is refused with
    /// [`StoreError::Locked`], or tried again.
    pub const PATIENCE_OF_SERVERS: Duration = Duration::from_millis(500);

    /// Opens the store of a data folder. What is missing is made: the folder (readable by its owner alone), the
    /// file, the tables of this version. What others could read of what was there they cannot read any more.
    pub fn open(data_dir: &Path) -> Result<Self, StoreError> {
        let folder_error =
            |source: io::Error| StoreError::Folder { path: data_dir.display().to_string(), source };
        let explained = |error| disk::explain(error, data_dir);
        data_folder::make_private(data_dir).map_err(folder_error)?;
        let file = data_dir.join(FILE_NAME);
        // SQLite gives the files beside it the mode of this one
        match create_private_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(folder_error(error)),
            _ => {}
        }
        let mut writing = connect(&file).map_err(explained)?;
        migrations::apply(&mut writing).map_err(explained)?;
        let reading = connect(&file).map_err(explained)?;
        reading.pragma_update(None, "query_only", true).map_err(|error| explained(error.into()))?;

        let place = Arc::new(Place::of(data_dir)?);
        let start = |name, connection, at_the_end| {
            Worker::start(name, Arc::clone(&place), connection, at_the_end).map_err(folder_error)
        };
        Ok(Self {
            reads: start("shruti-store-r", reading, |_| ())?,
            writes: start("shruti-store-w", writing, checkpoint::at_the_end)?,
            patience: LOCK_WAIT,
            hashing: Hashing::new(),
        })
    }

    /// The same, waiting at most so long for another process that writes.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Whether a data folder holds a store.
    pub fn is_in(data_dir: &Path) -> bool {
        data_dir.join(FILE_NAME).is_file()
    }

    /// Does what waits, and closes the file: all that was written is in it, and no log lies beside it unless another
    /// process uses it. Calls that come later fail with [`StoreError::Closed`].
    pub async fn close(&self) {
        self.reads.end().await;
        self.writes.end().await;
    }

    /// A call that changes nothing. It waits for no writer.
    async fn read<T: Send + 'static>(
        &self,
        look_up: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.reads.call(self.patience, look_up).await
    }

    /// A call that may change something.
    async fn call<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writes.call(self.patience, decide).await
    }

    /// A call whose outcome need not outlive a power cut, and so does not wait for the disk: it lives for a minute, and
    /// first audio waits for it. It outlives the death of the process like any other.
    async fn call_without_sync<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.call(|connection| without_sync(connection, decide)).await
    }
}

/// See [`SqliteStore::call_without_sync`].
fn without_sync<T>(
    connection: &mut Connection,
    decide: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    let decided = decide(connection);
    connection.pragma_update(None, "synchronous", "FULL")?;
    decided
}

/// A count as it is stored.
fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A stored count; none is below 0.
fn unsigned(stored: i64) -> u64 {
    stored.max(0).unsigned_abs()
}

/// Makes a file that its owner alone may read. Fails where there is one.
fn create_private_file(path: &Path) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn connect(file: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(LOCK_WAIT)?;
    // readers and the one writer do not wait for each other
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // a key that was printed and a revocation that was confirmed outlive a power cut
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

#[async_trait]
impl Store for SqliteStore {
    async fn ensure_first_key(&self, now_ms: i64) -> Result<Option<CreatedKey>, StoreError> {
        self.call(move |connection| keys::ensure_first(connection, now_ms)).await
    }

    async fn create_key(&self, spec: KeySpec, now_ms: i64) -> Result<CreatedKey, StoreError> {
        self.call(move |connection| keys::create(connection, &spec, now_ms)).await
    }

    async fn create_key_of(
        &self,
        account: AccountId,
        spec: KeySpec,
        now_ms: i64,
    ) -> Result<KeyCreation, StoreError> {
        self.call(move |connection| keys::create_of(connection, &account, &spec, now_ms)).await
    }

    async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        self.read(|connection| keys::list(connection)).await
    }

    async fn list_keys_of(&self, account: AccountId) -> Result<Vec<KeyRecord>, StoreError> {
        self.read(move |connection| keys::list_of(connection, &account)).await
    }

    async fn rename_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        name: String,
        now_ms: i64,
    ) -> Result<Option<KeyRecord>, StoreError> {
        self.call(move |connection| keys::rename(connection, &by, &prefix, &name, now_ms)).await
    }

    async fn rotate_key(
        &self,
        by: Actor,
        prefix: KeyPrefix,
        overlap_ms: u64,
        now_ms: i64,
    ) -> Result<Rotation, StoreError> {
        self.call(move |connection| keys::rotate(connection, &by, &prefix, overlap_ms, now_ms)).await
    }

    async fn revoke_key(&self, prefix: KeyPrefix, now_ms: i64) -> Result<Revocation, StoreError> {
        self.call(move |connection| keys::revoke(connection, &Actor::Operator, &prefix, now_ms)).await
    }

    async fn revoke_key_of(
        &self,
        account: AccountId,
        prefix: KeyPrefix,
        now_ms: i64,
    ) -> Result<Revocation, StoreError> {
        let by = Actor::Account(account);
        self.call(move |connection| keys::revoke(connection, &by, &prefix, now_ms)).await
    }

    async fn find_key(&self, prefix: KeyPrefix) -> Result<Option<KeyRecord>, StoreError> {
        self.read(move |connection| keys::find(connection, &prefix)).await
    }

    async fn key_changes_since(&self, revision: i64) -> Result<KeyChanges, StoreError> {
        self.read(move |connection| keys::changes_since(connection, revision)).await
    }

    async fn key_revision(&self) -> Result<i64, StoreError> {
        self.read(|connection| keys::revision(connection)).await
    }

    async fn probe(&self) -> Result<(), StoreError> {
        let place = self.reads.place();
        self.reads.ask(self.patience, move |connection| probe::probe(connection, &place)).await
    }

    async fn checkpoint(&self) -> Result<(), StoreError> {
        // whoever holds the file up is not waited for; what is left is done the next time
        self.writes.call(Duration::ZERO, |connection| checkpoint::run(connection)).await
    }

    async fn prune(&self, now_ms: i64) -> Result<(), StoreError> {
        self.call(move |connection| prune::prune(connection, now_ms)).await
    }

    async fn is_origin_allowed(&self, origin: Origin, now_ms: i64) -> Result<bool, StoreError> {
        self.read(move |connection| keys::is_origin_allowed(connection, &origin, now_ms)).await
    }

    async fn issue_token(&self, key: KeyPrefix, now_ms: i64) -> Result<Issuance, StoreError> {
        self.call_without_sync(move |connection| tokens::issue(connection, &key, now_ms)).await
    }

    async fn find_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.read(move |connection| tokens::find(connection, token, now_ms)).await
    }

    async fn consume_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.call_without_sync(move |connection| tokens::consume(connection, token, now_ms)).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::{Context, Waker};

    use super::SqliteStore;
    use super::worker::WAITING_JOBS;
    use crate::store::{Store, StoreError};

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
        let mut crowd: Vec<_> = (0..WAITING_JOBS).map(|_| store.key_revision()).collect();
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
