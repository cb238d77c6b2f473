//! Allowances and leases, in SQL.

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Transaction, named_params};

use super::store::SqliteStore;
use super::{key_rows, quota_warnings};
use crate::account::AccountId;
use crate::allowance::{Allowance, AllowanceStore, Draw, LEASE_LIFE_MS, Lease, LeaseId, QuotaWarning};
use crate::calendar::Month;
use crate::count::{signed, unsigned};
use crate::decisions::allowance::{DrawDecision, DrawState, EndingLease, decide_draw};
use crate::error::StoreError;
use crate::key::KeyPrefix;
use crate::usage::Overdraft;

const FIND_ALLOWANCE: &str = "SELECT monthly_chars, is_operator,
        coalesce((SELECT drawn FROM allowance_drawn WHERE account = accounts.id AND month = :month), 0) AS drawn,
        coalesce((SELECT sum(chars - used) FROM leases WHERE account = accounts.id AND month = :month), 0) AS lent
    FROM accounts WHERE id = :account";
const FIND_CAP_DRAWN: &str = "SELECT drawn FROM cap_drawn WHERE prefix = :prefix AND month = :month";
const ADD_ALLOWANCE_DRAWN: &str =
    "INSERT INTO allowance_drawn (account, month, drawn) VALUES (:account, :month, :chars)
    ON CONFLICT (account, month) DO UPDATE SET drawn = drawn + :chars";
const ADD_CAP_DRAWN: &str = "INSERT INTO cap_drawn (prefix, month, drawn) VALUES (:prefix, :month, :chars)
    ON CONFLICT (prefix, month) DO UPDATE SET drawn = drawn + :chars";
const COPY_CAP_DRAWN: &str = "INSERT INTO cap_drawn (prefix, month, drawn)
    SELECT :new, month, drawn FROM cap_drawn WHERE prefix = :old AND month = :month";
const INSERT_LEASE: &str = "INSERT INTO leases (prefix, account, month, chars, expires_ms)
    VALUES (:prefix, :account, :month, :chars, :expires_ms)";
const END_LEASE: &str = "DELETE FROM leases WHERE id = :id RETURNING prefix, account, month, chars, used";
const FIND_ENDED_LEASES: &str =
    "SELECT id FROM leases WHERE expires_ms <= :now_ms ORDER BY expires_ms LIMIT :limit";
const REPORT_LEASE: &str =
    "UPDATE leases SET used = max(used, :used), expires_ms = :expires_ms WHERE id = :id";
const MARK_ACCOUNT_SPENT: &str =
    "UPDATE accounts SET spent_month = :month WHERE id = :account AND spent_month IS NOT :month";
const MARK_KEY_SPENT: &str =
    "UPDATE keys SET spent_month = :month WHERE prefix = :prefix AND spent_month IS NOT :month";
const UNMARK_ACCOUNT_SPENT: &str =
    "UPDATE accounts SET spent_month = NULL WHERE id = :account AND spent_month = :month";
const UNMARK_KEY_SPENT: &str =
    "UPDATE keys SET spent_month = NULL WHERE prefix = :prefix AND spent_month = :month";
const DROP_OLD_ALLOWANCE: &str = "DELETE FROM allowance_drawn WHERE month < :month";
const DROP_OLD_CAPS: &str = "DELETE FROM cap_drawn WHERE month < :month";

const ACCOUNT_OF_KEY: &str = "SELECT accounts.id FROM keys JOIN accounts ON accounts.id = keys.account
    WHERE keys.prefix = :prefix AND NOT accounts.is_operator";

/// Leases whose time is over that one draw ends; more wait for the next.
const MAX_ENDED_PER_DRAW: u32 = 100;

fn draw(
    connection: &mut Connection,
    prefix: &KeyPrefix,
    at_least: u64,
    up_to: u64,
    now_ms: i64,
) -> Result<Draw, StoreError> {
    let transaction = connection.transaction()?;
    end_expired(&transaction, now_ms)?;
    let drawn = draw_in(&transaction, prefix, at_least, up_to, now_ms)?;
    transaction.commit()?;
    Ok(drawn)
}

fn draw_in(
    transaction: &Transaction<'_>,
    prefix: &KeyPrefix,
    at_least: u64,
    up_to: u64,
    now_ms: i64,
) -> Result<Draw, StoreError> {
    let month = Month::of(now_ms);
    let state = draw_state(transaction, prefix, month)?;
    match decide_draw(state, at_least, up_to, now_ms) {
        DrawDecision::Lend { account, chars } => lend(transaction, prefix, account.as_ref(), chars, now_ms),
        DrawDecision::Spent { left, account, is_key_spent } => {
            if let Some(account) = account {
                mark_account(transaction, MARK_ACCOUNT_SPENT, &account, month)?;
            }
            if is_key_spent {
                mark_key(transaction, MARK_KEY_SPENT, prefix, month)?;
            }
            Ok(Draw::Spent { left, renews_ms: month.next().start_ms() })
        }
        DrawDecision::Unmetered => Ok(Draw::Unmetered),
        DrawDecision::Locked(lock) => Ok(Draw::Locked(lock)),
        DrawDecision::NoKey => Ok(Draw::NoKey),
    }
}

/// What a draw is decided by; for a key that draws nothing no more than the key is looked up.
fn draw_state(
    transaction: &Transaction<'_>,
    prefix: &KeyPrefix,
    month: Month,
) -> Result<DrawState, StoreError> {
    let key = key_rows::find(transaction, prefix)?;
    let (mut allowance, mut cap_drawn) = (None, 0);
    if let Some(key) = key.as_ref().filter(|key| key.is_metered) {
        if let Some(account) = &key.account {
            allowance = state_of(transaction, account, month)?;
        }
        if key.monthly_cap.is_some() {
            cap_drawn = find_cap_drawn(transaction, prefix, month)?;
        }
    }
    Ok(DrawState { key, allowance, cap_drawn })
}

fn lend(
    transaction: &Transaction<'_>,
    prefix: &KeyPrefix,
    account: Option<&AccountId>,
    chars: u64,
    now_ms: i64,
) -> Result<Draw, StoreError> {
    let month = Month::of(now_ms);
    add_drawn(transaction, prefix, account, month, signed(chars))?;
    transaction.prepare_cached(INSERT_LEASE)?.execute(named_params! {
        ":prefix": prefix.as_str(),
        ":account": account.map(AccountId::as_str),
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

fn find_cap_drawn(connection: &Connection, prefix: &KeyPrefix, month: Month) -> Result<u64, StoreError> {
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

/// Draws what was spoken without a lease, however much is left.
pub(super) fn overdraw(transaction: &Transaction<'_>, overdraft: &Overdraft) -> Result<(), StoreError> {
    let Overdraft { key, month, chars } = overdraft;
    let account = transaction
        .prepare_cached(ACCOUNT_OF_KEY)?
        .query_row(named_params! {":prefix": key.as_str()}, |row| row.get("id").map(AccountId))
        .optional()?;
    add_drawn(transaction, key, account.as_ref(), *month, signed(*chars))
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
        key_rows::touch_all_of(transaction, account)?;
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
        key_rows::touch(transaction, prefix)?;
    }
    Ok(())
}

/// Ends a lease; `used` is what its server says at the end, if it says anything.
fn end(transaction: &Transaction<'_>, lease: LeaseId, used: Option<u64>) -> Result<bool, StoreError> {
    let asked = named_params! {":id": lease.0};
    let ended = transaction.prepare_cached(END_LEASE)?.query_row(asked, |row| {
        let prefix = KeyPrefix(row.get("prefix")?);
        let account = row.get::<_, Option<String>>("account")?.map(AccountId);
        let lease = EndingLease { chars: row.get("chars")?, reported: row.get("used")? };
        Ok((prefix, account, Month(row.get("month")?), lease))
    });
    let Some((prefix, account, month, lease)) = ended.optional()? else { return Ok(false) };
    let unused = lease.unused(used.map(signed));
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
pub(super) fn end_expired(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let mut statement = transaction.prepare_cached(FIND_ENDED_LEASES)?;
    let asked = named_params! {":now_ms": now_ms, ":limit": MAX_ENDED_PER_DRAW};
    let ended: Vec<i64> = statement.query_map(asked, |row| row.get(0))?.collect::<Result<_, _>>()?;
    for lease in ended {
        end(transaction, LeaseId(lease), None)?;
    }
    Ok(())
}

/// Removes what was drawn in the months before a month.
pub(super) fn drop_before(transaction: &Transaction<'_>, month: i64) -> Result<(), StoreError> {
    for statement in [DROP_OLD_ALLOWANCE, DROP_OLD_CAPS] {
        transaction.execute(statement, named_params! {":month": month})?;
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
    let transaction = connection.transaction()?;
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
        // first audio may wait for it; a power cut could give a lease for nothing, and the next report of usage writes
        // all that came before it to the disk
        self.call_without_sync(move |connection| draw(connection, &key, at_least, up_to, now_ms)).await
    }

    async fn settle_lease(&self, lease: LeaseId, used: u64, _now_ms: i64) -> Result<bool, StoreError> {
        self.call_without_sync(move |connection| settle(connection, lease, used)).await
    }

    async fn allowance(&self, account: AccountId, now_ms: i64) -> Result<Option<Allowance>, StoreError> {
        self.read(move |connection| state_of(connection, &account, Month::of(now_ms))).await
    }

    async fn take_quota_warnings(&self, limit: u32, now_ms: i64) -> Result<Vec<QuotaWarning>, StoreError> {
        self.call(move |connection| quota_warnings::take(connection, limit, now_ms)).await
    }
}
