//! Where the time comes from.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A source of time; it never runs backwards.
pub trait Clock: Send + Sync + 'static {
    /// The time since a fixed moment of the clock's own choice.
    fn now(&self) -> Duration;
}

/// The machine's steady clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    origin: Instant,
}

impl SystemClock {
    /// A clock that starts at zero now.
    pub fn new() -> Self {
        Self { origin: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.origin.elapsed()
    }
}

/// A clock that stands still until it is told to go on.
#[derive(Debug, Default)]
pub struct TestClock {
    nanoseconds: AtomicU64,
}

impl TestClock {
    /// A clock at zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes on by `step`.
    pub fn advance(&self, step: Duration) {
        let nanoseconds = u64::try_from(step.as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(nanoseconds, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::SeqCst))
    }
}
