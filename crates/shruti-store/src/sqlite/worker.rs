//! Worker threads that own a connection and run jobs one after another.
//!
//! `tokio-rusqlite` is not used, because it has an unbounded queue and one lock timeout for all calls. Here a full
//! queue rejects a job immediately, the time in the queue counts towards the lock timeout of a job, the file is checked
//! before each job, and closing waits for the accepted jobs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::database_file::DatabaseFile;
use super::fault;
use super::tx::SqliteTx;
use crate::error::StoreError;

/// Maximum number of waiting jobs; a further job fails with [`StoreError::Busy`]. After a restart of the server, all
/// clients send their keys at the same time, and none of the keys is cached. Their lookups wait in the queue for about
/// 0.2 s, which is better than rejections followed by simultaneous retries.
pub(super) const MAX_WAITING_JOBS: usize = 4_096;

type Work = Box<dyn FnOnce(&mut SqliteTx) + Send>;

enum Job {
    Work {
        work: Work,
        /// Time until which the job may wait for another process that writes.
        lock_deadline: Instant,
    },
    /// Last job, after which the thread ends.
    End,
}

/// Thread with a connection. When this value is dropped, the thread finishes the waiting jobs, closes the connection
/// and ends.
#[derive(Debug)]
pub(super) struct Worker {
    file: Arc<DatabaseFile>,
    jobs: mpsc::Sender<Job>,
    thread: Option<JoinHandle<()>>,
    ended: tokio::sync::watch::Receiver<()>,
}

impl Worker {
    /// Starts a thread that runs jobs on a connection. When the thread ends, it calls `before_closing`, unless the file
    /// was removed, replaced or damaged.
    pub(super) fn start(
        name: &str,
        file: Arc<DatabaseFile>,
        mut tx: SqliteTx,
        before_closing: fn(&Connection),
    ) -> std::io::Result<Self> {
        let (jobs, mut waiting) = mpsc::channel::<Job>(MAX_WAITING_JOBS);
        let (ends, ended) = tokio::sync::watch::channel(());
        let file_of_thread = Arc::clone(&file);
        let work = move || {
            // this is dropped last, so that waiting for the end includes closing the connection
            let _ends = ends;
            while let Some(Job::Work { work, lock_deadline }) = waiting.blocking_recv() {
                let lock_wait = lock_deadline.saturating_duration_since(Instant::now());
                // a panic fails only the call that queued this job, and unwinding rolls back its transaction
                let done = catch_unwind(AssertUnwindSafe(|| {
                    if let Err(error) = tx.connection.busy_timeout(lock_wait) {
                        tracing::error!(%error, "the lock timeout could not be set");
                    }
                    work(&mut tx);
                }));
                if done.is_err() {
                    tracing::error!("a store job panicked");
                }
            }
            // jobs that are queued after `Job::End` fail because the store is closed
            drop(waiting);
            if file_of_thread.check().is_ok() {
                before_closing(&tx.connection);
            }
            if let Err((_, error)) = tx.connection.close() {
                tracing::error!(%error, "the database could not be closed");
            }
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(Self { file, jobs, thread: Some(thread), ended })
    }

    /// Returns the file of the database.
    pub(super) fn file(&self) -> Arc<DatabaseFile> {
        Arc::clone(&self.file)
    }

    /// Runs a job, which may wait up to `lock_wait` for a write by another process. Fails if the file was removed,
    /// replaced or damaged.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        lock_wait: Duration,
        decide: impl FnOnce(&mut SqliteTx) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let file = Arc::clone(&self.file);
        self.call_unchecked(lock_wait, move |tx| file.check().and_then(|()| decide(tx))).await
    }

    /// Runs a job like [`call`](Self::call), but without checking the file.
    pub(super) async fn call_unchecked<T: Send + 'static>(
        &self,
        lock_wait: Duration,
        decide: impl FnOnce(&mut SqliteTx) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let file = Arc::clone(&self.file);
        self.enqueue(lock_wait, move |tx| {
            let decided = decide(tx);
            // the caller may have been dropped
            let _ = answer.send(decided.map_err(|error| fault::explain(error, file.folder())));
        })?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Adds a job to the queue.
    fn enqueue(
        &self,
        lock_wait: Duration,
        work: impl FnOnce(&mut SqliteTx) + Send + 'static,
    ) -> Result<(), StoreError> {
        let job = Job::Work { work: Box::new(work), lock_deadline: Instant::now() + lock_wait };
        self.jobs.try_send(job).map_err(|refused| match refused {
            mpsc::error::TrySendError::Full(_) => StoreError::Busy,
            mpsc::error::TrySendError::Closed(_) => StoreError::Closed,
        })
    }

    /// Ends the thread after the jobs that are already in the queue, and waits until it has closed its connection.
    pub(super) async fn end(&self) {
        // sending fails if the thread has already ended
        let _ = self.jobs.send(Job::End).await;
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // without a sender the thread finishes the waiting jobs and ends
        self.jobs = mpsc::channel(1).0;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("a thread of the store panicked");
        }
    }
}
