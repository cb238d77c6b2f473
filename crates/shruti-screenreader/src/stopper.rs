//! The end of a reading, from any thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};
use std::thread::Thread;

/// Stops a [`Reading`](crate::Reading): no event follows, and a thread that waits for one returns.
#[derive(Clone, Debug, Default)]
pub struct Stopper(Arc<State>);

#[derive(Debug, Default)]
struct State {
    stopped: AtomicBool,
    /// Wakes the thread that waits for an event.
    waiting: Mutex<Option<Waker>>,
}

impl Stopper {
    /// Stops the reading; does nothing if it is over.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::SeqCst);
        let waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(waker) = waiting {
            waker.wake();
        }
    }

    /// Whether the reading was stopped.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::SeqCst)
    }

    /// A waker of the current thread, which [`Self::stop`] wakes too.
    pub(crate) fn waker(&self) -> Waker {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        *self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner) = Some(waker.clone());
        waker
    }
}

#[derive(Debug)]
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
