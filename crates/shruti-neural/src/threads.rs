//! Threads that run graphs.

use std::cell::OnceCell;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};
use std::thread::{self, JoinHandle};

use rten::ThreadPool;

/// Threads that run graphs. Clones share the number of threads.
#[derive(Clone, Debug)]
pub(crate) struct Threads(Arc<RwLock<Kind>>);

#[derive(Debug)]
enum Kind {
    /// Each calling thread has its own pool of one thread, so the callers' runs are concurrent.
    OnePerCaller,
    /// A shared pool with the given number of threads. Each run is divided among all threads of the pool, and the runs
    /// of several callers take turns.
    Shared(Arc<ThreadPool>, usize),
}

impl Kind {
    fn new(count: usize) -> Self {
        match count {
            0 | 1 => Self::OnePerCaller,
            _ => Self::Shared(Arc::new(ThreadPool::with_num_threads(count)), count),
        }
    }
}

impl Threads {
    /// Creates a set of threads with `count` threads per run, at least 1.
    pub(crate) fn new(count: usize) -> Self {
        Self(Arc::new(RwLock::new(Kind::new(count))))
    }

    /// Creates a set of threads with as many threads per run as this machine can run in parallel.
    pub(crate) fn all() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Sets the number of threads for later runs.
    pub(crate) fn set(&self, count: usize) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Kind::new(count);
    }

    /// Returns the number of threads per run.
    pub(crate) fn count(&self) -> usize {
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            Kind::OnePerCaller => 1,
            Kind::Shared(_, count) => *count,
        }
    }

    /// Returns the thread pool for the runtime.
    pub(crate) fn pool(&self) -> Arc<ThreadPool> {
        thread_local! {
            static OWN: OnceCell<Arc<ThreadPool>> = const { OnceCell::new() };
        }
        match &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            // the pool is created on the caller's thread, so that it inherits the caller's niceness
            Kind::OnePerCaller => {
                OWN.with(|own| Arc::clone(own.get_or_init(|| Arc::new(ThreadPool::with_num_threads(1)))))
            }
            Kind::Shared(pool, _) => Arc::clone(pool),
        }
    }
}

/// Stack size of the threads that run graphs, in bytes. The trial of a pack and the service use the same size, so a
/// graph that passes the trial does not need more in service.
const STACK_BYTES: usize = 8 << 20;

/// Starts a thread that runs graphs.
pub(crate) fn spawn_worker<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    thread::Builder::new().name("pack".to_owned()).stack_size(STACK_BYTES).spawn(work)
}

/// Runs `work` on a thread with the same stack size as the threads of the service, and waits for the result. A panic
/// becomes an error.
pub fn on_a_worker<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
    spawn_worker(work)?.join().map_err(|_| io::Error::other("a panic occurred while a graph was run"))
}
