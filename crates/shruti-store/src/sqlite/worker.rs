//! Threads that hold a connection and do one job after the other.
//!
//! `tokio-rusqlite` does the same with a queue without a bound, and one wait for locks for all calls. Here a full
//! queue is refused at once, the time that a job has waited counts towards its wait for a lock, the file is checked
//! before each job, and closing waits for the jobs that were taken.

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

/// Jobs that may wait for a thread; one more is refused with [`StoreError::Busy`]. All clients of a server
/// that was started anew come at once with keys that no cache knows: such a crowd waits some 0.2 s, which is better
/// than being sent away to come again together.
pub(super) const MAX_WAITING_JOBS: usize = 4_096;

type Work = Box<dyn FnOnce(&mut SqliteTx) + Send>;

enum Job {
    Work {
        work: Work,
        /// Until when it may wait for another process that writes.
        lock_deadline: Instant,
    },
    /// The last job: the thread ends.
    End,
}

/// A thread with a connection. It ends, and closes the connection, when this is dropped.
#[derive(Debug)]
pub(super) struct Worker {
    file: Arc<DatabaseFile>,
    jobs: mpsc::Sender<Job>,
    thread: Option<JoinHandle<()>>,
    ended: tokio::sync::watch::Receiver<()>,
}

impl Worker {
    /// Starts a thread that works on a connection, and does `before_closing` with it at its end.
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
            // dropped last of all: who waits for the end waits for the closing too
            let _ends = ends;
            while let Some(Job::Work { work, lock_deadline }) = waiting.blocking_recv() {
                let lock_wait = lock_deadline.saturating_duration_since(Instant::now());
                // a job that panics takes its caller down, not the store; its transaction rolls back on unwinding
                let done = catch_unwind(AssertUnwindSafe(|| {
                    if let Err(error) = tx.connection.busy_timeout(lock_wait) {
                        tracing::error!(%error, "how long to wait for a lock could not be set");
                    }
                    work(&mut tx);
                }));
                if done.is_err() {
                    tracing::error!("a store job panicked");
                }
            }
            // what waits behind the end is told that the store is closed
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

    /// The file of its database.
    pub(super) fn file(&self) -> Arc<DatabaseFile> {
        Arc::clone(&self.file)
    }

    /// Has a decision made, which may wait so long for another process that writes. Fails where the file is gone or
    /// damaged.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        lock_wait: Duration,
        decide: impl FnOnce(&mut SqliteTx) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let file = Arc::clone(&self.file);
        self.call_unchecked(lock_wait, move |tx| file.check().and_then(|()| decide(tx))).await
    }

    /// The same, without a look at the file first.
    pub(super) async fn call_unchecked<T: Send + 'static>(
        &self,
        lock_wait: Duration,
        decide: impl FnOnce(&mut SqliteTx) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let file = Arc::clone(&self.file);
        self.enqueue(lock_wait, move |tx| {
            let decided = decide(tx);
            // the caller may have gone; then nobody wants the answer
            let _ = answer.send(decided.map_err(|error| fault::explain(error, file.folder())));
        })?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Puts a job into the queue.
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

    /// Ends it when all that waits is done, and waits until it has closed its connection.
    pub(super) async fn end(&self) {
        // one that has ended takes no more
        let _ = self.jobs.send(Job::End).await;
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // without a sender the thread finishes what waits, and ends
        self.jobs = mpsc::channel(1).0;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("a thread of the store panicked");
        }
    }
}
