//! Admission control: the limit on concurrent streams, and the retry delay of refused requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use shruti_clock::Clock;
use tokio::sync::Notify;

use crate::error::SpeakError;

/// Minimum and maximum retry delay that is reported to a refused caller.
const RETRY_AFTER: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(10));

/// Assumed duration of a stream before any stream has ended.
const FIRST_GUESS: Duration = Duration::from_secs(4);

/// Counter of active streams. It refuses streams beyond its limit.
///
/// A stream may occupy more than one unit of the limit. If the costs of streams differ, the limit is
/// [`Admission::WHOLE`], and each stream occupies a share of it.
pub(crate) struct Admission {
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
    idle: Notify,
}

struct State {
    limit: u64,
    taken: u64,
    active: usize,
    draining: bool,
    /// Exponential moving average of the duration of streams.
    lasting: Duration,
}

/// Permit for an active stream, released on drop.
#[derive(Debug)]
pub(crate) struct Permit {
    admission: Arc<Admission>,
    share: u64,
    since: Duration,
}

impl Admission {
    /// Limit for streams that occupy shares of different sizes. It is so large that rounding a share to an integer does
    /// not matter.
    pub(crate) const WHOLE: u64 = 1 << 40;

    pub(crate) fn new(limit: u64, clock: Arc<dyn Clock>) -> Self {
        let state = State { limit, taken: 0, active: 0, draining: false, lasting: FIRST_GUESS };
        Self { clock, state: Mutex::new(state), idle: Notify::new() }
    }

    /// Changes the limit; active streams are not affected.
    pub(crate) fn set_limit(&self, limit: u64) {
        self.state().limit = limit;
    }

    /// Admits a stream that occupies `share` units of the limit, or returns the reason for the refusal.
    pub(crate) fn admit(self: &Arc<Self>, share: u64) -> Result<Permit, SpeakError> {
        let mut state = self.state();
        if state.draining {
            return Err(SpeakError::Draining);
        }
        if state.taken.saturating_add(share) > state.limit {
            // With n active streams that started at random times, the next one ends after about 1/n of their duration.
            let next_end = state.lasting / u32::try_from(state.active.max(1)).unwrap_or(u32::MAX);
            return Err(SpeakError::Overloaded { retry_after: next_end.clamp(RETRY_AFTER.0, RETRY_AFTER.1) });
        }
        state.active += 1;
        state.taken += share;
        Ok(Permit { admission: Arc::clone(self), share, since: self.clock.now().monotonic })
    }

    /// Refuses all streams from now on.
    pub(crate) fn drain(&self) {
        self.state().draining = true;
    }

    /// Returns the number of active streams.
    pub(crate) fn active(&self) -> usize {
        self.state().active
    }

    /// Returns the limit.
    pub(crate) fn limit(&self) -> usize {
        usize::try_from(self.state().limit).unwrap_or(usize::MAX)
    }

    /// Waits until no stream is active.
    pub(crate) async fn idle(&self) {
        loop {
            let mut notified = std::pin::pin!(self.idle.notified());
            notified.as_mut().enable();
            if self.active() == 0 {
                return;
            }
            notified.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Admission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Admission").field("active", &self.active()).finish_non_exhaustive()
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let lasted = self.admission.clock.now().monotonic.saturating_sub(self.since);
        let mut state = self.admission.state();
        state.lasting = (state.lasting * 7 + lasted) / 8;
        state.active -= 1;
        state.taken -= self.share;
        let idle = state.active == 0;
        drop(state);
        if idle {
            self.admission.idle.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shruti_clock::TestClock;

    fn admission(limit: u64) -> (Arc<TestClock>, Arc<Admission>) {
        let clock = Arc::new(TestClock::new());
        (Arc::clone(&clock), Arc::new(Admission::new(limit, clock)))
    }

    #[test]
    fn admits_up_to_the_limit_and_after_a_release() {
        let (_, admission) = admission(2);
        let first = admission.admit(1).unwrap();
        let _second = admission.admit(1).unwrap();
        assert!(matches!(admission.admit(1), Err(SpeakError::Overloaded { .. })));
        drop(first);
        assert!(admission.admit(1).is_ok());
    }

    #[test]
    fn retry_time_is_shorter_for_short_frequent_streams() {
        let wait = |limit: u64, lasting: Duration| {
            let (clock, admission) = admission(limit);
            for _ in 0..50 {
                let permit = admission.admit(1).unwrap();
                clock.advance(lasting);
                drop(permit);
            }
            let _permits: Vec<Permit> = (0..limit).map(|_| admission.admit(1).unwrap()).collect();
            match admission.admit(1) {
                Err(SpeakError::Overloaded { retry_after }) => retry_after,
                _ => panic!("admitted beyond the limit"),
            }
        };
        let (few_long, many_long, few_short) = (
            wait(2, Duration::from_secs(6)),
            wait(20, Duration::from_secs(6)),
            wait(2, Duration::from_secs(1)),
        );
        assert!(
            few_long > Duration::from_millis(2_900) && few_long < Duration::from_millis(3_100),
            "{few_long:?}"
        );
        assert!(many_long < few_long && few_short < few_long, "{many_long:?} {few_short:?}");
        assert_eq!(wait(1000, Duration::ZERO), RETRY_AFTER.0);
        assert_eq!(wait(1, Duration::from_hours(1)), RETRY_AFTER.1);
    }

    #[test]
    fn draining_rejects_despite_capacity() {
        let (_, admission) = admission(2);
        let permit = admission.admit(1).unwrap();
        admission.drain();
        assert!(matches!(admission.admit(1), Err(SpeakError::Draining)));
        assert_eq!(admission.active(), 1);
        drop(permit);
        assert_eq!(admission.active(), 0);
    }
}
