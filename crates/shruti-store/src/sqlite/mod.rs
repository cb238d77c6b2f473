//! The store in one SQLite file.

mod accounts;
mod allowance;
mod audit;
mod backup;
mod guessing;
mod inspect;
mod keys;
mod migrations;
mod playground;
mod promo;
mod prune;
mod sessions;
mod tokens;
mod usage;

use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread;
use std::time::Duration;

use async_trait::async_trait;
use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

pub use inspect::Inspection;

use crate::account::AccountId;
use crate::audit::Actor;
use crate::key::KeyPrefix;
use crate::model::{CreatedKey, Issuance, KeyChanges, KeyCreation, KeyRecord, KeySpec, Revocation, Rotation};
use crate::origin::Origin;
use crate::password::Hashing;
use crate::secret::SecretHash;
use crate::store::{Store, StoreError};

/// The file's name inside the data folder.
const FILE_NAME: &str = "shruti.db";
/// Calls that may wait for the store's thread; one more is refused with [`StoreError::Busy`]. All clients of a server
/// that was started anew come at once with keys that no cache knows: such a crowd waits some 0.2 s, which is better than
/// being sent away to come again together.
const WAITING_CALLS: usize = 4_096;
/// How long to wait for another process that writes, such as `shruti keys` beside a running server.
const LOCK_WAIT: Duration = Duration::from_secs(5);

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// The [`Store`] in one SQLite file, worked by a thread of its own.
///
/// Other processes may use the same file at the same time. The thread ends when the store is dropped.
#[derive(Debug)]
pub struct SqliteStore {
    jobs: mpsc::Sender<Job>,
    hashing: Hashing,
}

impl SqliteStore {
    /// Opens the store of a data folder. What is missing is made: the folder (readable by its owner alone), the
    /// file, the tables of this version.
    pub fn open(data_dir: &Path) -> Result<Self, StoreError> {
        let folder_error =
            |source: io::Error| StoreError::Folder { path: data_dir.display().to_string(), source };
        create_private_folder(data_dir).map_err(folder_error)?;
        let mut connection = Connection::open(data_dir.join(FILE_NAME))?;
        prepare(&connection)?;
        migrations::apply(&mut connection)?;

        let (jobs, mut waiting) = mpsc::channel::<Job>(WAITING_CALLS);
        let work = move || {
            while let Some(job) = waiting.blocking_recv() {
                // a job that panics takes its caller down, not the store; its transaction rolls back on unwinding
                if catch_unwind(AssertUnwindSafe(|| job(&mut connection))).is_err() {
                    tracing::error!("a store job panicked");
                }
            }
        };
        thread::Builder::new().name("shruti-store".to_owned()).spawn(work).map_err(folder_error)?;
        Ok(Self { jobs, hashing: Hashing::new() })
    }

    /// Whether a data folder holds a store.
    pub fn is_in(data_dir: &Path) -> bool {
        data_dir.join(FILE_NAME).is_file()
    }

    async fn call<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // the caller may have gone; then nobody wants the answer
            let _ = answer.send(decide(connection));
        });
        self.jobs.try_send(job).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => StoreError::Busy,
            mpsc::error::TrySendError::Closed(_) => StoreError::Closed,
        })?;
        answered.await.map_err(|_| StoreError::Closed)?
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

#[cfg(unix)]
fn create_private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create_private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

fn prepare(connection: &Connection) -> Result<(), StoreError> {
    connection.busy_timeout(LOCK_WAIT)?;
    // readers and the one writer do not wait for each other
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // a key that was printed and a revocation that was confirmed outlive a power cut
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(())
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
        self.call(|connection| keys::list(connection)).await
    }

    async fn list_keys_of(&self, account: AccountId) -> Result<Vec<KeyRecord>, StoreError> {
        self.call(move |connection| keys::list_of(connection, &account)).await
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
        self.call(move |connection| keys::find(connection, &prefix)).await
    }

    async fn key_changes_since(&self, revision: i64) -> Result<KeyChanges, StoreError> {
        self.call(move |connection| keys::changes_since(connection, revision)).await
    }

    async fn key_revision(&self) -> Result<i64, StoreError> {
        self.call(|connection| keys::revision(connection)).await
    }

    async fn prune(&self, now_ms: i64) -> Result<(), StoreError> {
        self.call(move |connection| prune::prune(connection, now_ms)).await
    }

    async fn is_origin_allowed(&self, origin: Origin, now_ms: i64) -> Result<bool, StoreError> {
        self.call(move |connection| keys::is_origin_allowed(connection, &origin, now_ms)).await
    }

    async fn issue_token(&self, key: KeyPrefix, now_ms: i64) -> Result<Issuance, StoreError> {
        self.call_without_sync(move |connection| tokens::issue(connection, &key, now_ms)).await
    }

    async fn find_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.call(move |connection| tokens::find(connection, token, now_ms)).await
    }

    async fn consume_token(&self, token: SecretHash, now_ms: i64) -> Result<Option<KeyRecord>, StoreError> {
        self.call_without_sync(move |connection| tokens::consume(connection, token, now_ms)).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::{Context, Waker};

    use super::{SqliteStore, WAITING_CALLS};
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
            at_work.call(wait).await
        });
        begun.await.unwrap();
        let mut crowd: Vec<_> = (0..WAITING_CALLS).map(|_| store.key_revision()).collect();
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
