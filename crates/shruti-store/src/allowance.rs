//! Monthly allowances of characters.

use async_trait::async_trait;

use crate::account::{AccessLock, AccountId};
use crate::calendar::Month;
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::key::KeyPrefix;

/// Lifetime of a lease without a report of its use, in milliseconds: 10 minutes.
pub const LEASE_LIFE_MS: i64 = 10 * 60_000;

/// Identifier of a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeaseId(pub(crate) i64);

/// Characters that a server may synthesise for a key without a further request to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Identifier, for reports of the lease's use.
    pub id: LeaseId,
    /// Number of characters.
    pub chars: u64,
    /// Month of the allowance. In the next month the server settles the lease and draws a new one.
    pub month: Month,
}

/// Outcome of a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// The characters were lent.
    Lent(Lease),
    /// The key needs no lease: it has no cap, and belongs to no account or to an operator's account.
    Unmetered,
    /// Fewer characters are left than needed (402 `quota_exhausted`). Nothing was lent.
    Spent {
        /// Characters left in the allowance or under the cap, whichever is less. Other leases may still return
        /// characters.
        left: u64,
        /// Start of the next month, in milliseconds since 1970.
        renews_ms: i64,
    },
    /// The account of the key may not synthesise speech (403 `access_locked`).
    Locked(AccessLock),
    /// The key is unknown, revoked or expired.
    NoKey,
}

/// State of an account's allowance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// Month of the allowance.
    pub month: Month,
    /// Characters per month; `None` for an operator's account, which needs no allowance.
    pub chars: Option<u64>,
    /// Characters used in this month, as reported by the servers with a delay of at most a second.
    pub used: u64,
    /// Characters that servers hold in leases and have not used.
    pub lent: u64,
    /// Start of the next month, in milliseconds since 1970.
    pub renews_ms: i64,
}

/// Allowance warning to be sent to the holder of an account. The holder has not received this warning this month.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaWarning {
    /// Address of the account.
    pub email: EmailAddress,
    /// Percentage of the allowance that has been reached: 80, or 100 if no more speech is allowed.
    pub percent: u32,
    /// State of the allowance.
    pub allowance: Allowance,
}

/// Monthly allowances of accounts, in characters whose audio is sent. Months are in UTC.
///
/// # Leases
///
/// A server draws characters in leases and counts their use itself, so that a turn needs no round trip and no two
/// servers spend the same character. It keeps one lease per key, which the streams of the key share. It takes
/// characters from the lease before synthesis, returns the characters that were not sent, draws another lease when few
/// are left, and [settles](AllowanceStore::settle_lease) the lease when the key is idle. It reports the use of each
/// lease in its [usage reports](crate::UsageStore::record_usage).
///
/// The leases of a crashed server expire after [`LEASE_LIFE_MS`]; characters that it had not reported as used are then
/// returned. After a crash, an account is never charged for more than the synthesised characters, and at most the use
/// of the last second is not charged.
///
/// # On the hot path
///
/// When a draw finds no characters left, the store marks the account as spent, or the key if its cap is reached.
/// Servers receive the mark with the next changes of keys ([`KeyRecord::is_spent`](crate::KeyRecord::is_spent)). From
/// then on they refuse speech without a request to the store. The mark is valid until the end of the month. It is
/// removed earlier if a lease returns characters or a promo code adds some.
#[async_trait]
pub trait AllowanceStore {
    /// Lends a key as many characters of this month as are left, from `at_least` (0 counts as 1) to `up_to`. All
    /// servers together never get more than the allowance of the account and the cap of the key.
    async fn draw_allowance(
        &self,
        key: KeyPrefix,
        at_least: u64,
        up_to: u64,
        now_ms: i64,
    ) -> Result<Draw, StoreError>;

    /// Ends a lease of which `used` characters were used in total; the rest can be drawn again. Returns `false`,
    /// without a change, if the lease had already ended. The call is idempotent.
    async fn settle_lease(&self, lease: LeaseId, used: u64, now_ms: i64) -> Result<bool, StoreError>;

    /// Returns the state of an account's allowance, or `None` if the account does not exist.
    async fn allowance(&self, account: AccountId, now_ms: i64) -> Result<Option<Allowance>, StoreError>;

    /// Returns at most `limit` due warnings and marks them as sent: one per account at 80 % of the allowance of a month
    /// and one at 100 %. Concurrent servers get different warnings.
    async fn take_quota_warnings(&self, limit: u32, now_ms: i64) -> Result<Vec<QuotaWarning>, StoreError>;
}
