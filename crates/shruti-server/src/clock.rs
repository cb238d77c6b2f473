//! Where the time comes from.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use shruti_store::Moment;

/// A source of time that tests can drive.
pub trait Clock: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> Moment;
}

/// The machine's own clocks.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    origin: Instant,
}

impl SystemClock {
    /// A clock whose monotonic time is zero now.
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
    fn now(&self) -> Moment {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let wall_ms = i64::try_from(since_1970.as_millis()).unwrap_or(i64::MAX);
        Moment { monotonic: self.origin.elapsed(), wall_ms }
    }
}
