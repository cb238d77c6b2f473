//! The executors of an engine's back ends, and what their speeches share.

use std::sync::Arc;
use std::time::Duration;

use shruti_clock::Clock;

use crate::admission::Permit;
use crate::binding::Binding;
use crate::executor::{BackendPermit, DynExecutor};
use crate::seats::Speaking;
use crate::speech::Refused;
use crate::workers::WorkersOwner;

/// An executor that is worked for. When it is dropped nothing is in progress with it: it leaves its threads, and these
/// end where nothing else is theirs.
pub(crate) struct Running {
    pub(crate) executor: Arc<dyn DynExecutor>,
    workers: Arc<WorkersOwner>,
}

impl Running {
    pub(crate) fn new(executor: Arc<dyn DynExecutor>, workers: Arc<WorkersOwner>) -> Self {
        Arc::clone(&executor).join();
        Self { executor, workers }
    }

    /// Starts the threads, if they have not been.
    pub(crate) fn start(&self) -> std::io::Result<()> {
        self.workers.0.start()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.executor.leave();
    }
}

/// The executors that the voices of an engine are spoken by at a time. Each speech holds those with which it began, so
/// one that the engine has no longer ends with its last speech.
pub(crate) struct Executors {
    /// By the numbers of their back ends: the order in which these were given to the engine.
    by_number: Vec<Arc<Running>>,
    clock: Arc<dyn Clock>,
    max_unspoken: usize,
}

/// Leave to be in progress: the engine's, and that of each back end that has something to do for the speech.
pub(crate) struct Permits {
    _engine: Permit,
    /// Its conversation's seat with the learned voices lasts at least as long as the speech.
    _speaking: Option<Speaking>,
    /// Each with the number of its back end.
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

    /// The executor of a back end.
    pub(crate) fn of(&self, backend: usize) -> &Arc<dyn DynExecutor> {
        &self.by_number[backend].executor
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<dyn DynExecutor>> {
        self.by_number.iter().map(|running| &running.executor)
    }

    /// Adds the leave of a back end to the permits of a speech, if it is not among them.
    pub(crate) fn admit(&self, backend: usize, permits: &mut Permits) -> Result<(), Refused> {
        if permits.backends.iter().all(|(admitted, _)| *admitted != backend) {
            permits.backends.push((backend, self.of(backend).admit()?));
        }
        Ok(())
    }

    pub(crate) fn now(&self) -> Duration {
        self.clock.now().monotonic
    }

    /// How many characters of a speech may wait to be spoken.
    pub(crate) fn max_unspoken(&self) -> usize {
        self.max_unspoken
    }
}
