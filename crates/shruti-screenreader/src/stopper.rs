//! Handle that stops a reading from any thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};
use std::thread::Thread;

/// Handle that stops a [`Reading`](crate::Reading). After a stop, the reading yields no more events, and a thread that
/// waits for an event stops waiting.
#[derive(Clone, Debug, Default)]
pub struct Stopper(Arc<State>);

#[derive(Debug, Default)]
struct State {
    stopped: AtomicBool,
    /// Waker of the thread that waits for an event.
    waiting: Mutex<Option<Waker>>,
}

impl Stopper {
    /// Stops the reading. Does nothing if the reading has already ended.
    pub fn stop(&self) {
        self.0.stopped.store(true, Ordering::SeqCst);
        let waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(waker) = waiting {
            waker.wake();
        }
    }

    /// Returns `true` if the reading was stopped.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::SeqCst)
    }

    /// Creates a waker for the current thread and registers it, so that [`Self::stop`] wakes the thread.
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
