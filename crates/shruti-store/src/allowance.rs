//! Allowances: characters that accounts may have spoken each month.

use async_trait::async_trait;

use crate::account::{AccessLock, AccountId};
use crate::calendar::Month;
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::key::KeyPrefix;

/// How long a lease lives without a report of its use, in milliseconds: 10 minutes.
pub const LEASE_LIFE_MS: i64 = 10 * 60_000;

/// The number of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeaseId(pub(crate) i64);

/// Characters that a server may have spoken for a key without asking again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Its number, for reports of its use.
    pub id: LeaseId,
    /// How many characters.
    pub chars: u64,
    /// The month from whose allowance they are. In the next month the server settles the lease and draws anew.
    pub month: Month,
}

/// The outcome of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// Here they are.
    Lent(Lease),
    /// Nothing need be drawn for this key: it has no cap, and belongs to no account or to the operator's.
    Unmetered,
    /// Less is left than is needed (402 `quota_exhausted`). Nothing was lent.
    Spent {
        /// What is left in the allowance or under the cap, whichever has less. Other leases may bring some back.
        left: u64,
        /// When the next month begins, in milliseconds since 1970.
        renews_ms: i64,
    },
    /// The key's account may not make speech (403 `access_locked`).
    Locked(AccessLock),
    /// The key is unknown, revoked or expired.
    NoKey,
}

/// The state of an account's allowance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The month it is of.
    pub month: Month,
    /// Characters a month; `None` for the operator's account, which needs none.
    pub chars: Option<u64>,
    /// Characters used in this month, as far as servers have reported: at most a second behind.
    pub used: u64,
    /// Characters that servers hold beside those.
    pub lent: u64,
    /// When the next month begins, in milliseconds since 1970.
    pub renews_ms: i64,
}

/// A warning that the holder of an account has not been given this month.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaWarning {
    /// Whose it is.
    pub email: EmailAddress,
    /// How much of the allowance is used at least: 80, or 100 where nothing more is spoken.
    pub percent: u32,
    /// How the allowance stands.
    pub allowance: Allowance,
}

/// How much an account has of what each month gives it, in characters whose audio is sent. Months are those of UTC.
///
/// # Leases
///
/// A server draws characters in leases and counts by itself, so that a turn costs no round trip and no two servers
/// spend the same character. It keeps one lease for each key, shared by the key's streams, takes from it before speech
/// is made, puts back what was not sent, draws anew when it runs low, and [settles](AllowanceStore::settle_lease) it
/// when the key has rested. It reports what was used of each lease with the [usage of every
/// second](crate::UsageStore::record_usage).
///
/// A server that dies keeps its leases for [`LEASE_LIFE_MS`]; then what it had not reported as used comes back. So a
/// crash never costs an account more than what was spoken, and gives it at most the last second for nothing.
///
/// # On the hot path
///
/// When a draw finds nothing left at all, the store marks the account, or the key whose cap is reached, and servers
/// learn it with the next changes of keys ([`KeyRecord::is_spent`](crate::KeyRecord::is_spent)): from then on they
/// refuse without asking. The mark is for one month, and goes when a lease brings something back or a promo code adds
/// something.
#[async_trait]
pub trait AllowanceStore {
    /// Lends a key between `at_least` (at least 1) and `up_to` characters of this month, as many as there are: never
    /// more over all servers than the allowance of its account and its own cap.
    async fn draw_allowance(
        &self,
        key: KeyPrefix,
        at_least: u64,
        up_to: u64,
        now_ms: i64,
    ) -> Result<Draw, StoreError>;

    /// Ends a lease of which so much was used in all; the rest can be drawn again. `false` if the lease had ended:
    /// then nothing was changed. Calling it twice is as good as once.
    async fn settle_lease(&self, lease: LeaseId, used: u64, now_ms: i64) -> Result<bool, StoreError>;

    /// The state of an account's allowance. `None` if there is no such account.
    async fn allowance(&self, account: AccountId, now_ms: i64) -> Result<Option<Allowance>, StoreError>;

    /// At most `limit` warnings that are due, which count as given from then on: each account one at 80 % of a month's
    /// allowance and one at 100 %. Of several servers each gets others.
    async fn take_quota_warnings(&self, limit: u32, now_ms: i64) -> Result<Vec<QuotaWarning>, StoreError>;
}
