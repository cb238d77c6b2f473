//! The executors of an engine's back ends, and the resources that their streams share.

use std::sync::Arc;
use std::time::Duration;

use shruti_backend::Description;
use shruti_clock::Clock;

use crate::admission::Permit;
use crate::channel::Channel;
use crate::error::SpeakError;
use crate::queue::{Step, Ticket, Work};
use crate::seats::SeatGuard;
use crate::speech_task::SpeechTask;
use crate::stats::{Counters, Stats};
use crate::workers::WorkersOwner;

/// A stream that waits for a worker.
pub(crate) struct QueuedTask {
    pub(crate) channel: Arc<Channel>,
    pub(crate) task: Box<SpeechTask>,
}

/// Permits of one back end for an active stream: its own permit and that of the shared budget.
pub(crate) struct BackendPermit {
    pub(crate) _own: Permit,
    pub(crate) _shared: Option<Permit>,
}

/// Interface of [`Executor`](crate::executor::Executor) without the type of the back end.
pub(crate) trait DynExecutor: Send + Sync {
    fn description(&self) -> &Description;
    /// Returns a permit for one more stream if the back end has capacity.
    fn admit(&self) -> Result<BackendPermit, SpeakError>;
    /// Queues a step. If `wake` is false, no thread is woken, so the caller must be a worker thread that takes its next
    /// step afterwards.
    fn push(&self, step: Step, deadline: Duration, waiting: QueuedTask, wake: bool) -> Ticket;
    /// Removes and returns a queued step; returns `None` if a worker has taken it.
    fn remove(&self, ticket: Ticket) -> Option<QueuedTask>;
    fn counters(&self) -> &Counters;
    fn stats(&self) -> Stats;
    /// Returns whether the back end can speak now.
    fn is_usable(&self) -> bool;
    /// Registers the executor with its threads.
    fn join(self: Arc<Self>);
    /// Unregisters the executor; no stream may be active.
    fn leave(&self);
    /// Runs a step that was taken from the queue of this executor.
    fn run(&self, work: Work<QueuedTask>);
    /// Runs the most urgent step on the caller's thread; returns `false` if there is none.
    #[cfg(test)]
    fn step(&self) -> bool;
}

/// An executor that is registered with its threads. The value is dropped when neither the engine nor a stream uses the
/// executor any more. Dropping it unregisters the executor; the threads end unless they serve other executors.
pub(crate) struct Running {
    pub(crate) executor: Arc<dyn DynExecutor>,
    workers: Arc<WorkersOwner>,
}

impl Running {
    pub(crate) fn new(executor: Arc<dyn DynExecutor>, workers: Arc<WorkersOwner>) -> Self {
        Arc::clone(&executor).join();
        Self { executor, workers }
    }

    /// Starts the threads if they are not running.
    pub(crate) fn start(&self) -> std::io::Result<()> {
        self.workers.0.start()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.executor.leave();
    }
}

/// Snapshot of the executors of an engine's back ends. Each stream holds the snapshot with which it started, so a
/// removed executor lives until its last stream ends.
pub(crate) struct Executors {
    /// Executors, indexed by the number of the back end.
    by_number: Vec<Arc<Running>>,
    clock: Arc<dyn Clock>,
    max_unspoken: usize,
}

/// Permits of an active stream: one from the engine and one from each back end that works on the stream.
pub(crate) struct Permits {
    _engine: Permit,
    /// Keeps the conversation's seat with the learned voices at least as long as the stream.
    _speaking: Option<SeatGuard>,
    /// Permits, each with the number of its back end.
    backends: Vec<(usize, BackendPermit)>,
}

impl Permits {
    pub(crate) fn new(engine: Permit, speaking: Option<SeatGuard>) -> Self {
        Self { _engine: engine, _speaking: speaking, backends: Vec::new() }
    }
}

impl Executors {
    pub(crate) fn new(by_number: Vec<Arc<Running>>, clock: Arc<dyn Clock>, max_unspoken: usize) -> Self {
        Self { by_number, clock, max_unspoken }
    }

    /// Returns the executor of a back end.
    pub(crate) fn of(&self, backend: usize) -> &Arc<dyn DynExecutor> {
        &self.by_number[backend].executor
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<dyn DynExecutor>> {
        self.by_number.iter().map(|running| &running.executor)
    }

    /// Adds the permit of a back end to the permits of a stream, unless the stream already has it.
    pub(crate) fn admit(&self, backend: usize, permits: &mut Permits) -> Result<(), SpeakError> {
        if permits.backends.iter().all(|(admitted, _)| *admitted != backend) {
            permits.backends.push((backend, self.of(backend).admit()?));
        }
        Ok(())
    }

    pub(crate) fn now(&self) -> Duration {
        self.clock.now().monotonic
    }

    /// Returns the maximum number of unspoken characters of a stream.
    pub(crate) fn max_unspoken(&self) -> usize {
        self.max_unspoken
    }
}
