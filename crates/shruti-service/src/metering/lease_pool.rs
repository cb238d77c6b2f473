//! Leases of a key in one month. Their characters can be spoken without a query to the store.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use shruti_protocol::ApiError;
use shruti_store::{AccountId, KeyPrefix, Lease, LeaseId, Month};
use tokio::sync::watch;

/// Minimum number of free characters: about 20 s of speech. If fewer characters are free, the next lease is drawn in
/// advance.
const LOW: u64 = 250;
/// Number of characters drawn in advance: more than a minute of speech at 12 characters per second. An idle key
/// withholds these characters from the other keys of its account until its lease is settled, so the number is small.
const IN_ADVANCE: u64 = 1_000;
/// Maximum number of characters drawn in advance if the store is slow.
const MAX_IN_ADVANCE: u64 = 10_000;
/// Time for which a refusal because of a used-up allowance stays valid.
const REFUSAL_TTL: Duration = Duration::from_secs(1);

/// Leases of a key in one month, shared by the streams of the key.
#[derive(Debug)]
pub(super) struct LeasePool {
    pub(super) key: KeyPrefix,
    pub(super) account: Option<AccountId>,
    pub(super) month: Month,
    state: Mutex<State>,
    /// Number of finished draws. Tasks that wait for a draw watch this number.
    draws: watch::Sender<u64>,
}

#[derive(Debug)]
struct State {
    /// Leases, the oldest first. The oldest is used first.
    leases: VecDeque<UsedLease>,
    /// Characters that are reserved but neither spent nor returned.
    reserved: u64,
    /// The part of `reserved` that is on credit and not covered by a lease.
    credit: u64,
    /// Characters spent without a lease but not yet reported to the store.
    overdraft: u64,
    draw: DrawState,
    /// Characters reserved since the last draw began.
    reserved_since_draw: u64,
    /// Characters reserved during the last draw if it was slow, but at least half of the previous value; zero if the
    /// draw was not slow. The next draw begins when fewer characters than this are free.
    reserved_during_draw: u64,
    /// Reason and time of the last refusal.
    refusal: Option<(Refusal, Duration)>,
    /// Time of the last reservation.
    last_used: Duration,
}

/// A lease and the number of characters used from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UsedLease {
    pub(super) id: LeaseId,
    chars: u64,
    pub(super) used: u64,
    /// Part of `used` that has been reported to the store.
    reported: u64,
}

/// State of the draw of another lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DrawState {
    Idle,
    /// Requested but not started. The draw needs these numbers of characters.
    Requested(Needs),
    Running,
}

/// Numbers of characters that a draw needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// Minimum: enough for one of the pending requests.
    pub(super) min: u64,
    /// Desired number: enough for all pending requests, for the credit, and for some time in advance.
    pub(super) wanted: u64,
}

/// Reason why a draw returned no lease.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// The allowance has only `left` characters left, fewer than needed.
    Spent { left: u64 },
    /// The store is unavailable.
    Unavailable(ApiError),
    /// The store failed, or the key is not allowed to synthesise speech.
    Error(ApiError),
}

/// Action for a caller whose request the pool did not cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NextStep {
    /// Reserve again: the pool now covers the request.
    Retry,
    /// Wait for the running draw.
    Wait,
    /// Start a draw and wait for it.
    Draw,
}

/// Reserved characters, spent as they are spoken. Dropping a reservation returns the unspent rest to the pool.
#[derive(Debug)]
pub(super) struct Reservation {
    pool: Arc<LeasePool>,
    chars: u64,
}

impl UsedLease {
    /// Returns the number of unused characters.
    pub(super) const fn unused(&self) -> u64 {
        self.chars.saturating_sub(self.used)
    }
}

impl State {
    fn leased(&self) -> u64 {
        self.leases.iter().map(UsedLease::unused).sum()
    }

    fn capacity(&self) -> u64 {
        self.leased() + self.credit
    }

    /// Reduces the credit to the amount that leases do not cover.
    fn trim_credit(&mut self) {
        self.credit = self.credit.min(self.reserved.saturating_sub(self.leased()));
    }

    fn free(&self) -> u64 {
        self.capacity().saturating_sub(self.reserved)
    }
}

impl LeasePool {
    /// Creates a pool without leases.
    pub(super) fn new(key: KeyPrefix, account: Option<AccountId>, month: Month, now: Duration) -> Self {
        let state = State {
            leases: VecDeque::new(),
            reserved: 0,
            credit: 0,
            overdraft: 0,
            draw: DrawState::Idle,
            reserved_since_draw: 0,
            reserved_during_draw: 0,
            refusal: None,
            last_used: now,
        };
        Self { key, account, month, state: Mutex::new(state), draws: watch::Sender::new(0) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // no change of the state can panic halfway, so a poisoned state is still consistent
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a receiver that is notified whenever a draw ends.
    pub(super) fn draws(&self) -> watch::Receiver<u64> {
        self.draws.subscribe()
    }

    /// Reserves characters. The error is the number of missing characters.
    pub(super) fn take(self: &Arc<Self>, chars: u64, now: Duration) -> Result<Reservation, u64> {
        let mut state = self.state();
        state.last_used = now;
        let missing = (state.reserved + chars).saturating_sub(state.capacity());
        if missing > 0 && chars > 0 {
            return Err(missing);
        }
        state.reserved += chars;
        state.reserved_since_draw += chars;
        Ok(Reservation { pool: Arc::clone(self), chars })
    }

    /// Reserves characters whether or not leases cover them. Returns `None` if the credit and the overdraft together
    /// would exceed `most`.
    pub(super) fn take_on_credit(self: &Arc<Self>, chars: u64, most: u64) -> Option<Reservation> {
        let mut state = self.state();
        let missing = (state.reserved + chars).saturating_sub(state.capacity());
        if state.overdraft.saturating_add(state.credit).saturating_add(missing) > most {
            return None;
        }
        state.credit += missing;
        state.reserved += chars;
        state.reserved_since_draw += chars;
        Some(Reservation { pool: Arc::clone(self), chars })
    }

    /// Returns the number of characters that are not reserved.
    pub(super) fn free(&self) -> u64 {
        self.state().free()
    }

    /// Returns whether another lease should be drawn in advance.
    pub(super) fn is_low(&self, now: Duration) -> bool {
        let state = self.state();
        let refused = state.refusal.as_ref().is_some_and(|(_, at)| now.saturating_sub(*at) < REFUSAL_TTL);
        state.draw == DrawState::Idle && state.free() < LOW.max(state.reserved_during_draw) && !refused
    }

    /// Returns whether a draw is requested or running.
    pub(super) fn is_drawing(&self) -> bool {
        self.state().draw != DrawState::Idle
    }

    /// Requests a draw for a reservation of `chars` characters, of which `missing` are missing. Returns what the caller
    /// must do next.
    pub(super) fn ask(&self, chars: u64, missing: u64) -> NextStep {
        let mut state = self.state();
        if chars > 0 && state.free() >= chars {
            return NextStep::Retry;
        }
        let min = missing.max(1);
        match state.draw {
            DrawState::Idle => {
                state.draw = DrawState::Requested(Needs { min, wanted: min });
                NextStep::Draw
            }
            DrawState::Requested(Needs { min: others, wanted }) => {
                let wanted = wanted.saturating_add(min);
                state.draw = DrawState::Requested(Needs { min: min.min(others), wanted });
                NextStep::Wait
            }
            // callers that still lack characters after this draw request another one
            DrawState::Running => NextStep::Wait,
        }
    }

    /// Marks the requested draw as running and returns the numbers of characters to request.
    pub(super) fn begin_draw(&self) -> Needs {
        let mut state = self.state();
        state.refusal = None;
        state.reserved_since_draw = 0;
        let Needs { min, wanted } = match std::mem::replace(&mut state.draw, DrawState::Running) {
            DrawState::Requested(needs) => needs,
            DrawState::Idle | DrawState::Running => Needs { min: 1, wanted: 1 },
        };
        // enough to last through the next draw, which may take as long as the last one
        let in_advance = IN_ADVANCE.max(MAX_IN_ADVANCE.min(2 * state.reserved_during_draw));
        Needs { min, wanted: wanted.saturating_add(state.credit).saturating_add(in_advance) }
    }

    /// Records whether the draw that is ending was slow.
    pub(super) fn record_latency(&self, is_slow: bool) {
        let mut state = self.state();
        // the demand is underestimated, because callers that wait for the draw reserve nothing
        let demand = state.reserved_since_draw.max(state.reserved_during_draw / 2);
        state.reserved_during_draw = if is_slow { demand } else { 0 };
    }

    /// Adds a lease.
    pub(super) fn lend(&self, lease: Lease) {
        let mut state = self.state();
        state.leases.push_back(UsedLease { id: lease.id, chars: lease.chars, used: 0, reported: 0 });
        state.trim_credit();
        state.refusal = None;
    }

    /// Records the reason why the draw returned no lease.
    pub(super) fn refuse(&self, refusal: Refusal, now: Duration) {
        self.state().refusal = Some((refusal, now));
    }

    /// Ends the draw and wakes the tasks that wait for it.
    pub(super) fn end_draw(&self) {
        self.state().draw = DrawState::Idle;
        self.draws.send_modify(|ended| *ended += 1);
    }

    /// Returns the refusal of the last draw if it applies to a request that lacks `missing` characters. Every refusal
    /// applies to callers that have `waited` for the draw. A refusal because of a used-up allowance also applies to all
    /// other callers, for [`REFUSAL_TTL`].
    pub(super) fn refusal(&self, missing: u64, waited: bool, now: Duration) -> Option<Refusal> {
        let state = self.state();
        let (refusal, at) = state.refusal.as_ref()?;
        match refusal {
            Refusal::Spent { left } => {
                let applies = waited || now.saturating_sub(*at) < REFUSAL_TTL;
                (applies && *left < missing).then(|| refusal.clone())
            }
            Refusal::Unavailable(_) | Refusal::Error(_) => waited.then(|| refusal.clone()),
        }
    }

    /// Returns the leases to report to the store, each with the number of characters used from it. These are the leases
    /// with unreported use, or all leases if any characters are reserved.
    pub(super) fn reports(&self) -> Vec<(LeaseId, u64)> {
        let state = self.state();
        let unreported = state.leases.iter().filter(|held| held.used != held.reported || state.reserved > 0);
        unreported.map(|held| (held.id, held.used)).collect()
    }

    /// Returns the number of characters that were spent without a lease, and resets it to zero.
    pub(super) fn take_overdraft(&self) -> u64 {
        std::mem::take(&mut self.state().overdraft)
    }

    /// Marks the use in `unreported` as reported. Removes the leases that have `ended` according to the store, and adds
    /// their unreported use to the overdraft.
    pub(super) fn reported(&self, unreported: &[(LeaseId, u64)], ended: &[LeaseId]) {
        let mut state = self.state();
        let over = state.leases.iter().filter(|held| ended.contains(&held.id));
        state.overdraft += over.map(|held| held.used - held.reported).sum::<u64>();
        state.leases.retain(|held| !ended.contains(&held.id));
        for held in &mut state.leases {
            if let Some((_, used)) = unreported.iter().find(|(id, _)| *id == held.id) {
                held.reported = *used;
            }
        }
    }

    /// Returns the number of unreported characters used from leases, and the overdraft.
    pub(super) fn unreported(&self) -> (u64, u64) {
        let state = self.state();
        (state.leases.iter().map(|held| held.used - held.reported).sum(), state.overdraft)
    }

    /// Removes and returns the leases that are used up, and all others if nothing is reserved, no draw is pending, and
    /// `is_over` returns `true` for the time of the last reservation. A lease with unreported use stays, because its
    /// use is counted only when it is reported.
    pub(super) fn settle(&self, is_over: impl FnOnce(Duration) -> bool) -> Vec<UsedLease> {
        let mut state = self.state();
        let all = state.reserved == 0 && state.draw == DrawState::Idle && is_over(state.last_used);
        let (settled, remaining) = state
            .leases
            .drain(..)
            .partition(|held| (all || held.unused() == 0) && held.used == held.reported);
        state.leases = remaining;
        settled.into()
    }

    /// Returns whether the pool has unused characters, none are reserved, and no draw is pending.
    pub(super) fn is_resting(&self) -> bool {
        let state = self.state();
        state.reserved == 0 && state.draw == DrawState::Idle && state.capacity() > 0
    }

    /// Puts back a lease that could not be settled.
    pub(super) fn put_back(&self, held: UsedLease) {
        self.state().leases.push_front(held);
    }

    /// Returns whether the pool has no leases and no overdraft.
    pub(super) fn is_empty(&self) -> bool {
        let state = self.state();
        state.leases.is_empty() && state.overdraft == 0
    }
}

impl Reservation {
    /// Returns the number of characters.
    pub(super) const fn chars(&self) -> u64 {
        self.chars
    }

    /// Merges another reservation into this one if both are from the same pool; otherwise returns `other`.
    pub(super) fn join(&mut self, mut other: Self) -> Result<(), Self> {
        if !Arc::ptr_eq(&self.pool, &other.pool) {
            return Err(other);
        }
        self.chars += std::mem::take(&mut other.chars);
        Ok(())
    }

    /// Spends up to `chars` characters and returns how many were spent.
    pub(super) fn spend(&mut self, chars: u64) -> u64 {
        let spent = chars.min(self.chars);
        self.chars -= spent;
        let mut state = self.pool.state();
        state.reserved -= spent;
        let mut rest = spent;
        for held in &mut state.leases {
            let part = rest.min(held.unused());
            held.used += part;
            rest -= part;
        }
        // the rest was on credit, or from a lease that has ended in the meantime
        state.credit = state.credit.saturating_sub(rest);
        state.overdraft += rest;
        spent
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.chars > 0 {
            let mut state = self.pool.state();
            state.reserved -= self.chars;
            state.trim_credit();
        }
    }
}
