//! Allowances and leases.

use async_trait::async_trait;
use futures_util::FutureExt;

use crate::account::AccountId;
use crate::allowance::{Allowance, AllowanceStore, Draw, LEASE_LIFE_MS, Lease, LeaseId, QuotaWarning};
use crate::calendar::Month;
use crate::count::signed;
use crate::database::{Database, Row, Tx, params};
use crate::decisions::allowance::{DrawDecision, DrawState, EndingLease, decide_draw};
use crate::error::StoreError;
use crate::flows::{key_rows, quota_warnings};
use crate::key::KeyPrefix;
use crate::sql::{Sql, allowance as sql, keys};
use crate::usage::Overdraft;

/// Statements that a draw may run.
const DRAW: [&Sql; 7] = [
    &sql::LOCK_ACCOUNT_OF_KEY,
    &keys::FIND,
    &sql::HOLD_CAP_DRAWN,
    &sql::FIND,
    &sql::ADD_CAP_DRAWN,
    &sql::ADD_ALLOWANCE_DRAWN,
    &sql::INSERT_LEASE,
];

/// Maximum number of expired leases closed by one draw or one pruning run.
const MAX_ENDED_PER_DRAW: u32 = 100;

async fn draw<T: Tx>(
    tx: &mut T,
    prefix: KeyPrefix,
    at_least: u64,
    up_to: u64,
    now_ms: i64,
) -> Result<Draw, StoreError> {
    if T::IS_EXCLUSIVE {
        end_expired(tx, now_ms).await?;
    }
    let month = Month::of(now_ms);
    tx.prepare(&DRAW).await?;
    tx.execute(&sql::LOCK_ACCOUNT_OF_KEY, params![&prefix]).await?;
    let state = draw_state(tx, &prefix, month).await?;
    match decide_draw(state, at_least, up_to, now_ms) {
        DrawDecision::Lend { account, chars } => lend(tx, &prefix, account.as_ref(), chars, now_ms).await,
        DrawDecision::Spent { left, account, is_key_spent } => {
            if let Some(account) = account {
                mark_account(tx, &sql::MARK_ACCOUNT_SPENT, &account, month).await?;
            }
            if is_key_spent {
                mark_key(tx, &sql::IS_KEY_UNMARKED, &sql::MARK_KEY_SPENT, &prefix, month).await?;
            }
            Ok(Draw::Spent { left, renews_ms: month.next().start_ms() })
        }
        DrawDecision::Unmetered => Ok(Draw::Unmetered),
        DrawDecision::Locked(lock) => Ok(Draw::Locked(lock)),
        DrawDecision::NoKey => Ok(Draw::NoKey),
    }
}

/// Returns the state on which a draw depends. For a key that is not metered, only the key is looked up.
async fn draw_state(tx: &mut impl Tx, prefix: &KeyPrefix, month: Month) -> Result<DrawState, StoreError> {
    let key = key_rows::find(tx, prefix).await?;
    let (mut allowance, mut cap_drawn) = (None, 0);
    if let Some(key) = key.as_ref().filter(|key| key.is_metered) {
        if key.monthly_cap.is_some() {
            cap_drawn = tx.one(&sql::HOLD_CAP_DRAWN, params![prefix, month], |row| row.get("drawn")).await?;
        }
        if let Some(account) = &key.account {
            allowance = state_of(tx, account, month).await?;
        }
    }
    Ok(DrawState { key, allowance, cap_drawn })
}

async fn lend(
    tx: &mut impl Tx,
    prefix: &KeyPrefix,
    account: Option<&AccountId>,
    chars: u64,
    now_ms: i64,
) -> Result<Draw, StoreError> {
    let month = Month::of(now_ms);
    let expires_ms = now_ms.saturating_add(LEASE_LIFE_MS);
    // all statements are sent in one batch, because the first audio cannot be sent until their results arrive
    let lease = params![prefix, account, month, chars, expires_ms];
    let of_cap = params![prefix, month, chars];
    let of_allowance = params![account, month, chars];
    let statements: [(&Sql, &[_]); 3] = [
        (&sql::INSERT_LEASE, lease),
        (&sql::ADD_CAP_DRAWN, of_cap),
        (&sql::ADD_ALLOWANCE_DRAWN, of_allowance),
    ];
    let statements = if account.is_some() { &statements[..] } else { &statements[..2] };
    let mut ids = tx.together(statements, |row| row.get("id")).await?;
    let id = ids.pop().ok_or_else(|| StoreError::Unreadable("a lease without a number".to_owned()))?;
    Ok(Draw::Lent(Lease { id, chars, month }))
}

async fn state_of(
    tx: &mut impl Tx,
    account: &AccountId,
    month: Month,
) -> Result<Option<Allowance>, StoreError> {
    tx.first(&sql::FIND, params![account, month], |row| {
        let is_operator: bool = row.get("is_operator")?;
        let (drawn, lent): (u64, _) = (row.get("drawn")?, row.get("lent")?);
        Ok(Allowance {
            month,
            chars: (!is_operator).then_some(row.get("monthly_chars")?),
            used: drawn.saturating_sub(lent),
            lent,
            renews_ms: month.next().start_ms(),
        })
    })
    .await
}

/// Copies the cap usage of a key to the key that replaces it.
pub(crate) async fn inherit_cap(
    tx: &mut impl Tx,
    old: &KeyPrefix,
    new: &KeyPrefix,
    now_ms: i64,
) -> Result<(), StoreError> {
    tx.execute(&sql::COPY_CAP_DRAWN, params![old, new, Month::of(now_ms)]).await?;
    Ok(())
}

/// Returns unused characters of a lease to the cap of its key and to the allowance of the account. `unused` is negative
/// if more characters were used than lent.
async fn give_back(
    tx: &mut impl Tx,
    prefix: &KeyPrefix,
    account: Option<&AccountId>,
    month: Month,
    unused: i64,
) -> Result<(), StoreError> {
    let chars = unused.saturating_neg();
    tx.execute(&sql::ADD_CAP_DRAWN, params![prefix, month, chars]).await?;
    if let Some(account) = account {
        tx.execute(&sql::ADD_ALLOWANCE_DRAWN, params![account, month, chars]).await?;
    }
    Ok(())
}

/// Deducts characters that were synthesised without a lease, even if fewer are left. Caps are locked before allowances,
/// and both in sorted order, which prevents deadlocks between servers.
pub(crate) async fn overdraw(tx: &mut impl Tx, mut of_keys: Vec<&Overdraft>) -> Result<(), StoreError> {
    of_keys.sort_by_key(|overdraft| (&overdraft.key, overdraft.month));
    let mut of_accounts = Vec::new();
    for Overdraft { key, month, chars } in of_keys {
        tx.execute(&sql::ADD_CAP_DRAWN, params![key, *month, *chars]).await?;
        let account = tx.first(&sql::ACCOUNT_OF_KEY, params![key], |row| row.get::<String>("id")).await?;
        of_accounts.extend(account.map(|account| (account, *month, signed(*chars))));
    }
    of_accounts.sort_unstable();
    for (account, month, chars) in &of_accounts {
        tx.execute(&sql::ADD_ALLOWANCE_DRAWN, params![account, *month, *chars]).await?;
    }
    Ok(())
}

/// Marks or unmarks an account as spent. If the mark changes, servers receive the changed keys of the account.
async fn mark_account(
    tx: &mut impl Tx,
    statement: &Sql,
    account: &AccountId,
    month: Month,
) -> Result<(), StoreError> {
    if tx.execute(statement, params![account, month]).await? > 0 {
        key_rows::touch_all_of(tx, account).await?;
    }
    Ok(())
}

/// Marks or unmarks a key as spent, if the query `changes` finds the key. The query runs first, because the revision
/// has to be locked before the key is changed.
async fn mark_key(
    tx: &mut impl Tx,
    changes: &Sql,
    statement: &Sql,
    prefix: &KeyPrefix,
    month: Month,
) -> Result<(), StoreError> {
    if tx.first(changes, params![prefix, month], |_| Ok(())).await?.is_some() {
        key_rows::touch(tx, prefix).await?;
        tx.execute(statement, params![prefix, month]).await?;
    }
    Ok(())
}

/// Lease that a statement has deleted.
struct Ended {
    prefix: KeyPrefix,
    account: Option<AccountId>,
    month: Month,
    lease: EndingLease,
}

impl Ended {
    fn read(row: &dyn Row) -> Result<Self, StoreError> {
        Ok(Self {
            prefix: row.get("prefix")?,
            account: row.optional("account")?,
            month: row.get("month")?,
            lease: EndingLease { chars: row.get("chars")?, reported: row.get("used")? },
        })
    }
}

/// Ends a lease. `used` is the total use that the server reports, in characters. Returns `false` if the lease had
/// already ended.
async fn settle(tx: &mut impl Tx, lease: LeaseId, used: u64) -> Result<bool, StoreError> {
    tx.execute(&sql::LOCK_ACCOUNT_OF_LEASE, params![lease]).await?;
    let ended = tx.first(&sql::END_LEASE, params![lease], Ended::read).await?;
    let Some(ended) = ended else { return Ok(false) };
    finish(tx, ended, Some(used)).await?;
    Ok(true)
}

/// Ends a lease if it has expired.
async fn end_if_expired(tx: &mut impl Tx, lease: LeaseId, now_ms: i64) -> Result<(), StoreError> {
    tx.execute(&sql::LOCK_ACCOUNT_OF_LEASE, params![lease]).await?;
    match tx.first(&sql::END_LEASE_IF_EXPIRED, params![lease, now_ms], Ended::read).await? {
        Some(ended) => finish(tx, ended, None).await,
        None => Ok(()),
    }
}

/// Returns the unused characters of an ended lease to the cap and the allowance. `used` is the total that the server
/// reports when it ends the lease, or `None` if the lease has expired.
async fn finish(tx: &mut impl Tx, ended: Ended, used: Option<u64>) -> Result<(), StoreError> {
    let Ended { prefix, account, month, lease } = ended;
    let unused = lease.unused(used.map(signed));
    give_back(tx, &prefix, account.as_ref(), month, unused).await?;
    if unused > 0 {
        mark_key(tx, &sql::IS_KEY_MARKED, &sql::UNMARK_KEY_SPENT, &prefix, month).await?;
        if let Some(account) = &account {
            mark_account(tx, &sql::UNMARK_ACCOUNT_SPENT, account, month).await?;
        }
    }
    Ok(())
}

async fn find_expired(tx: &mut impl Tx, now_ms: i64) -> Result<Vec<LeaseId>, StoreError> {
    tx.all(&sql::FIND_EXPIRED_LEASES, params![now_ms, MAX_ENDED_PER_DRAW], |row| row.get("id")).await
}

/// Ends expired leases in one transaction, which excludes other writers.
pub(crate) async fn end_expired(tx: &mut impl Tx, now_ms: i64) -> Result<(), StoreError> {
    for lease in find_expired(tx, now_ms).await? {
        end_if_expired(tx, lease, now_ms).await?;
    }
    Ok(())
}

/// Ends expired leases, each in its own transaction, so that no transaction locks more than one account.
pub(crate) async fn end_expired_singly<D: Database>(database: &D, now_ms: i64) -> Result<(), StoreError> {
    for lease in database.read(move |tx| find_expired(tx, now_ms).boxed()).await? {
        database.write(move |tx| end_if_expired(tx, lease, now_ms).boxed()).await?;
    }
    Ok(())
}

/// Deletes the sums of drawn characters of all months before `month`.
pub(crate) async fn delete_before(tx: &mut impl Tx, month: Month) -> Result<(), StoreError> {
    for statement in &sql::DELETE_BEFORE {
        tx.execute(statement, params![month]).await?;
    }
    Ok(())
}

/// Records the total use of a lease and extends its lifetime. Returns `false` if the lease has ended.
pub(crate) async fn report(
    tx: &mut impl Tx,
    lease: LeaseId,
    used: u64,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let expires_ms = now_ms.saturating_add(LEASE_LIFE_MS);
    Ok(tx.execute(&sql::REPORT_LEASE, params![lease, used, expires_ms]).await? > 0)
}

#[async_trait]
impl<D: Database> AllowanceStore for D {
    async fn draw_allowance(
        &self,
        key: KeyPrefix,
        at_least: u64,
        up_to: u64,
        now_ms: i64,
    ) -> Result<Draw, StoreError> {
        if !D::Tx::IS_EXCLUSIVE {
            end_expired_singly(self, now_ms).await?;
        }
        // the write is not synced, because the first audio may wait for the draw; until the next usage report writes
        // all earlier changes to the disk, the lease can be lost in a power cut
        self.write_unsynced(move |tx| draw(tx, key, at_least, up_to, now_ms).boxed()).await
    }

    async fn settle_lease(&self, lease: LeaseId, used: u64, _now_ms: i64) -> Result<bool, StoreError> {
        self.write_unsynced(move |tx| settle(tx, lease, used).boxed()).await
    }

    async fn allowance(&self, account: AccountId, now_ms: i64) -> Result<Option<Allowance>, StoreError> {
        self.read(move |tx| async move { state_of(tx, &account, Month::of(now_ms)).await }.boxed()).await
    }

    async fn take_quota_warnings(&self, limit: u32, now_ms: i64) -> Result<Vec<QuotaWarning>, StoreError> {
        self.write(move |tx| quota_warnings::take(tx, limit, now_ms).boxed()).await
    }
}
