//! Metering: charges speech to the allowances of keys and counts usage.
//!
//! ```text
//!  store ──lease──▶ LeasePool ──reserved──▶ Charge ──sent──▶ UsageBuffer ──every half second──▶ store
//!    ▲                │ returned ◀──────┘
//!    └────settled─────┘
//! ```
//!
//! A [`LeasePool`] holds the characters that a key has drawn from the store in advance, shared by its streams. A
//! [`Charge`] belongs to one clip or turn: it reserves the characters of a text before they are spoken, spends them as
//! their audio is sent, and returns the rest. The hot path takes a lock but makes no round trip, because the next lease
//! is drawn before the last one is used up. The [`UsageBuffer`] adds up the usage of the sent audio, and
//! [`run_flush_loop`](Metering::run_flush_loop) reports it to the store together with the use of each lease.
//!
//! Keys without an allowance or a cap have no pool, but their usage is counted too.
//!
//! If the store is slow or unavailable, characters are granted on credit: the first audio waits only a limited time for
//! the store, and audio that has started continues. Characters that were spoken without a lease are reported as an
//! [`Overdraft`](shruti_store::Overdraft).

mod charge;
mod draw;
mod lease_pool;
mod period;
mod report;
mod usage_buffer;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use shruti_clock::{Clock, Moment};
use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{Day, KeyPrefix, KeyRecord, Month, Store};
use tokio::sync::Semaphore;

pub(crate) use charge::Charge;
use lease_pool::LeasePool;
pub use period::requested_days;
use report::Reporting;
use usage_buffer::UsageBuffer;

/// Maximum number of concurrent reads of usage and allowances, including waiting reads. A further read fails with
/// [`StoreError::Busy`](shruti_store::StoreError::Busy).
const MAX_READERS: usize = 64;

/// Metering of all keys of this server.
pub struct Metering {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    pools: Mutex<Pools>,
    usage_buffer: UsageBuffer,
    /// Lock that is held for reading while the characters of sent audio are spent and counted, and for writing while
    /// both numbers are read for a report. The usage of a report therefore always matches that of its leases, and a
    /// server that is killed never leaves a character charged but not counted, or counted but not charged.
    accounting: RwLock<()>,
    /// Lock that is held while usage is reported to the store, and while the store's usage is read and the buffered
    /// usage added. Without the lock, usage could be included twice or not at all.
    reporting: tokio::sync::Mutex<Reporting>,
    /// Permits for reads. Their number is limited because reads delay reports and any synthesis that waits for a
    /// report.
    readers: Semaphore,
    characters: Counter,
    /// Number of failed reports since the last successful one.
    failed_reports: AtomicU32,
    /// Maximum time that the first audio waits for the store to grant its characters.
    patience: Duration,
    /// Whether the last draw took longer than `patience` or failed because the store was unavailable.
    is_store_slow: AtomicBool,
}

#[derive(Default)]
struct Pools {
    /// Pools of this month.
    by_key: HashMap<KeyPrefix, Arc<LeasePool>>,
    /// Pools of earlier months, until the characters reserved from them have been spoken.
    retired: Vec<Arc<LeasePool>>,
}

impl Metering {
    /// Creates a meter without usage. `characters` counts the characters spoken since the server's start; `patience` is
    /// the maximum time that the first audio waits for the store.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        characters: Counter,
        patience: Duration,
    ) -> Self {
        Self {
            store,
            clock,
            pools: Mutex::default(),
            usage_buffer: UsageBuffer::default(),
            accounting: RwLock::default(),
            reporting: tokio::sync::Mutex::default(),
            readers: Semaphore::new(MAX_READERS),
            characters,
            failed_reports: AtomicU32::new(0),
            patience,
            is_store_slow: AtomicBool::new(false),
        }
    }

    fn pools(&self) -> MutexGuard<'_, Pools> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the pool of a key for this month.
    fn pool(&self, key: &KeyRecord, now: Moment) -> Arc<LeasePool> {
        let month = Month::of(now.wall_ms);
        let mut pools = self.pools();
        if let Some(pool) = pools.by_key.get(&key.prefix).filter(|pool| pool.month == month) {
            return Arc::clone(pool);
        }
        let pool = Arc::new(LeasePool::new(key.prefix.clone(), key.account.clone(), month, now.monotonic));
        let old = pools.by_key.insert(key.prefix.clone(), Arc::clone(&pool));
        pools.retired.extend(old);
        pool
    }

    /// Returns all pools.
    fn all_pools(&self) -> Vec<Arc<LeasePool>> {
        let pools = self.pools();
        pools.by_key.values().chain(&pools.retired).cloned().collect()
    }
}

/// Returns the error for a request that needs `needed` characters when only `left` are left.
pub(crate) fn quota_exhausted(needed: u64, left: u64, now_ms: i64) -> ApiError {
    let renews = Day::of(Month::of(now_ms).next().start_ms());
    let what = if left == 0 {
        "this month's allowance or cap is used up".to_owned()
    } else {
        format!("{needed} characters are needed and {left} are left of this month's allowance or cap")
    };
    ApiError::new(ErrorCode::QuotaExhausted, format!("{what}; the next month begins on {renews} (UTC)"))
}

#[cfg(test)]
mod cost;
#[cfg(test)]
mod tests;
