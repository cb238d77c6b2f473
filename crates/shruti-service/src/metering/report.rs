//! Reports of usage to the store, and reads of usage.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use shruti_store::{
    AccountId, Allowance, Day, DayUsage, KeyDayUsage, LeaseId, Overdraft, ReportId, StoreError, UsageOf,
    UsageReport,
};
use tokio::sync::{MutexGuard, SemaphorePermit};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::Metering;
use super::lease_pool::LeasePool;

/// Interval between reports. It is short because a crash must not lose more than the last second of usage, including
/// the time of the write.
const REPORT_INTERVAL: Duration = Duration::from_millis(500);
/// Idle time of a key after which its leases are settled.
const IDLE: Duration = Duration::from_mins(1);
/// Maximum number of attempts at the last report, and the delay between them.
const LAST_TRIES: (u32, Duration) = (12, Duration::from_millis(200));
/// Maximum time that the last report waits for leases that are being drawn.
const LAST_DRAWS: Duration = Duration::from_secs(2);
/// Number of reports per minute. Of this many consecutive failed reports, only the first is logged.
const REPORTS_A_MINUTE: u32 = 120;

/// State of this server's reports.
#[derive(Default)]
pub(super) struct Reporting {
    /// ID of the last report.
    last: Option<ReportId>,
    /// Report that the store has not confirmed. It is sent again unchanged before the next report is created.
    unanswered: Option<Report>,
}

/// A report: unreported usage, read at one moment.
struct Report {
    content: UsageReport,
    pools: Vec<Arc<LeasePool>>,
    /// Characters used from each lease, per pool, in the order of `pools`.
    used: Vec<Vec<(LeaseId, u64)>>,
}

impl Metering {
    /// Reports usage every half second until `end` is cancelled, and then once more.
    pub async fn run_flush_loop(self: Arc<Self>, end: CancellationToken) {
        while end.run_until_cancelled(sleep(REPORT_INTERVAL)).await.is_some() {
            self.flush().await;
        }
        for _ in 0..LAST_TRIES.0 {
            if self.close().await.is_ok() {
                return;
            }
            sleep(LAST_TRIES.1).await;
        }
        tracing::error!("usage since the last report could not be saved");
    }

    /// Reports usage, and settles the leases of idle keys.
    pub(super) async fn flush(&self) {
        if self.report().await.is_ok() {
            let now = self.clock.now().monotonic;
            self.settle_all(|last_used| now.saturating_sub(last_used) >= IDLE).await;
            self.forget_empty();
        }
    }

    /// Waits for running draws, reports usage, and settles all leases that are not in use.
    pub(super) async fn close(&self) -> Result<(), StoreError> {
        if timeout(LAST_DRAWS, self.wait_for_draws()).await.is_err() {
            tracing::warn!("a lease is still being drawn; the store settles it when it expires");
        }
        self.report().await?;
        self.settle_all(|_| true).await;
        Ok(())
    }

    /// Waits until no lease is being drawn.
    async fn wait_for_draws(&self) {
        for pool in self.all_pools() {
            let mut draws = pool.draws();
            while pool.is_drawing() {
                // cannot fail: the pool owns the sender
                let _ = draws.changed().await;
            }
        }
    }

    /// Sends the usage since the last report to the store, if there is any. A report that the store has not confirmed
    /// is sent again first.
    pub(super) async fn report(&self) -> Result<(), StoreError> {
        let mut reporting = self.reporting.lock().await;
        self.send(&mut reporting).await?;
        let id = reporting.last.map_or_else(ReportId::first, |last| Ok(last.next()))?;
        if let Some(report) = self.unreported(id) {
            *reporting = Reporting { last: Some(id), unanswered: Some(report) };
            self.send(&mut reporting).await?;
        }
        Ok(())
    }

    /// Sends the report that the store has not confirmed, if there is one.
    async fn send(&self, reporting: &mut Reporting) -> Result<(), StoreError> {
        let Some(Report { content, pools, used: told }) = &reporting.unanswered else { return Ok(()) };
        match self.store.record_usage(content.clone(), self.clock.now().wall_ms).await {
            Ok(ended) => {
                if self.failed_reports.swap(0, Ordering::Relaxed) > 0 {
                    tracing::info!("usage is saved again");
                }
                for (pool, told) in pools.iter().zip(told) {
                    pool.reported(told, &ended);
                }
                reporting.unanswered = None;
                Ok(())
            }
            Err(error) => {
                // only one failure per minute is logged, because a full disk may make every report fail for hours
                if self.failed_reports.fetch_add(1, Ordering::Relaxed).is_multiple_of(REPORTS_A_MINUTE) {
                    tracing::error!(%error, "usage could not be saved; it is kept for the next attempt");
                }
                Err(error)
            }
        }
    }

    /// Creates a report of unreported usage, if there is any.
    fn unreported(&self, id: ReportId) -> Option<Report> {
        let _accounting = self.accounting.write().unwrap_or_else(PoisonError::into_inner);
        let pools = self.all_pools();
        let used: Vec<_> = pools.iter().map(|pool| pool.reports()).collect();
        let overdraft =
            pools.iter().map(|pool| (pool, pool.take_overdraft())).filter(|(_, chars)| *chars > 0);
        let overdrafts =
            overdraft.map(|(pool, chars)| Overdraft { key: pool.key.clone(), month: pool.month, chars });
        let content = UsageReport {
            id,
            overdrafts: overdrafts.collect(),
            entries: self.usage_buffer.take().entries(),
            leases: used.concat(),
        };
        let is_empty =
            content.entries.is_empty() && content.leases.is_empty() && content.overdrafts.is_empty();
        (!is_empty).then_some(Report { content, pools, used })
    }

    /// Waits until reported and buffered usage can be read together. Returns [`StoreError::Busy`] if too many reads are
    /// waiting.
    async fn begin_reading(&self) -> Result<(SemaphorePermit<'_>, MutexGuard<'_, Reporting>), StoreError> {
        let permit = self.readers.try_acquire().map_err(|_| StoreError::Busy)?;
        let mut reporting = self.reporting.lock().await;
        // the last report is confirmed first, because the store may or may not have saved an unconfirmed report
        self.send(&mut reporting).await?;
        Ok((permit, reporting))
    }

    /// Returns the usage of the days from `first` to `last`, by day, voice, language and API, including unreported
    /// usage.
    pub async fn usage(&self, of: UsageOf, first: Day, last: Day) -> Result<Vec<DayUsage>, StoreError> {
        let _reading = self.begin_reading().await?;
        let mut stored = self.store.usage_by_day(of.clone(), first, last).await?;
        self.usage_buffer.add_to(&mut stored, &of, first, last);
        Ok(stored)
    }

    /// Returns the usage of an account by day and key, including unreported usage.
    pub async fn usage_by_key(
        &self,
        account: AccountId,
        first: Day,
        last: Day,
    ) -> Result<Vec<KeyDayUsage>, StoreError> {
        let _reading = self.begin_reading().await?;
        let mut usage = self.store.usage_by_day_and_key(account.clone(), first, last).await?;
        self.usage_buffer.add_to_keys(&mut usage, &account, first, last);
        Ok(usage)
    }

    /// Returns the state of an account's allowance, including unreported usage. Returns `None` if the account does not
    /// exist.
    pub async fn allowance(&self, account: AccountId) -> Result<Option<Allowance>, StoreError> {
        let _reading = self.begin_reading().await?;
        let state = self.store.allowance(account.clone(), self.clock.now().wall_ms).await?;
        let Some(mut state) = state else { return Ok(None) };
        let theirs = self.all_pools();
        let theirs =
            theirs.iter().filter(|pool| pool.account.as_ref() == Some(&account) && pool.month == state.month);
        for (of_leases, overdraft) in theirs.map(|pool| pool.unreported()) {
            state.used += of_leases + overdraft;
            state.lent = state.lent.saturating_sub(of_leases);
        }
        Ok(Some(state))
    }

    /// Settles the leases that are used up or belong to a retired pool, and those of pools for whose last reservation
    /// `is_over` returns `true`.
    async fn settle_all(&self, is_over: impl Fn(Duration) -> bool) {
        for pool in self.all_pools() {
            let is_retired = self.is_retired(&pool);
            self.settle(&pool, |last_used| is_retired || is_over(last_used)).await;
        }
    }

    /// Settles the leases that [`LeasePool::settle`] removes. Returns whether any unused characters were returned to
    /// the store.
    pub(super) async fn settle(&self, pool: &LeasePool, is_over: impl FnOnce(Duration) -> bool) -> bool {
        let mut any = false;
        for held in pool.settle(is_over) {
            match self.store.settle_lease(held.id, held.used, self.clock.now().wall_ms).await {
                Ok(_) => any |= held.unused() > 0,
                Err(error) => {
                    tracing::warn!(%error, "a lease could not be settled; it will be retried");
                    pool.put_back(held);
                }
            }
        }
        any
    }

    fn is_retired(&self, pool: &Arc<LeasePool>) -> bool {
        self.pools().retired.iter().any(|retired| Arc::ptr_eq(retired, pool))
    }

    /// Drops the pools that have no leases, no overdraft and no other owner.
    fn forget_empty(&self) {
        let mut pools = self.pools();
        let is_wanted = |pool: &Arc<LeasePool>| Arc::strong_count(pool) > 1 || !pool.is_empty();
        pools.by_key.retain(|_, pool| is_wanted(pool));
        pools.retired.retain(is_wanted);
    }
}
