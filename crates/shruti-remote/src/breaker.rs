//! Circuit breaker for a server that has failed too often (M. Nygard, "Release It!", 2007).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Number of consecutive failures within [`WINDOW`] that open the breaker.
const FAILURES: usize = 5;
const WINDOW: Duration = Duration::from_secs(10);
/// Time for which an open breaker rejects all requests.
const PAUSE: Duration = Duration::from_secs(5);

/// Circuit breaker that decides whether a request may be sent.
#[derive(Debug, Default)]
pub(crate) struct Breaker {
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// All requests are sent. Contains the times of the latest consecutive failures.
    Closed(VecDeque<Instant>),
    /// No request is sent before this time; then a single probe is sent.
    Open(Instant),
    /// The probe is in progress.
    Probing,
}

impl Default for State {
    fn default() -> Self {
        Self::Closed(VecDeque::new())
    }
}

/// Permission to send a request. If the permission is dropped without a result, for example because the request was
/// cancelled, the request counts neither as a success nor as a failure.
#[derive(Debug)]
pub(crate) struct Attempt {
    breaker: Arc<Breaker>,
    is_probe: bool,
    is_judged: bool,
}

impl Breaker {
    /// Requests permission to send a request. The error is the time until requests are permitted again.
    pub(crate) fn attempt(self: &Arc<Self>) -> Result<Attempt, Duration> {
        let mut state = self.state();
        let is_probe = match &*state {
            State::Closed(_) => false,
            State::Open(until) => {
                let wait = until.saturating_duration_since(Instant::now());
                if !wait.is_zero() {
                    return Err(wait);
                }
                *state = State::Probing;
                true
            }
            State::Probing => return Err(PAUSE),
        };
        Ok(Attempt { breaker: Arc::clone(self), is_probe, is_judged: false })
    }

    /// Returns whether a request is permitted, even if only as a probe.
    pub(crate) fn is_closed(&self) -> bool {
        match &*self.state() {
            State::Closed(_) => true,
            State::Open(until) => *until <= Instant::now(),
            State::Probing => false,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attempt {
    /// Records that the server works.
    pub(crate) fn succeeded(mut self) {
        self.is_judged = true;
        let mut state = self.breaker.state();
        if self.is_probe || matches!(*state, State::Closed(_)) {
            *state = State::default();
        }
    }

    /// Records that the server failed.
    pub(crate) fn failed(mut self) {
        self.is_judged = true;
        let now = Instant::now();
        let mut state = self.breaker.state();
        if self.is_probe {
            *state = State::Open(now + PAUSE);
        } else if let State::Closed(failures) = &mut *state {
            failures.retain(|&at| now.saturating_duration_since(at) < WINDOW);
            failures.push_back(now);
            if failures.len() >= FAILURES {
                *state = State::Open(now + PAUSE);
            }
        }
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if self.is_probe && !self.is_judged {
            *self.breaker.state() = State::Open(Instant::now());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn fail(breaker: &Arc<Breaker>, times: usize) {
        for _ in 0..times {
            breaker.attempt().unwrap().failed();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn five_consecutive_failures_open_the_breaker_and_one_request_probes_after_a_pause() {
        let breaker = Arc::new(Breaker::default());
        fail(&breaker, 4);
        breaker.attempt().unwrap().succeeded();
        fail(&breaker, 4);
        advance(WINDOW).await;
        fail(&breaker, 4);
        assert!(breaker.attempt().is_ok(), "a success or ten seconds lie between them");
        fail(&breaker, 1);
        assert_eq!(breaker.attempt().unwrap_err(), PAUSE);
        advance(PAUSE / 2).await;
        assert_eq!(breaker.attempt().unwrap_err(), PAUSE / 2);
        advance(PAUSE / 2).await;
        let probe = breaker.attempt().unwrap();
        assert!(breaker.attempt().is_err(), "one tries, the others wait");
        probe.failed();
        assert_eq!(breaker.attempt().unwrap_err(), PAUSE);
        advance(PAUSE).await;
        drop(breaker.attempt().unwrap());
        breaker.attempt().expect("a cancelled probe says nothing").succeeded();
        fail(&breaker, 4);
        assert!(breaker.attempt().is_ok());
    }
}
