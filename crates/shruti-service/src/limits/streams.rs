//! Streams at once: for each key, and for the whole server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{KeyPrefix, KeyRecord};
use tokio::sync::watch;

/// Counts the streams in progress.
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

/// The right to one stream; given back when dropped.
#[derive(Debug)]
pub struct StreamPermit {
    streams: Arc<Streams>,
    key: KeyPrefix,
    limit: Option<u32>,
}

impl StreamPermit {
    /// How many streams its key may have at once; `None` for no limit of its own.
    pub(crate) fn limit_of_key(&self) -> Option<u32> {
        self.limit
    }
}

impl Streams {
    /// At most so many at once.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, open: Mutex::default(), total: watch::Sender::new(0) })
    }

    /// How many there may be.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Admits one more stream of a key, or says at once why not.
    pub fn admit(self: &Arc<Self>, key: &KeyRecord) -> Result<StreamPermit, ApiError> {
        let mut open = self.open();
        if let Some(full) = self.full(&open) {
            return Err(full);
        }
        let of_key = open.by_key.get(&key.prefix).copied().unwrap_or_default();
        if let Some(limit) = key.limits.streams.filter(|&limit| of_key >= limit) {
            let message =
                format!("this key may have {limit} streams open at once, and has; wait until one ends");
            return Err(ApiError::new(ErrorCode::ConcurrencyLimited, message).with_retry_after_ms(1_000));
        }
        open.by_key.insert(key.prefix.clone(), of_key + 1);
        open.total += 1;
        self.total.send_replace(open.total);
        drop(open);
        Ok(StreamPermit { streams: Arc::clone(self), key: key.prefix.clone(), limit: key.limits.streams })
    }

    /// Why nobody would be admitted now, if that is so.
    pub(crate) fn refusal(&self) -> Option<ApiError> {
        self.full(&self.open())
    }

    fn full(&self, open: &Open) -> Option<ApiError> {
        let message = "the server has as many streams open as it can serve well; try again";
        let full = || ApiError::new(ErrorCode::Overloaded, message).with_retry_after_ms(1_000);
        (open.total >= self.limit).then(full)
    }

    /// How many are open.
    pub fn total(&self) -> usize {
        self.open().total
    }

    /// Waits until none is open.
    pub async fn idle(&self) {
        // the sender lives as long as `self`, so waiting cannot fail
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
