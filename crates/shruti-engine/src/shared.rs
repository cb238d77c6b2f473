//! Back ends that share threads and can be replaced while the engine runs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use shruti_backend::Backend;
use shruti_clock::Clock;
use shruti_lang::{Language, VoiceId};

use crate::admission::Admission;
use crate::executor::Executor;
use crate::executors::DynExecutor;
use crate::stats::Counters;
use crate::workers::WorkersOwner;

/// Settings of the threads of [shared back ends](SharedBackends).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedThreads {
    /// Number of threads; at least 1.
    pub threads: usize,
    /// Niceness, 0 to 19, of the threads and of the threads that they start: a higher value means a lower priority.
    /// Ignored on systems other than Linux.
    pub niceness: i32,
}

impl Default for SharedThreads {
    /// Returns one thread per core, with the lowest priority, so that other threads are hardly affected.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { threads, niceness: 19 }
    }
}

/// Assignment of a language of a voice to a shared back end, where the voice may have a different name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Voice that clients request; another back end provides it.
    pub voice: VoiceId,
    /// Language that is routed.
    pub language: Language,
    /// Name of the back end that speaks the language.
    pub backend: String,
    /// Voice of that back end.
    pub speaker: VoiceId,
}

/// A back end that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableBackend {
    /// Name of the back end.
    pub name: String,
    /// Reason why the back end cannot be used.
    pub reason: String,
}

/// Back ends that share threads and a budget, and the routes to them.
///
/// Their steps run in deadline order across back ends. A stream occupies `1 / max_speeches` of the budget, where
/// `max_speeches` is the limit of its back end, so that no core is reserved for streams of two back ends at the same
/// time.
#[derive(Default)]
#[must_use]
pub struct SharedBackends {
    pub(crate) backends: Vec<SharedBackend>,
    pub(crate) routes: Vec<Route>,
    pub(crate) falls_back: bool,
    pub(crate) unusable_backends: Vec<UnusableBackend>,
}

/// A shared back end.
pub(crate) enum SharedBackend {
    New(StartBackend),
    /// The existing back end of this name.
    Kept(String),
}

type StartBackend = Box<dyn FnOnce(&SharedParts) -> Arc<dyn DynExecutor> + Send>;

/// Resources that the shared back ends of an engine have in common.
pub(crate) struct SharedParts {
    pub(crate) workers: Arc<WorkersOwner>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) budget: Arc<Admission>,
    /// Counters of all current and removed back ends, by name. They are kept because a counter must not decrease.
    counters: Mutex<HashMap<String, Arc<Counters>>>,
}

impl SharedParts {
    pub(crate) fn new(workers: Arc<WorkersOwner>, clock: Arc<dyn Clock>) -> Self {
        let budget = Arc::new(Admission::new(Admission::WHOLE, Arc::clone(&clock)));
        Self { workers, clock, budget, counters: Mutex::default() }
    }

    /// Returns the counters of a back end; creates them if there are none.
    fn counters(&self, name: &str) -> Arc<Counters> {
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(counters.entry(name.to_owned()).or_default())
    }

    /// Returns the counters of all current and removed back ends.
    pub(crate) fn all_counters(&self) -> Vec<Arc<Counters>> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }
}

impl SharedBackends {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a back end. Its voices become voices of the engine in the languages that the back end provides for them. No
    /// other back end may provide the same language of a voice with the same name.
    pub fn backend(mut self, backend: impl Backend) -> Self {
        self.backends.push(SharedBackend::New(Box::new(|parts| {
            let counters = parts.counters(&backend.description().name);
            Arc::new(Executor::sharing(backend, parts, counters))
        })));
        self
    }

    /// Keeps the existing shared back end of this name.
    pub fn keep(mut self, name: impl Into<String>) -> Self {
        self.backends.push(SharedBackend::Kept(name.into()));
        self
    }

    /// Routes a language of a voice to one of the back ends.
    pub fn route(mut self, route: Route) -> Self {
        self.routes.push(route);
        self
    }

    /// Sets whether the voice's own back end takes over if the back end of a route has no capacity. By default, the
    /// stream is refused. With a fallback, the same request may yield different samples.
    pub fn falls_back(mut self, falls_back: bool) -> Self {
        self.falls_back = falls_back;
        self
    }

    /// Reports back ends that cannot be used; [`Engine::unusable_backends`](crate::Engine::unusable_backends) lists
    /// them.
    pub fn unusable_backends(mut self, unusable_backends: Vec<UnusableBackend>) -> Self {
        self.unusable_backends = unusable_backends;
        self
    }
}

impl std::fmt::Debug for SharedBackends {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedBackends").field("routes", &self.routes).finish_non_exhaustive()
    }
}
