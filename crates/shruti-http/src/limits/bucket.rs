//! Token bucket for all rate limits.
//!
//! The `governor` crate does not fit: its limiters have one quota for all keys, while here each key has a separate
//! quota, which may change at any time. It also does not report when a bucket will be full again, which
//! `RateLimit-Reset` requires.

use std::time::Duration;

/// Token bucket that admits a burst and then a constant rate.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    /// Number of available tokens at the time `at`.
    tokens: f64,
    /// Time of the last refill.
    at: Duration,
    rate: f64,
    burst: f64,
}

impl Bucket {
    /// Creates a full bucket. `rate` is the sustained number of requests per second, more than 0; `burst` is the
    /// capacity, at least 1.
    pub fn full(rate: f64, burst: f64, now: Duration) -> Self {
        Self { tokens: burst, at: now, rate, burst }
    }

    /// Returns the bucket after a refill for the elapsed time, with a new rate and burst.
    #[must_use]
    pub fn refilled(self, rate: f64, burst: f64, now: Duration) -> Self {
        let elapsed = now.saturating_sub(self.at).as_secs_f64();
        Self { tokens: (self.tokens + elapsed * rate).min(burst), at: now.max(self.at), rate, burst }
    }

    /// Takes a token, or returns the number of milliseconds until one is available.
    pub fn take(&mut self) -> Result<(), u64> {
        if self.tokens < 1.0 {
            return Err(((1.0 - self.tokens) / self.rate * 1_000.0).ceil() as u64);
        }
        self.tokens -= 1.0;
        Ok(())
    }

    /// Returns the number of available tokens.
    pub fn remaining(&self) -> u32 {
        self.tokens as u32
    }

    /// Returns the number of seconds until the bucket is full.
    pub fn full_in(&self) -> u64 {
        ((self.burst - self.tokens) / self.rate).ceil() as u64
    }

    /// Returns whether the bucket is full at the time `now`. A full bucket can be dropped without losing state.
    pub fn is_full_at(&self, now: Duration) -> bool {
        self.refilled(self.rate, self.burst, now).tokens >= self.burst
    }
}
