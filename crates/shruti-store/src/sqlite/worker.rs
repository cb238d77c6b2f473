//! Threads that hold a connection and do one job after the other.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::place::Place;
use crate::disk;
use crate::store::StoreError;

/// Jobs that may wait for a thread; one more is refused with [`StoreError::Busy`]. All clients of a server
/// that was started anew come at once with keys that no cache knows: such a crowd waits some 0.2 s, which is better
/// than being sent away to come again together.
pub(super) const WAITING_JOBS: usize = 4_096;

type Work = Box<dyn FnOnce(&mut Connection) + Send>;

enum Job {
    Work {
        work: Work,
        /// Until when it may wait for another process that writes.
        patience_ends: Instant,
    },
    /// Be the last.
    End,
}

/// A thread with a connection. It ends, and closes the connection, when this is dropped.
#[derive(Debug)]
pub(super) struct Worker {
    place: Arc<Place>,
    jobs: mpsc::Sender<Job>,
    thread: Option<JoinHandle<()>>,
    ended: tokio::sync::watch::Receiver<()>,
}

impl Worker {
    /// Starts a thread that works on a connection, and does `at_the_end` with it before it closes it.
    pub(super) fn start(
        name: &str,
        place: Arc<Place>,
        mut connection: Connection,
        at_the_end: fn(&Connection),
    ) -> std::io::Result<Self> {
        let (jobs, mut waiting) = mpsc::channel::<Job>(WAITING_JOBS);
        let (ends, ended) = tokio::sync::watch::channel(());
        let place_of_thread = Arc::clone(&place);
        let work = move || {
            // dropped last of all: who waits for the end waits for the closing too
            let _ends = ends;
            while let Some(Job::Work { work, patience_ends }) = waiting.blocking_recv() {
                let patience = patience_ends.saturating_duration_since(Instant::now());
                // a job that panics takes its caller down, not the store; its transaction rolls back on unwinding
                let done = catch_unwind(AssertUnwindSafe(|| {
                    if let Err(error) = connection.busy_timeout(patience) {
                        tracing::error!(%error, "how long to wait for a lock could not be set");
                    }
                    work(&mut connection);
                }));
                if done.is_err() {
                    tracing::error!("a store job panicked");
                }
            }
            // what waits behind the end is told that the store is closed
            drop(waiting);
            if place_of_thread.judge().is_ok() {
                at_the_end(&connection);
            }
            if let Err((_, error)) = connection.close() {
                tracing::error!(%error, "the database could not be closed");
            }
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(Self { place, jobs, thread: Some(thread), ended })
    }

    /// Where its database is.
    pub(super) fn place(&self) -> Arc<Place> {
        Arc::clone(&self.place)
    }

    /// Has a decision made, which may wait so long for another process that writes.
    pub(super) async fn call<T: Send + 'static>(
        &self,
        patience: Duration,
        decide: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let place = Arc::clone(&self.place);
        self.ask(patience, move |connection| place.judge().and_then(|()| decide(connection))).await
    }

    /// The same, also of a database with damage.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        patience: Duration,
        decide: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let place = Arc::clone(&self.place);
        self.send(patience, move |connection| {
            let decided = decide(connection);
            // the caller may have gone; then nobody wants the answer
            let _ = answer.send(decided.map_err(|error| disk::explain(error, place.folder())));
        })?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Has something done of which nobody waits for the outcome.
    pub(super) fn send(
        &self,
        patience: Duration,
        work: impl FnOnce(&mut Connection) + Send + 'static,
    ) -> Result<(), StoreError> {
        let job = Job::Work { work: Box::new(work), patience_ends: Instant::now() + patience };
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
