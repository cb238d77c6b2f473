//! Limits on concurrent streams, per key and for the whole server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{KeyPrefix, KeyRecord};
use tokio::sync::watch;

/// Limiter for concurrent streams.
#[derive(Debug)]
pub struct Streams {
    limit: usize,
    open: Mutex<Open>,
    total: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Open {
    total: usize,
    by_key: HashMap<KeyPrefix, u32>,
}

/// Permit for one stream, released on drop.
#[derive(Debug)]
pub struct StreamPermit {
    streams: Arc<Streams>,
    key: KeyPrefix,
    limit: Option<u32>,
}

impl StreamPermit {
    /// Returns the maximum number of concurrent streams of the key; `None` if the key has no separate limit.
    pub(crate) fn limit_of_key(&self) -> Option<u32> {
        self.limit
    }
}

impl Streams {
    /// Creates a limiter for at most `limit` concurrent streams.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, open: Mutex::default(), total: watch::Sender::new(0) })
    }

    /// Returns the maximum number of concurrent streams.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Admits another stream of a key, or returns an error immediately.
    pub fn admit(self: &Arc<Self>, key: &KeyRecord) -> Result<StreamPermit, ApiError> {
        let mut open = self.open();
        if let Some(full) = self.full(&open) {
            return Err(full);
        }
        let of_key = open.by_key.get(&key.prefix).copied().unwrap_or_default();
        if let Some(limit) = key.limits.streams.filter(|&limit| of_key >= limit) {
            let message =
                format!("this key has reached its limit of {limit} concurrent streams; wait until one ends");
            return Err(ApiError::new(ErrorCode::ConcurrencyLimited, message).with_retry_after_ms(1_000));
        }
        open.by_key.insert(key.prefix.clone(), of_key + 1);
        open.total += 1;
        self.total.send_replace(open.total);
        drop(open);
        Ok(StreamPermit { streams: Arc::clone(self), key: key.prefix.clone(), limit: key.limits.streams })
    }

    /// Returns the error that every new stream would get now, if any.
    pub(crate) fn refusal(&self) -> Option<ApiError> {
        self.full(&self.open())
    }

    fn full(&self, open: &Open) -> Option<ApiError> {
        let message = "too many active streams on this server; try again";
        let full = || ApiError::new(ErrorCode::Overloaded, message).with_retry_after_ms(1_000);
        (open.total >= self.limit).then(full)
    }

    /// Returns the number of streams in progress.
    pub fn total(&self) -> usize {
        self.open().total
    }

    /// Waits until no stream is in progress.
    pub async fn idle(&self) {
        // `self` owns the sender, so waiting cannot fail
        let _ = self.total.subscribe().wait_for(|&total| total == 0).await;
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut open = self.streams.open();
        open.total -= 1;
        if let Some(of_key) = open.by_key.get_mut(&self.key) {
            *of_key -= 1;
            if *of_key == 0 {
                open.by_key.remove(&self.key);
            }
        }
        self.streams.total.send_replace(open.total);
    }
}
