//! Metering: speech is charged to the key's allowance, and usage is counted.
//!
//! ```text
//!  store ──lease──▶ LeasePool ──reserved──▶ Charge ──sent──▶ UsageBuffer ──every half second──▶ store
//!    ▲                │ returned ◀──────┘
//!    └────settled─────┘
//! ```
//!
//! A [`LeasePool`] holds the characters that a key has drawn from the store in advance, shared by its streams. A
//! [`Charge`] belongs to one clip or turn: it reserves the characters of a text before they are spoken, spends them as
//! their sound is sent, and returns the rest. The hot path takes a lock and makes no round trip; the next lease is
//! drawn before the last one is empty. The [`UsageBuffer`] adds up what was sent, and
//! [`run_flush_loop`](Metering::run_flush_loop) reports it to the store together with the use of each lease.
//!
//! Keys without an allowance or a cap have no pool; their usage is counted all the same.
//!
//! Where the store is late or away, characters are spoken on credit: no first sound waits for it longer than its
//! patience, and speech that has begun goes on. What was spoken without a lease is reported as an
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

/// The most reads of usage and allowances at once, the waiting ones included; the next fails as busy.
const MAX_READERS: usize = 64;

/// The metering of all keys of this server.
pub struct Metering {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    pools: Mutex<Pools>,
    usage_buffer: UsageBuffer,
    /// Read-locked while sent sound is spent and counted, write-locked while both are read for a report. So the usage
    /// of a report is always that of its leases, and a killed server leaves no character charged and not counted, or
    /// the reverse.
    accounting: RwLock<()>,
    /// Held while usage is reported to the store, and while the store's usage is read and the buffered usage added: in
    /// between, a count would be in both or in neither.
    reporting: tokio::sync::Mutex<Reporting>,
    /// Permits for reads: reports, and speeches that wait for one, queue behind a bounded number of them.
    readers: Semaphore,
    characters: Counter,
    /// Failed reports since the last successful one.
    failed_reports: AtomicU32,
    /// How long a first sound waits for the store to lend its characters.
    patience: Duration,
    /// Whether the last draw took longer.
    is_store_late: AtomicBool,
}

#[derive(Default)]
struct Pools {
    /// The pools of this month.
    by_key: HashMap<KeyPrefix, Arc<LeasePool>>,
    /// Pools of earlier months, until the characters reserved from them have been spoken.
    retired: Vec<Arc<LeasePool>>,
}

impl Metering {
    /// A meter without any usage. `characters` counts the characters spoken since the server's start; a first sound
    /// waits for the store no longer than `patience`.
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
            is_store_late: AtomicBool::new(false),
        }
    }

    fn pools(&self) -> MutexGuard<'_, Pools> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The pool of a key for this month.
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

    /// All pools.
    fn all_pools(&self) -> Vec<Arc<LeasePool>> {
        let pools = self.pools();
        pools.by_key.values().chain(&pools.retired).cloned().collect()
    }
}

/// The error for a need of `needed` characters where only `left` are left.
pub(crate) fn quota_exhausted(needed: u64, left: u64, now_ms: i64) -> ApiError {
    let renews = Day::of(Month::of(now_ms).next().start_ms());
    let what = if left == 0 {
        "nothing is left of this month's allowance or cap".to_owned()
    } else {
        format!("{needed} characters are needed and {left} are left of this month's allowance or cap")
    };
    ApiError::new(ErrorCode::QuotaExhausted, format!("{what}; it begins anew on {renews} (UTC)"))
}

#[cfg(test)]
mod cost;
#[cfg(test)]
mod tests;
