//! Clock abstraction: the current time, and waiting for a point in time.

#[cfg(feature = "test")]
mod test_clock;

use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::time;

#[cfg(feature = "test")]
pub use test_clock::TestClock;

/// Point in time, on a monotonic clock and on the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Time since a fixed origin; never decreases.
    pub monotonic: Duration,
    /// Milliseconds since the Unix epoch (1970-01-01).
    pub wall_ms: i64,
}

/// Future that completes when a [`Clock`] reaches a given time.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Source of time that tests can control.
pub trait Clock: Send + Sync + 'static {
    /// Returns the current time.
    fn now(&self) -> Moment;

    /// Waits until the monotonic time is at least `at`.
    fn wait_until(&self, at: Duration) -> Sleep;
}

/// The monotonic clock and the wall clock of the operating system.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    origin: Instant,
}

impl SystemClock {
    /// Creates a clock whose monotonic time starts at zero.
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

    fn wait_until(&self, at: Duration) -> Sleep {
        match self.origin.checked_add(at) {
            Some(at) => Box::pin(time::sleep_until(at.into())),
            None => Box::pin(pending()),
        }
    }
}

/// Timer that wakes a task at a set time. Each poll can change the time.
pub struct Alarm {
    clock: Arc<dyn Clock>,
    set: Option<(Duration, Sleep)>,
}

impl Alarm {
    /// Creates an alarm that is not set.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, set: None }
    }

    /// Sets the alarm to `at` unless it is already set to that time. Returns `Ready` once the clock has reached `at`.
    pub fn poll(&mut self, at: Duration, context: &mut Context<'_>) -> Poll<()> {
        let mut set = match self.set.take() {
            Some(set) if set.0 == at => set,
            _ => (at, self.clock.wait_until(at)),
        };
        let polled = set.1.as_mut().poll(context);
        if polled.is_pending() {
            self.set = Some(set);
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn an_alarm_follows_the_set_time() {
        let clock = SystemClock { origin: time::Instant::now().into_std() };
        let started = time::Instant::now();
        let mut alarm = Alarm::new(Arc::new(clock));
        poll_fn(|context| {
            assert!(
                alarm.poll(Duration::from_secs(100), context).is_pending(),
                "the time has not been reached"
            );
            Poll::Ready(())
        })
        .await;
        poll_fn(|context| alarm.poll(Duration::from_secs(7), context)).await;
        assert_eq!(started.elapsed(), Duration::from_secs(7));
        poll_fn(|context| alarm.poll(Duration::ZERO, context)).await;
        assert_eq!(started.elapsed(), Duration::from_secs(7), "a time in the past is due immediately");
    }
}
