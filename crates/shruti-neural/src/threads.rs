//! The threads that runs of graphs use.

use std::cell::OnceCell;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self, JoinHandle};

use rten::ThreadPool;

/// The threads that runs of graphs use. Clones are one: what is set for one of them holds for all.
#[derive(Clone, Debug)]
pub(crate) struct Threads(Arc<RwLock<Kind>>);

#[derive(Debug)]
enum Kind {
    /// One for each thread that runs graphs: so many runs go on at once as there are callers.
    OneOfCaller,
    /// So many, which divide each run among them. Runs of several callers take turns.
    Shared(Arc<ThreadPool>, usize),
}

impl Kind {
    fn new(count: usize) -> Self {
        match count {
            0 | 1 => Self::OneOfCaller,
            _ => Self::Shared(Arc::new(ThreadPool::with_num_threads(count)), count),
        }
    }
}

impl Threads {
    /// So many threads for a run, at least 1.
    pub(crate) fn new(count: usize) -> Self {
        Self(Arc::new(RwLock::new(Kind::new(count))))
    }

    /// As many as runs can go on at once on this machine.
    pub(crate) fn all() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Uses so many threads for the runs from now on.
    pub(crate) fn set(&self, count: usize) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Kind::new(count);
    }

    /// How many a run uses.
    pub(crate) fn count(&self) -> usize {
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            Kind::OneOfCaller => 1,
            Kind::Shared(_, count) => *count,
        }
    }

    /// What the runtime takes.
    pub(crate) fn pool(&self) -> Arc<ThreadPool> {
        thread_local! {
            static OWN: OnceCell<Arc<ThreadPool>> = const { OnceCell::new() };
        }
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            // started by the caller's thread, whose niceness it takes on
            Kind::OneOfCaller => {
                OWN.with(|own| Arc::clone(own.get_or_init(|| Arc::new(ThreadPool::with_num_threads(1)))))
            }
            Kind::Shared(pool, _) => Arc::clone(pool),
        }
    }
}

/// Bytes of stack of the threads that run graphs. The trial of a pack and the service use the same, so a graph that
/// passes the trial does not need more in service.
const STACK_BYTES: usize = 8 << 20;

/// Starts a thread that runs graphs.
pub(crate) fn spawn_worker<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    thread::Builder::new().name("pack".to_owned()).stack_size(STACK_BYTES).spawn(work)
}

/// Runs graphs on a thread like those of the service, and waits for it. A panic is an error.
pub fn on_a_worker<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    spawn_worker(work)?.join().map_err(|_| io::Error::other("a panic while a graph was run"))
}
