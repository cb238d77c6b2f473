//! Clock that tests control.

#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

use crate::{Clock, Moment, Sleep, SystemClock};

/// Maximum time that [`TestClock::wait_for_waiter`] waits, in real time.
const PATIENCE: Duration = Duration::from_mins(1);

/// Clock that moves only when a test advances it. Its wall clock starts at the system's time, or at a given time.
///
/// The clock records the times that tasks wait for, so that a test can detect when a server has nothing left to do
/// except wait.
#[derive(Debug)]
pub struct TestClock {
    wall_at_start: i64,
    now: watch::Sender<Duration>,
    /// Number of waiting tasks per point in time.
    awaited: watch::Sender<BTreeMap<Duration, usize>>,
}

/// Registration of a task that waits for a point in time; removed on drop.
struct Waiter {
    at: Duration,
    awaited: watch::Sender<BTreeMap<Duration, usize>>,
}

impl TestClock {
    /// Creates a clock at zero whose wall clock starts at the system's time.
    pub fn new() -> Self {
        Self::starting_at(SystemClock::new().now().wall_ms)
    }

    /// Creates a clock at zero whose wall clock starts at `wall_at_start`, in milliseconds since the Unix epoch.
    pub fn starting_at(wall_at_start: i64) -> Self {
        Self { wall_at_start, now: watch::Sender::new(Duration::ZERO), awaited: watch::Sender::default() }
    }

    /// Advances the clock by `step` and wakes the tasks whose time has been reached.
    pub fn advance(&self, step: Duration) {
        self.now.send_modify(|now| *now += step);
    }

    /// Advances the clock to the time `at` since its start; does nothing if that time has passed.
    pub fn advance_to(&self, at: Duration) {
        self.now.send_modify(|now| *now = at.max(*now));
    }

    /// Returns the time since the start of the clock.
    pub fn elapsed(&self) -> Duration {
        *self.now.borrow()
    }

    /// Waits until a task waits for a time that fulfils the condition, and returns the earliest such time. Panics after
    /// one minute of real time.
    pub async fn wait_for_waiter(&self, mut condition: impl FnMut(Duration) -> bool) -> Duration {
        let mut awaited = self.awaited.subscribe();
        let mut find = |times: &BTreeMap<Duration, usize>| times.keys().copied().find(|&at| condition(at));
        let mut found = None;
        let waited = timeout(
            PATIENCE,
            awaited.wait_for(|times| {
                found = find(times);
                found.is_some()
            }),
        );
        assert!(waited.await.is_ok_and(|waited| waited.is_ok()), "no task waits for a matching time");
        found.unwrap()
    }
}

impl Default for TestClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TestClock {
    fn now(&self) -> Moment {
        let monotonic = self.elapsed();
        let passed = i64::try_from(monotonic.as_millis()).unwrap();
        Moment { monotonic, wall_ms: self.wall_at_start + passed }
    }

    fn wait_until(&self, at: Duration) -> Sleep {
        let mut now = self.now.subscribe();
        let waiter = Waiter::new(at, self.awaited.clone());
        Box::pin(async move {
            let _waiter = waiter;
            // once the clock is dropped, its waiting tasks are never woken
            if now.wait_for(|now| *now >= at).await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}

impl Waiter {
    fn new(at: Duration, awaited: watch::Sender<BTreeMap<Duration, usize>>) -> Self {
        awaited.send_modify(|times| *times.entry(at).or_default() += 1);
        Self { at, awaited }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.awaited.send_modify(|times| {
            if let Some(waiters) = times.get_mut(&self.at) {
                *waiters -= 1;
                if *waiters == 0 {
                    times.remove(&self.at);
                }
            }
        });
    }
}
