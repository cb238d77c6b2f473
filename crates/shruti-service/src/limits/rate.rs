//! Rate limiter for API keys.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{KeyLimits, KeyPrefix, KeyRecord};

use shruti_http::Bucket;

/// Rate limit status for the headers of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateStatus {
    /// Burst size: the number of requests in a full bucket.
    limit: u32,
    /// Number of requests that are available now.
    remaining: u32,
    /// Seconds until the bucket is full again.
    reset: u64,
}

impl RateStatus {
    /// Writes the status to the headers of a response.
    pub fn write(self, headers: &mut HeaderMap) {
        headers.insert(HeaderName::from_static("ratelimit-limit"), HeaderValue::from(self.limit));
        headers.insert(HeaderName::from_static("ratelimit-remaining"), HeaderValue::from(self.remaining));
        headers.insert(HeaderName::from_static("ratelimit-reset"), HeaderValue::from(self.reset));
    }
}

/// Rate limiter with one token bucket for each key that has a rate limit.
///
/// Only valid keys get a bucket. Full buckets are removed as the number of buckets grows.
#[derive(Debug, Default)]
pub struct Rates {
    buckets: Mutex<Buckets>,
}

#[derive(Debug, Default)]
struct Buckets {
    by_key: HashMap<KeyPrefix, Bucket>,
    /// Number of buckets after the last cleanup.
    kept: usize,
}

impl Rates {
    /// Minimum number of buckets for a cleanup.
    const FEW: usize = 1_024;

    /// Counts a request of a key. Returns the status even if the request is refused. The status is `None` for a key
    /// without a rate limit.
    pub fn take(&self, key: &KeyRecord, now: Duration) -> (Option<RateStatus>, Result<(), ApiError>) {
        let Some((rate, burst)) = rate_and_burst(key.limits) else { return (None, Ok(())) };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        buckets.clear_out(now);
        let bucket = buckets.by_key.entry(key.prefix.clone());
        let bucket = bucket.or_insert(Bucket::full(rate, burst, now));
        *bucket = bucket.refilled(rate, burst, now);

        let allowed = bucket.take();
        let status =
            RateStatus { limit: burst as u32, remaining: bucket.remaining(), reset: bucket.full_in() };
        let Err(wait_ms) = allowed else { return (Some(status), Ok(())) };
        let message = format!(
            "this key is limited to {rate} requests per second with a burst of {burst}; retry after {wait_ms} ms"
        );
        (Some(status), Err(ApiError::new(ErrorCode::RateLimited, message).with_retry_after_ms(wait_ms)))
    }
}

impl Buckets {
    fn clear_out(&mut self, now: Duration) {
        if self.by_key.len() < Rates::FEW.max(2 * self.kept) {
            return;
        }
        self.by_key.retain(|_, bucket| !bucket.is_full_at(now));
        self.kept = self.by_key.len();
    }
}

/// Returns the rate, in requests per second, and the burst size of a key; `None` for a key without a rate limit. The
/// default burst size is twice the rate. A burst size without a rate is ignored, because its bucket would never refill.
fn rate_and_burst(limits: KeyLimits) -> Option<(f64, f64)> {
    let rate = limits.rate.filter(|&rate| rate > 0.0)?;
    let burst = limits.burst.map_or_else(|| (2.0 * rate).ceil(), f64::from);
    Some((rate, burst.max(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shruti_store::{KeyPurpose, KeySpec, SecretKey};

    fn key(rate: Option<f64>, burst: Option<u32>) -> KeyRecord {
        let secret = SecretKey::generate().unwrap();
        KeyRecord {
            prefix: secret.prefix(),
            hash: secret.hash(),
            name: String::new(),
            purpose: KeyPurpose::Api,
            scopes: KeySpec::named("").scopes,
            limits: KeyLimits { rate, burst, streams: None },
            origins: Vec::new(),
            created_ms: 0,
            expires_ms: None,
            revoked_ms: None,
            account: None,
            lock: None,
            monthly_cap: None,
            is_metered: false,
            spent: None,
            lexicon: None,
            last_used_ms: None,
        }
    }

    #[test]
    fn allows_burst_then_rate() {
        let (rates, key) = (Rates::default(), key(Some(10.0), Some(3)));
        let take = |ms| rates.take(&key, Duration::from_millis(ms));
        for remaining in [2, 1, 0] {
            let (status, result) = take(0);
            assert_eq!(status.map(|status| (status.limit, status.remaining)), Some((3, remaining)));
            assert_eq!(result, Ok(()));
        }
        let (status, result) = take(40);
        assert_eq!(status, Some(RateStatus { limit: 3, remaining: 0, reset: 1 }));
        let error = result.unwrap_err();
        assert_eq!((error.code, error.retry_after_ms), (ErrorCode::RateLimited, Some(60)));
        assert_eq!(take(100).1, Ok(()), "rejected requests are not counted");
        assert!(take(199).1.is_err());
        assert_eq!(take(200).1, Ok(()));
    }

    #[test]
    fn keys_have_separate_or_no_limits() {
        let rates = Rates::default();
        let (one, other, free) = (key(Some(1.0), Some(1)), key(Some(1.0), None), key(None, Some(1)));
        assert!(rates.take(&one, Duration::ZERO).1.is_ok());
        assert!(rates.take(&one, Duration::ZERO).1.is_err());
        assert_eq!(rates.take(&other, Duration::ZERO).0.map(|status| status.limit), Some(2));
        for _ in 0..100 {
            assert_eq!(rates.take(&free, Duration::ZERO), (None, Ok(())));
        }
    }

    #[test]
    fn drops_full_buckets() {
        let rates = Rates::default();
        for second in 0..5_000 {
            rates.take(&key(Some(1.0), Some(1)), Duration::from_secs(second * 2)).1.unwrap();
        }
        let count = rates.buckets.lock().unwrap().by_key.len();
        assert!(count <= Rates::FEW, "{count}");
    }
}
