//! Reservation of characters from a pool, and draws of leases from the store when the pool runs low.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use shruti_protocol::{ApiError, ErrorCode};
use shruti_store::{Draw, KeyRecord, Lease, StoreError};
use tokio::sync::watch;

use super::lease_pool::{LeasePool, Needs, NextStep, Refusal, Reservation};
use super::{Metering, quota_exhausted};
use crate::auth::{access_locked, revoked_key};
use crate::http::errors::store_error;

/// Maximum number of characters that a key may use on this server before the store has granted them, while the store is
/// slow or unavailable: about 7 minutes of speech. Each server has a separate limit, so all servers together can exceed
/// the remaining allowance by a multiple of this number.
const MAX_CREDIT: u64 = 5_000;

impl Metering {
    /// Reserves characters of a metered key if its pool has enough. Starts a draw if the pool is low afterwards and the
    /// allowance is not used up.
    pub(super) fn take_now(self: &Arc<Self>, key: &KeyRecord, chars: u64) -> Option<Reservation> {
        let now = self.clock.now();
        let pool = self.pool(key, now);
        let reservation = pool.take(chars, now.monotonic).ok()?;
        if pool.is_low(now.monotonic) && !key.is_spent(now.wall_ms) {
            self.ask(&pool, 0, 1);
        }
        Some(reservation)
    }

    /// Reserves characters of a metered key. Draws another lease if its pool has too few. If the store is slow, the
    /// characters are granted on credit. Speech that `has_begun` gets unlimited credit, so that it never stops because
    /// of the store.
    pub(super) async fn take(
        self: &Arc<Self>,
        key: &KeyRecord,
        chars: u64,
        has_begun: bool,
    ) -> Result<Reservation, ApiError> {
        let most = if has_begun { u64::MAX } else { MAX_CREDIT };
        let mut waited = false;
        loop {
            let now = self.clock.now();
            let pool = self.pool(key, now);
            let mut draws = pool.draws();
            let missing = match pool.take(chars, now.monotonic) {
                Ok(reservation) => return Ok(reservation),
                Err(missing) => missing,
            };
            let spent = |left: u64| {
                // the pool has some characters, but too few for this request
                let at_hand = chars.saturating_sub(missing);
                quota_exhausted(chars, at_hand.saturating_add(left), now.wall_ms)
            };
            let refusal = match pool.refusal(missing, waited, now.monotonic) {
                None if !waited && key.is_spent(now.wall_ms) => Some(Refusal::Spent { left: 0 }),
                refusal => refusal,
            };
            match refusal {
                Some(Refusal::Error(error)) => return Err(error),
                Some(Refusal::Unavailable(error)) => return pool.take_on_credit(chars, most).ok_or(error),
                // an earlier refusal is not final if an idle key of the account holds unused characters: a draw takes
                // them back
                Some(Refusal::Spent { left }) if waited || self.resting_siblings(&pool).is_empty() => {
                    return Err(spent(left));
                }
                _ => {}
            }
            if self.ask(&pool, chars, missing) != NextStep::Retry {
                if !self.is_in_time(&mut draws).await
                    && let Some(reservation) = pool.take_on_credit(chars, most)
                {
                    return Ok(reservation);
                }
                // cannot fail: the pool owns the sender
                let _ = draws.changed().await;
                waited = true;
            }
        }
    }

    /// Waits for a draw, but no longer than the first audio may wait for the store (`patience`), and not at all while
    /// the store is known to be slow. Returns whether the draw has ended.
    async fn is_in_time(&self, draws: &mut watch::Receiver<u64>) -> bool {
        let is_over = || draws.has_changed().unwrap_or(true);
        if self.is_store_slow.load(Ordering::Relaxed) {
            return is_over();
        }
        let patience_ends = self.clock.wait_until(self.clock.now().monotonic + self.patience);
        let mut draws = draws.clone();
        tokio::select! {
            biased;
            _ = draws.changed() => true,
            () = patience_ends => {
                self.record_latency(true);
                false
            }
        }
    }

    /// Records whether the store is slow, and logs changes.
    fn record_latency(&self, is_slow: bool) {
        if self.is_store_slow.swap(is_slow, Ordering::Relaxed) != is_slow {
            if is_slow {
                tracing::warn!("the store is slow; characters are granted on credit");
            } else {
                tracing::info!("the store grants characters in time again");
            }
        }
    }

    /// Returns an error if a key has no characters left. Draws a lease if the key's pool is empty.
    pub async fn admit(self: &Arc<Self>, key: &KeyRecord) -> Result<(), ApiError> {
        if key.is_metered && self.take_now(key, 1).is_none() {
            self.take(key, 1, false).await?;
        }
        Ok(())
    }

    /// Returns an error if the key's allowance is known to be used up. Does not query the store.
    pub(crate) fn is_spent(&self, key: &KeyRecord) -> Option<ApiError> {
        let now = self.clock.now();
        if !key.is_metered || !key.is_spent(now.wall_ms) {
            return None;
        }
        let pool = self.pool(key, now);
        let spent = pool.free() == 0 && self.resting_siblings(&pool).is_empty();
        spent.then(|| quota_exhausted(1, 0, now.wall_ms))
    }

    /// Starts a draw if the pool needs one and none is pending. Returns what the caller must do next.
    fn ask(self: &Arc<Self>, pool: &Arc<LeasePool>, chars: u64, missing: u64) -> NextStep {
        let remedy = pool.ask(chars, missing);
        if remedy == NextStep::Draw {
            // a separate task, so that a lease is not lost when the client disconnects
            tokio::spawn(Arc::clone(self).draw(DrawGuard(Arc::clone(pool))));
        }
        remedy
    }

    async fn draw(self: Arc<Self>, pool: DrawGuard) {
        let pool = &pool.0;
        let needs = pool.begin_draw();
        let begun = self.clock.now().monotonic;
        let mut drawn = self.draw_once(pool, needs).await;
        if matches!(drawn, Ok(Draw::Spent { .. })) && self.take_back(pool).await {
            drawn = self.draw_once(pool, needs).await;
        }
        let took = self.clock.now().monotonic.saturating_sub(begun);
        let is_slow = matches!(drawn, Err(StoreError::Away(_))) || took >= self.patience;
        self.record_latency(is_slow);
        pool.record_latency(is_slow);
        let refusal = match drawn {
            Ok(Draw::Lent(lease)) if lease.month == pool.month => return pool.lend(lease),
            // the month has just ended; pending requests draw from the pool of the next month
            Ok(Draw::Lent(lease)) => return self.return_lease(lease).await,
            Ok(Draw::Spent { left, .. }) => Refusal::Spent { left },
            Ok(Draw::Locked(lock)) => Refusal::Error(access_locked(lock)),
            Ok(Draw::NoKey) => Refusal::Error(revoked_key()),
            // cannot happen: a metered key stays metered
            Ok(Draw::Unmetered) => {
                Refusal::Error(ApiError::new(ErrorCode::Internal, "the key has changed; try again"))
            }
            Err(error @ StoreError::Away(_)) => Refusal::Unavailable(store_error(&error)),
            Err(error) => Refusal::Error(store_error(&error)),
        };
        pool.refuse(refusal, self.clock.now().monotonic);
    }

    async fn draw_once(&self, pool: &LeasePool, needs: Needs) -> Result<Draw, StoreError> {
        let now_ms = self.clock.now().wall_ms;
        self.store.draw_allowance(pool.key.clone(), needs.min, needs.wanted, now_ms).await
    }

    /// Returns the idle pools of other keys of the same account that hold unused characters.
    fn resting_siblings(&self, pool: &Arc<LeasePool>) -> Vec<Arc<LeasePool>> {
        if pool.account.is_none() {
            return Vec::new();
        }
        let pools = self.pools();
        let siblings = pools.by_key.values().filter(|other| {
            other.account == pool.account && other.month == pool.month && !Arc::ptr_eq(other, pool)
        });
        siblings.filter(|other| other.is_resting()).cloned().collect()
    }

    /// Settles the leases of the account's idle keys, so that a key in use gets the last characters of a month. Returns
    /// whether any characters were returned.
    async fn take_back(&self, pool: &Arc<LeasePool>) -> bool {
        let siblings = self.resting_siblings(pool);
        // the usage of these pools must be reported before their leases are settled
        if siblings.is_empty() || self.report().await.is_err() {
            return false;
        }
        let mut any = false;
        for sibling in siblings {
            any |= self.settle(&sibling, |_| true).await;
        }
        any
    }

    async fn return_lease(&self, lease: Lease) {
        if let Err(error) = self.store.settle_lease(lease.id, 0, self.clock.now().wall_ms).await {
            // the store settles the lease when it expires
            tracing::warn!(%error, "a lease could not be returned");
        }
    }
}

/// Guard that ends the draw of a pool even if its task panics or is cancelled.
struct DrawGuard(Arc<LeasePool>);

impl Drop for DrawGuard {
    fn drop(&mut self) {
        self.0.end_draw();
    }
}
