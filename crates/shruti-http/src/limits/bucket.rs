//! The token bucket that all rates are measured with.
//!
//! Own code and not `governor`: that has one quota for all keys of a limiter, while here each key has its own, which
//! may change
//! while it is in use; and it does not tell when a bucket will be full again, which `RateLimit-Reset` must.

use std::time::Duration;

/// Lets a burst through, and then so many a second.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    /// How many can pass at once.
    tokens: f64,
    /// When that was so.
    at: Duration,
    rate: f64,
    burst: f64,
}

impl Bucket {
    /// A full one. `rate`: how many a second in the long run, more than 0; `burst`: how many at once after a rest, at
    /// least 1.
    pub fn full(rate: f64, burst: f64, now: Duration) -> Self {
        Self { tokens: burst, at: now, rate, burst }
    }

    /// The same after the time that has passed, with another rate and burst from now on.
    #[must_use]
    pub fn refilled(self, rate: f64, burst: f64, now: Duration) -> Self {
        let elapsed = now.saturating_sub(self.at).as_secs_f64();
        Self { tokens: (self.tokens + elapsed * rate).min(burst), at: now.max(self.at), rate, burst }
    }

    /// Lets one through, or says in how many milliseconds it may.
    pub fn take(&mut self) -> Result<(), u64> {
        if self.tokens < 1.0 {
            return Err(((1.0 - self.tokens) / self.rate * 1_000.0).ceil() as u64);
        }
        self.tokens -= 1.0;
        Ok(())
    }

    /// How many can pass at once.
    pub fn remaining(&self) -> u32 {
        self.tokens as u32
    }

    /// Seconds until it is full again.
    pub fn full_in(&self) -> u64 {
        ((self.burst - self.tokens) / self.rate).ceil() as u64
    }

    /// Whether nothing would be forgotten with it.
    pub fn is_full_at(&self, now: Duration) -> bool {
        self.refilled(self.rate, self.burst, now).tokens >= self.burst
    }
}
