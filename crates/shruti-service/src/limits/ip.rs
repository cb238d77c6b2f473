//! Rate limits for clients that are identified only by their IP address.

use std::collections::hash_map::RandomState;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hashlink::LruCache;
use shruti_protocol::{ApiError, ErrorCode};

use shruti_http::{Bucket, customer};

/// Kind of request from a visitor of the Studio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateClass {
    /// Any request to the Studio's own API.
    Api,
    /// Sign-in by password or link, or a change of the password.
    SignIn,
    /// Creation of an account.
    SignUp,
    /// Redemption of a promo code.
    Promo,
    /// Synthesis in the open playground.
    Playground,
}

impl RateClass {
    const ALL: [Self; 5] = [Self::Api, Self::SignIn, Self::SignUp, Self::Promo, Self::Playground];

    /// Returns the sustained interval between requests, in seconds, and the burst size, in requests. Bursts are large
    /// because a whole office may share one address.
    const fn pace(self) -> (f64, u32) {
        match self {
            Self::Api => (0.05, 200),
            Self::SignIn => (6.0, 20),
            Self::SignUp => (30.0, 20),
            Self::Promo => (12.0, 20),
            Self::Playground => (6.0, 10),
        }
    }

    const fn complaint(self) -> &'static str {
        match self {
            Self::Api => "too many requests to the Studio",
            Self::SignIn => "too many sign-in attempts",
            Self::SignUp => "too many new accounts",
            Self::Promo => "too many promo code attempts",
            Self::Playground => "too many playground requests",
        }
    }
}

/// Rate limiter with one token bucket for each class of requests and each client address. The addresses of an IPv6 /64
/// share a bucket, because they belong to one customer. The least recently seen addresses are forgotten, so that memory
/// stays bounded.
#[derive(Debug)]
pub struct IpRateLimiter {
    buckets: [Mutex<LruCache<IpAddr, Bucket, RandomState>>; RateClass::ALL.len()],
}

impl Default for IpRateLimiter {
    fn default() -> Self {
        let bucket = |_| Mutex::new(LruCache::with_hasher(Self::REMEMBERED, RandomState::new()));
        Self { buckets: RateClass::ALL.map(bucket) }
    }
}

impl IpRateLimiter {
    /// Maximum number of addresses per class.
    const REMEMBERED: usize = 16_384;

    /// Admits a request of a client, or returns an error with the retry delay.
    pub fn admit(&self, class: RateClass, client: IpAddr, now: Duration) -> Result<(), ApiError> {
        let (seconds, burst) = class.pace();
        let (rate, burst) = (1.0 / seconds, f64::from(burst));
        let client = customer(client);
        let mut known = self.buckets[class as usize].lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = known.get(&client).copied();
        let mut bucket =
            bucket.map_or_else(|| Bucket::full(rate, burst, now), |bucket| bucket.refilled(rate, burst, now));
        if let Err(wait_ms) = bucket.take() {
            let message = format!("{} came from this address", class.complaint());
            return Err(ApiError::new(ErrorCode::RateLimited, message).with_retry_after_ms(wait_ms));
        }
        known.insert(client, bucket);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn each_limiter_allows_burst_then_rate() {
        for class in RateClass::ALL {
            let limiter = IpRateLimiter::default();
            let (seconds, burst) = class.pace();
            let admit = |ms| limiter.admit(class, address("192.0.2.1"), Duration::from_millis(ms));
            for _ in 0..burst {
                assert_eq!(admit(0), Ok(()), "{class:?}");
            }
            let error = admit(0).unwrap_err();
            let wait_ms = (seconds * 1_000.0) as u64;
            assert_eq!((error.code, error.retry_after_ms), (ErrorCode::RateLimited, Some(wait_ms)));
            assert!(admit(wait_ms - 1).is_err(), "{class:?}");
            assert_eq!(admit(wait_ms), Ok(()), "{class:?}: rejected requests are not counted");
            assert!(admit(wait_ms).is_err(), "{class:?}");
        }
    }

    #[test]
    fn limiters_and_addresses_are_separate() {
        let limiter = IpRateLimiter::default();
        let admit = |class, client| limiter.admit(class, address(client), Duration::ZERO).is_ok();
        for own in ["192.0.2.1", "2001:db8::1"] {
            while admit(RateClass::SignIn, own) {}
        }
        assert!(admit(RateClass::SignUp, "192.0.2.1"));
        assert!(admit(RateClass::SignIn, "192.0.2.2") && admit(RateClass::SignIn, "2001:db8:0:1::1"));
        assert!(!admit(RateClass::SignIn, "2001:db8::ffff:1:2:3"), "the same /64");
        assert!(!admit(RateClass::SignIn, "::ffff:192.0.2.1"), "the same address, written in IPv6");
    }

    #[test]
    fn memory_is_bounded_and_active_addresses_are_kept() {
        let limiter = IpRateLimiter::default();
        let admit = |n: u32| limiter.admit(RateClass::SignUp, IpAddr::from(n.to_be_bytes()), Duration::ZERO);
        while admit(0).is_ok() {}
        for n in 1..200_000 {
            admit(n).unwrap();
            if n % 1_000 == 0 {
                assert!(admit(0).is_err(), "forgotten after {n} others");
            }
        }
        let known = limiter.buckets[RateClass::SignUp as usize].lock().unwrap().len();
        assert_eq!(known, IpRateLimiter::REMEMBERED);
    }
}
