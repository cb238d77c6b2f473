//! The threads that runs of graphs use.

use std::cell::OnceCell;
use std::sync::Arc;

use rten::ThreadPool;

/// The threads that runs of graphs use.
#[derive(Clone, Debug)]
pub(crate) enum Threads {
    /// One for each thread that runs graphs: so many runs go on at once as there are callers.
    OneOfCaller,
    /// So many, which divide each run among them. Runs of several callers take turns.
    Shared(Arc<ThreadPool>, usize),
}

impl Threads {
    /// So many threads for a run, at least 1.
    pub(crate) fn new(count: usize) -> Self {
        match count {
            0 | 1 => Self::OneOfCaller,
            _ => Self::Shared(Arc::new(ThreadPool::with_num_threads(count)), count),
        }
    }

    /// How many a run uses.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::OneOfCaller => 1,
            Self::Shared(_, count) => *count,
        }
    }

    /// What the runtime takes.
    pub(crate) fn pool(&self) -> Arc<ThreadPool> {
        thread_local! {
            static OWN: OnceCell<Arc<ThreadPool>> = const { OnceCell::new() };
        }
        match self {
            // started by the caller's thread, whose niceness it takes on
            Self::OneOfCaller => {
                OWN.with(|own| Arc::clone(own.get_or_init(|| Arc::new(ThreadPool::with_num_threads(1)))))
            }
            Self::Shared(pool, _) => Arc::clone(pool),
        }
    }
}
