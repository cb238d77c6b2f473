//! Back ends that share threads, and come and go while the engine runs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use shruti_backend::Backend;
use shruti_clock::Clock;
use shruti_lang::{Language, VoiceId};

use crate::admission::Admission;
use crate::executor::{DynExecutor, Executor};
use crate::stats::Counters;
use crate::workers::WorkersOwner;

/// The threads that [shared back ends](SharedBackends) work on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedThreads {
    /// How many; at least 1.
    pub threads: usize,
    /// How far they stand back, 0 to 19: the system prefers other threads to them. It is also that of the threads that
    /// they start. On Linux only.
    pub niceness: i32,
}

impl Default for SharedThreads {
    /// One a core, which stand back so far that others hardly feel them.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { threads, niceness: 19 }
    }
}

/// A language of a voice that a shared back end speaks, under a name of its own perhaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The voice that clients ask for; another back end gives it.
    pub voice: VoiceId,
    /// The language.
    pub language: Language,
    /// The name of the back end that speaks.
    pub backend: String,
    /// The voice of that back end.
    pub speaker: VoiceId,
}

/// A back end that an engine does without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its name.
    pub name: String,
    /// Why it cannot be used.
    pub reason: String,
}

/// Back ends that share threads and a budget, and the voices whose languages they take over.
///
/// Their steps are done in the order of their deadlines, whosever they are. A speech takes a part of the budget, one
/// `max_speeches`th of its back end: so speeches of several back ends never count the same core twice.
#[derive(Default)]
#[must_use]
pub struct SharedBackends {
    pub(crate) backends: Vec<SharedBackend>,
    pub(crate) routes: Vec<Route>,
    pub(crate) falls_back: bool,
    pub(crate) left_out: Vec<LeftOut>,
}

/// A back end to be shared.
pub(crate) enum SharedBackend {
    New(StartBackend),
    /// The one of this name that the engine has.
    Kept(String),
}

type StartBackend = Box<dyn FnOnce(&SharedParts) -> Arc<dyn DynExecutor> + Send>;

/// What the shared back ends of an engine have in common.
pub(crate) struct SharedParts {
    pub(crate) workers: Arc<WorkersOwner>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) budget: Arc<Admission>,
    /// The counts of all that there are and were, by their names: a count that went back would mislead.
    counters: Mutex<HashMap<String, Arc<Counters>>>,
}

impl SharedParts {
    pub(crate) fn new(workers: Arc<WorkersOwner>, clock: Arc<dyn Clock>) -> Self {
        let budget = Arc::new(Admission::new(Admission::WHOLE, Arc::clone(&clock)));
        Self { workers, clock, budget, counters: Mutex::default() }
    }

    /// The counts of the back end of a name.
    fn counters(&self, name: &str) -> Arc<Counters> {
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(counters.entry(name.to_owned()).or_default())
    }

    /// The counts of all that there are and were.
    pub(crate) fn all_counters(&self) -> Vec<Arc<Counters>> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

impl SharedBackends {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a back end. Its voices are voices of the engine, in their own languages, and their names must be new.
    pub fn backend(mut self, backend: impl Backend) -> Self {
        self.backends.push(SharedBackend::New(Box::new(|parts| {
            let counters = parts.counters(&backend.description().name);
            Arc::new(Executor::sharing(backend, parts, counters))
        })));
        self
    }

    /// Adds the back end of this name that the engine has already.
    pub fn keep(mut self, name: impl Into<String>) -> Self {
        self.backends.push(SharedBackend::Kept(name.into()));
        self
    }

    /// Gives a language of a voice to one of the back ends.
    pub fn route(mut self, route: Route) -> Self {
        self.routes.push(route);
        self
    }

    /// Whether, where the back end of a route has no room, the voice's own speaks instead of a refusal. The same
    /// request then no longer gives the same samples.
    pub fn falls_back(mut self, falls_back: bool) -> Self {
        self.falls_back = falls_back;
        self
    }

    /// Reports back ends that cannot be used: [`Engine::left_out`](crate::Engine::left_out) lists them.
    pub fn left_out(mut self, left_out: Vec<LeftOut>) -> Self {
        self.left_out = left_out;
        self
    }
}

impl std::fmt::Debug for SharedBackends {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedBackends").field("routes", &self.routes).finish_non_exhaustive()
    }
}
