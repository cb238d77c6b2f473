//! Decisions about allowances and leases, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, named_params};

use super::{SqliteStore, keys, signed, unsigned};
use crate::account::AccountId;
use crate::allowance::{Allowance, AllowanceStore, Draw, LEASE_LIFE_MS, Lease, LeaseId};
use crate::calendar::Month;
use crate::key::KeyPrefix;
use crate::store::StoreError;

const FIND_ALLOWANCE: &str = include_str!("sql/find_allowance.sql");
const FIND_CAP_DRAWN: &str = include_str!("sql/find_cap_drawn.sql");
const ADD_ALLOWANCE_DRAWN: &str = include_str!("sql/add_allowance_drawn.sql");
const ADD_CAP_DRAWN: &str = include_str!("sql/add_cap_drawn.sql");
const COPY_CAP_DRAWN: &str = include_str!("sql/copy_cap_drawn.sql");
const INSERT_LEASE: &str = include_str!("sql/insert_lease.sql");
const END_LEASE: &str = include_str!("sql/end_lease.sql");
const FIND_ENDED_LEASES: &str = include_str!("sql/find_ended_leases.sql");
const REPORT_LEASE: &str = include_str!("sql/report_lease.sql");
const MARK_ACCOUNT_SPENT: &str = include_str!("sql/mark_account_spent.sql");
const MARK_KEY_SPENT: &str = include_str!("sql/mark_key_spent.sql");
const UNMARK_ACCOUNT_SPENT: &str = include_str!("sql/unmark_account_spent.sql");
const UNMARK_KEY_SPENT: &str = include_str!("sql/unmark_key_spent.sql");

/// Leases whose time is over that one draw takes back; more wait for the next.
const TAKEN_BACK_AT_ONCE: u32 = 100;

fn draw(
    connection: &mut Connection,
    prefix: &KeyPrefix,
    at_least: u64,
    up_to: u64,
    now_ms: i64,
) -> Result<Draw, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    take_back_ended(&transaction, now_ms)?;
    let drawn = judge(&transaction, prefix, at_least.max(1), up_to, now_ms)?;
    transaction.commit()?;
    Ok(drawn)
}

fn judge(
    transaction: &Transaction<'_>,
    prefix: &KeyPrefix,
    at_least: u64,
    up_to: u64,
    now_ms: i64,
) -> Result<Draw, StoreError> {
    let is_over = |end: Option<i64>| end.is_some_and(|end| end <= now_ms);
    let key = keys::find(transaction, prefix)?;
    let Some(key) = key.filter(|key| key.revoked_ms.is_none() && !is_over(key.expires_ms)) else {
        return Ok(Draw::NoKey);
    };
    if let Some(lock) = key.lock {
        return Ok(Draw::Locked(lock));
    }
    if !key.is_metered {
        return Ok(Draw::Unmetered);
    }
    let month = Month::of(now_ms);
    // an account without an allowance is the operator's: its capped keys draw on their caps alone
    let mut account = None;
    let mut left_to_account = u64::MAX;
    if let Some(id) = key.account
        && let Some(state) = state_of(transaction, &id, month)?
        && let Some(chars) = state.chars
    {
        left_to_account = chars.saturating_sub(state.used + state.lent);
        account = Some(id);
    }
    let left_to_key = match key.monthly_cap {
        Some(cap) => cap.saturating_sub(cap_drawn(transaction, prefix, month)?),
        None => u64::MAX,
    };
    let left = left_to_account.min(left_to_key);
    if left < at_least {
        if let Some(account) = account.filter(|_| left_to_account == 0) {
            mark_account(transaction, MARK_ACCOUNT_SPENT, &account, month)?;
        }
        if left_to_key == 0 {
            mark_key(transaction, MARK_KEY_SPENT, prefix, month)?;
        }
        return Ok(Draw::Spent { left, renews_ms: month.next().start_ms() });
    }
    let chars = left.min(up_to.max(at_least));
    add_drawn(transaction, prefix, account.as_ref(), month, signed(chars))?;
    transaction.prepare_cached(INSERT_LEASE)?.execute(named_params! {
        ":prefix": prefix.as_str(),
        ":account": account.as_ref().map(AccountId::as_str),
        ":month": month.0,
        ":chars": signed(chars),
        ":expires_ms": now_ms.saturating_add(LEASE_LIFE_MS),
    })?;
    Ok(Draw::Lent(Lease { id: LeaseId(transaction.last_insert_rowid()), chars, month }))
}

fn state_of(
    connection: &Connection,
    account: &AccountId,
    month: Month,
) -> Result<Option<Allowance>, StoreError> {
    let asked = named_params! {":account": account.as_str(), ":month": month.0};
    let mut statement = connection.prepare_cached(FIND_ALLOWANCE)?;
    let state = statement.query_row(asked, |row| {
        let is_operator: bool = row.get("is_operator")?;
        let (drawn, lent) = (unsigned(row.get("drawn")?), unsigned(row.get("lent")?));
        Ok(Allowance {
            month,
            chars: (!is_operator).then_some(unsigned(row.get("monthly_chars")?)),
            used: drawn.saturating_sub(lent),
            lent,
            renews_ms: month.next().start_ms(),
        })
    });
    Ok(state.optional()?)
}

fn cap_drawn(connection: &Connection, prefix: &KeyPrefix, month: Month) -> Result<u64, StoreError> {
    let asked = named_params! {":prefix": prefix.as_str(), ":month": month.0};
    let drawn = connection.prepare_cached(FIND_CAP_DRAWN)?.query_row(asked, |row| row.get(0)).optional()?;
    Ok(drawn.map_or(0, unsigned))
}

/// Lets a key that takes the place of another begin where that one is.
pub(super) fn inherit_cap(
    transaction: &Transaction<'_>,
    old: &KeyPrefix,
    new: &KeyPrefix,
    now_ms: i64,
) -> Result<(), StoreError> {
    let month = Month::of(now_ms).0;
    transaction.execute(
        COPY_CAP_DRAWN,
        named_params! {":old": old.as_str(), ":new": new.as_str(), ":month": month},
    )?;
    Ok(())
}

/// Adds to what was drawn, or takes back what is below 0.
fn add_drawn(
    transaction: &Transaction<'_>,
    prefix: &KeyPrefix,
    account: Option<&AccountId>,
    month: Month,
    chars: i64,
) -> Result<(), StoreError> {
    let given = named_params! {":prefix": prefix.as_str(), ":month": month.0, ":chars": chars};
    transaction.prepare_cached(ADD_CAP_DRAWN)?.execute(given)?;
    if let Some(account) = account {
        let given = named_params! {":account": account.as_str(), ":month": month.0, ":chars": chars};
        transaction.prepare_cached(ADD_ALLOWANCE_DRAWN)?.execute(given)?;
    }
    Ok(())
}

/// Marks or unmarks an account as spent; servers look again at its keys if that is news.
fn mark_account(
    transaction: &Transaction<'_>,
    statement: &str,
    account: &AccountId,
    month: Month,
) -> Result<(), StoreError> {
    let given = named_params! {":account": account.as_str(), ":month": month.0};
    if transaction.prepare_cached(statement)?.execute(given)? > 0 {
        keys::touch_all_of(transaction, account)?;
    }
    Ok(())
}

/// The same for a key.
fn mark_key(
    transaction: &Transaction<'_>,
    statement: &str,
    prefix: &KeyPrefix,
    month: Month,
) -> Result<(), StoreError> {
    let given = named_params! {":prefix": prefix.as_str(), ":month": month.0};
    if transaction.prepare_cached(statement)?.execute(given)? > 0 {
        keys::touch(transaction, prefix)?;
    }
    Ok(())
}

/// Ends a lease; `used` is what its server says at the end, if it says anything.
fn end(transaction: &Transaction<'_>, lease: LeaseId, used: Option<u64>) -> Result<bool, StoreError> {
    let asked = named_params! {":id": lease.0};
    let ended = transaction.prepare_cached(END_LEASE)?.query_row(asked, |row| {
        let prefix = KeyPrefix(row.get("prefix")?);
        let account = row.get::<_, Option<String>>("account")?.map(AccountId);
        Ok((prefix, account, Month(row.get("month")?), row.get("chars")?, row.get("used")?))
    });
    let ended: Option<(_, _, _, i64, i64)> = ended.optional()?;
    let Some((prefix, account, month, chars, reported)) = ended else { return Ok(false) };
    let used = used.map_or(reported, |used| signed(used).max(reported));
    let unused = chars.saturating_sub(used);
    add_drawn(transaction, &prefix, account.as_ref(), month, -unused)?;
    if unused > 0 {
        mark_key(transaction, UNMARK_KEY_SPENT, &prefix, month)?;
        if let Some(account) = &account {
            mark_account(transaction, UNMARK_ACCOUNT_SPENT, account, month)?;
        }
    }
    Ok(true)
}

/// Ends leases of which nothing was heard for too long.
pub(super) fn take_back_ended(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let mut statement = transaction.prepare_cached(FIND_ENDED_LEASES)?;
    let asked = named_params! {":now_ms": now_ms, ":limit": TAKEN_BACK_AT_ONCE};
    let ended: Vec<i64> = statement.query_map(asked, |row| row.get(0))?.collect::<Result<_, _>>()?;
    for lease in ended {
        end(transaction, LeaseId(lease), None)?;
    }
    Ok(())
}

/// Notes what was used of a lease and keeps it alive; whether it had not ended.
pub(super) fn report(
    transaction: &Transaction<'_>,
    lease: LeaseId,
    used: u64,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let reported = transaction.prepare_cached(REPORT_LEASE)?.execute(named_params! {
        ":id": lease.0,
        ":used": signed(used),
        ":expires_ms": now_ms.saturating_add(LEASE_LIFE_MS),
    })?;
    Ok(reported > 0)
}

fn settle(connection: &mut Connection, lease: LeaseId, used: u64) -> Result<bool, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let ended = end(&transaction, lease, Some(used))?;
    transaction.commit()?;
    Ok(ended)
}

#[async_trait]
impl AllowanceStore for SqliteStore {
    async fn draw_allowance(
        &self,
        key: KeyPrefix,
        at_least: u64,
        up_to: u64,
        now_ms: i64,
    ) -> Result<Draw, StoreError> {
        // first audio may wait for it; a power cut could give a lease for nothing, and the next report of usage writes all
        // that came before it to the disk
        self.call_without_sync(move |connection| draw(connection, &key, at_least, up_to, now_ms)).await
    }

    async fn settle_lease(&self, lease: LeaseId, used: u64, _now_ms: i64) -> Result<bool, StoreError> {
        self.call_without_sync(move |connection| settle(connection, lease, used)).await
    }

    async fn allowance(&self, account: AccountId, now_ms: i64) -> Result<Option<Allowance>, StoreError> {
        self.read(move |connection| state_of(connection, &account, Month::of(now_ms))).await
    }
}
