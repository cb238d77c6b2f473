//! The executors of an engine's back ends, and the resources that their streams share.

use std::sync::Arc;
use std::time::Duration;

use shruti_clock::Clock;

use crate::admission::Permit;
use crate::binding::Binding;
use crate::executor::{BackendPermit, DynExecutor};
use crate::seats::SeatGuard;
use crate::speech::SpeakError;
use crate::workers::WorkersOwner;

/// An executor that is registered with its threads. When it is dropped, no stream uses it: it is unregistered, and its
/// threads end unless they serve other executors.
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

/// Snapshot of the executors that speak for the voices of an engine. Each stream holds the snapshot with which it
/// started, so a removed executor lives until its last stream ends.
pub(crate) struct Executors {
    /// Indexed by the number of the back end: the order in which back ends were added to the engine.
    by_number: Vec<Arc<Running>>,
    clock: Arc<dyn Clock>,
    max_unspoken: usize,
}

/// Permits of an active stream: one of the engine, and one of each back end that works on the stream.
pub(crate) struct Permits {
    _engine: Permit,
    /// Keeps the conversation's seat with the learned voices at least as long as the stream.
    _speaking: Option<SeatGuard>,
    /// Permits with the numbers of their back ends.
    backends: Vec<(usize, BackendPermit)>,
}

impl Permits {
    pub(crate) fn new(engine: Permit, binding: Option<&Binding>) -> Self {
        Self { _engine: engine, _speaking: binding.and_then(Binding::speak), backends: Vec::new() }
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

    /// Adds the permit of a back end to the permits of a stream, unless it is present.
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
