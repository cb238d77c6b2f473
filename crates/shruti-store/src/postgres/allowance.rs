//! Allowances and leases, in SQL.

use async_trait::async_trait;

use super::client::{Client, Transaction};
use super::rows::{self, Values};
use super::store::PostgresStore;
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
        coalesce((SELECT drawn FROM allowance_drawn WHERE account = accounts.id AND month = $2), 0) AS drawn,
        coalesce(
            (SELECT sum(chars - used) FROM leases WHERE account = accounts.id AND month = $2), 0
        )::BIGINT AS lent
    FROM accounts WHERE id = $1";
/// Draws on one allowance are decided one after the other. The operator's has no bound, and needs no lock.
const HOLD_ACCOUNT_OF_KEY: &str = "SELECT accounts.id FROM keys JOIN accounts ON accounts.id = keys.account
    WHERE keys.prefix = $1 AND NOT accounts.is_operator FOR NO KEY UPDATE OF accounts";
const ACCOUNT_OF_KEY: &str = "SELECT accounts.id FROM keys JOIN accounts ON accounts.id = keys.account
    WHERE keys.prefix = $1 AND NOT accounts.is_operator";
const HOLD_ACCOUNT_OF_LEASE: &str =
    "SELECT accounts.id FROM leases JOIN accounts ON accounts.id = leases.account
    WHERE leases.id = $1 FOR NO KEY UPDATE OF accounts";
const HOLD_CAP_DRAWN: &str = "INSERT INTO cap_drawn (prefix, month, drawn) VALUES ($1, $2, 0)
    ON CONFLICT (prefix, month) DO UPDATE SET drawn = cap_drawn.drawn RETURNING drawn";
const ADD_ALLOWANCE_DRAWN: &str = "INSERT INTO allowance_drawn (account, month, drawn) VALUES ($1, $2, $3)
    ON CONFLICT (account, month) DO UPDATE SET drawn = allowance_drawn.drawn + $3";
const ADD_CAP_DRAWN: &str = "INSERT INTO cap_drawn (prefix, month, drawn) VALUES ($1, $2, $3)
    ON CONFLICT (prefix, month) DO UPDATE SET drawn = cap_drawn.drawn + $3";
const COPY_CAP_DRAWN: &str = "INSERT INTO cap_drawn (prefix, month, drawn)
    SELECT $2, month, drawn FROM cap_drawn WHERE prefix = $1 AND month = $3";
const INSERT_LEASE: &str = "INSERT INTO leases (prefix, account, month, chars, expires_ms)
    VALUES ($1, $2, $3, $4, $5) RETURNING id";
const END_LEASE: &str = "DELETE FROM leases WHERE id = $1 RETURNING prefix, account, month, chars, used";
const END_LEASE_IF_OVER: &str = "DELETE FROM leases WHERE id = $1 AND expires_ms <= $2
    RETURNING prefix, account, month, chars, used";
const FIND_ENDED_LEASES: &str = "SELECT id FROM leases WHERE expires_ms <= $1 ORDER BY expires_ms LIMIT $2";
const REPORT_LEASE: &str = "UPDATE leases SET used = greatest(used, $2), expires_ms = $3 WHERE id = $1";
const MARK_ACCOUNT_SPENT: &str =
    "UPDATE accounts SET spent_month = $2 WHERE id = $1 AND spent_month IS DISTINCT FROM $2";
const UNMARK_ACCOUNT_SPENT: &str =
    "UPDATE accounts SET spent_month = NULL WHERE id = $1 AND spent_month = $2";
const IS_KEY_UNMARKED: &str = "SELECT 1 FROM keys WHERE prefix = $1 AND spent_month IS DISTINCT FROM $2";
const MARK_KEY_SPENT: &str = "UPDATE keys SET spent_month = $2 WHERE prefix = $1";
const IS_KEY_MARKED: &str = "SELECT 1 FROM keys WHERE prefix = $1 AND spent_month = $2";
const UNMARK_KEY_SPENT: &str = "UPDATE keys SET spent_month = NULL WHERE prefix = $1 AND spent_month = $2";
const DROP_OLD_ALLOWANCE: &str = "DELETE FROM allowance_drawn WHERE month < $1";
const DROP_OLD_CAPS: &str = "DELETE FROM cap_drawn WHERE month < $1";

/// What a draw may ask for.
const DRAW: [&str; 7] = [
    HOLD_ACCOUNT_OF_KEY,
    key_rows::FIND_KEY,
    HOLD_CAP_DRAWN,
    FIND_ALLOWANCE,
    ADD_CAP_DRAWN,
    ADD_ALLOWANCE_DRAWN,
    INSERT_LEASE,
];

/// Leases whose time is over that one draw ends; more wait for the next.
const MAX_ENDED_PER_DRAW: i64 = 100;

async fn draw(
    transaction: &Transaction<'_>,
    prefix: &KeyPrefix,
    at_least: u64,
    up_to: u64,
    now_ms: i64,
) -> Result<Draw, StoreError> {
    let month = Month::of(now_ms);
    rows::prepare(transaction, &DRAW).await?;
    rows::first(transaction, HOLD_ACCOUNT_OF_KEY, &[&prefix.as_str()]).await?;
    let state = draw_state(transaction, prefix, month).await?;
    match decide_draw(state, at_least, up_to, now_ms) {
        DrawDecision::Lend { account, chars } => {
            lend(transaction, prefix, account.as_ref(), chars, now_ms).await
        }
        DrawDecision::Spent { left, account, is_key_spent } => {
            if let Some(account) = account {
                mark_account(transaction, MARK_ACCOUNT_SPENT, &account, month).await?;
            }
            if is_key_spent {
                mark_key(transaction, IS_KEY_UNMARKED, MARK_KEY_SPENT, prefix, month).await?;
            }
            Ok(Draw::Spent { left, renews_ms: month.next().start_ms() })
        }
        DrawDecision::Unmetered => Ok(Draw::Unmetered),
        DrawDecision::Locked(lock) => Ok(Draw::Locked(lock)),
        DrawDecision::NoKey => Ok(Draw::NoKey),
    }
}

/// What a draw is decided by; for a key that draws nothing no more than the key is looked up.
async fn draw_state(
    transaction: &Transaction<'_>,
    prefix: &KeyPrefix,
    month: Month,
) -> Result<DrawState, StoreError> {
    let key = key_rows::find(transaction, prefix).await?;
    let (mut allowance, mut cap_drawn) = (None, 0);
    if let Some(key) = key.as_ref().filter(|key| key.is_metered) {
        if key.monthly_cap.is_some() {
            cap_drawn = hold_cap_drawn(transaction, prefix, month).await?;
        }
        if let Some(account) = &key.account {
            allowance = state_of(transaction, account, month).await?;
        }
    }
    Ok(DrawState { key, allowance, cap_drawn })
}

async fn lend(
    transaction: &Transaction<'_>,
    prefix: &KeyPrefix,
    account: Option<&AccountId>,
    chars: u64,
    now_ms: i64,
) -> Result<Draw, StoreError> {
    let month = Month::of(now_ms);
    let expires_ms = now_ms.saturating_add(LEASE_LIFE_MS);
    let owner = account.map(AccountId::as_str);
    let given: Values<'_> = &[&prefix.as_str(), &owner, &month.0, &signed(chars), &expires_ms];
    // sent together: a first sound waits for this
    let (row, ()) = tokio::try_join!(
        rows::one(transaction, INSERT_LEASE, given),
        add_drawn(transaction, prefix, account, month, signed(chars)),
    )?;
    Ok(Draw::Lent(Lease { id: LeaseId(row.try_get("id")?), chars, month }))
}

async fn state_of(
    client: &impl Client,
    account: &AccountId,
    month: Month,
) -> Result<Option<Allowance>, StoreError> {
    let found = rows::first(client, FIND_ALLOWANCE, &[&account.as_str(), &month.0]).await?;
    let Some(row) = found else { return Ok(None) };
    let is_operator: bool = row.try_get("is_operator")?;
    let (drawn, lent) = (unsigned(row.try_get("drawn")?), unsigned(row.try_get("lent")?));
    Ok(Some(Allowance {
        month,
        chars: (!is_operator).then_some(unsigned(row.try_get("monthly_chars")?)),
        used: drawn.saturating_sub(lent),
        lent,
        renews_ms: month.next().start_ms(),
    }))
}

/// What was drawn against the cap of a key, held: draws on one cap are decided one after the other.
async fn hold_cap_drawn(
    transaction: &Transaction<'_>,
    prefix: &KeyPrefix,
    month: Month,
) -> Result<u64, StoreError> {
    let asked: Values<'_> = &[&prefix.as_str(), &month.0];
    Ok(unsigned(rows::one(transaction, HOLD_CAP_DRAWN, asked).await?.try_get("drawn")?))
}

/// Lets a key that takes the place of another begin where that one is.
pub(super) async fn inherit_cap(
    transaction: &Transaction<'_>,
    old: &KeyPrefix,
    new: &KeyPrefix,
    now_ms: i64,
) -> Result<(), StoreError> {
    let month = Month::of(now_ms).0;
    rows::execute(transaction, COPY_CAP_DRAWN, &[&old.as_str(), &new.as_str(), &month]).await?;
    Ok(())
}

/// Adds to what was drawn, or takes back what is below 0.
async fn add_drawn(
    transaction: &Transaction<'_>,
    prefix: &KeyPrefix,
    account: Option<&AccountId>,
    month: Month,
    chars: i64,
) -> Result<(), StoreError> {
    rows::execute(transaction, ADD_CAP_DRAWN, &[&prefix.as_str(), &month.0, &chars]).await?;
    if let Some(account) = account {
        rows::execute(transaction, ADD_ALLOWANCE_DRAWN, &[&account.as_str(), &month.0, &chars]).await?;
    }
    Ok(())
}

/// Draws what was spoken without a lease, however much is left. Caps come before allowances, each in their order, so
/// that no two servers wait for each other.
pub(super) async fn overdraw(
    transaction: &Transaction<'_>,
    mut of_keys: Vec<&Overdraft>,
) -> Result<(), StoreError> {
    of_keys.sort_by_key(|overdraft| (&overdraft.key, overdraft.month));
    let mut of_accounts = Vec::new();
    for Overdraft { key, month, chars } in of_keys {
        let chars = signed(*chars);
        rows::execute(transaction, ADD_CAP_DRAWN, &[&key.as_str(), &month.0, &chars]).await?;
        if let Some(row) = rows::first(transaction, ACCOUNT_OF_KEY, &[&key.as_str()]).await? {
            of_accounts.push((row.try_get::<_, String>("id")?, month.0, chars));
        }
    }
    of_accounts.sort_unstable();
    for (account, month, chars) in of_accounts {
        rows::execute(transaction, ADD_ALLOWANCE_DRAWN, &[&account, &month, &chars]).await?;
    }
    Ok(())
}

/// Marks or unmarks an account as spent; servers look again at its keys if that is news.
async fn mark_account(
    transaction: &Transaction<'_>,
    statement: &str,
    account: &AccountId,
    month: Month,
) -> Result<(), StoreError> {
    if rows::execute(transaction, statement, &[&account.as_str(), &month.0]).await? > 0 {
        key_rows::touch_all_of(transaction, account).await?;
    }
    Ok(())
}

/// The same for a key. It is looked at before it is changed, because its new revision comes first.
async fn mark_key(
    transaction: &Transaction<'_>,
    is_news: &str,
    statement: &str,
    prefix: &KeyPrefix,
    month: Month,
) -> Result<(), StoreError> {
    let given: Values<'_> = &[&prefix.as_str(), &month.0];
    if rows::first(transaction, is_news, given).await?.is_some() {
        key_rows::touch(transaction, prefix).await?;
        rows::execute(transaction, statement, given).await?;
    }
    Ok(())
}

/// Ends a lease: gives back what a statement that removes it says was not used. `used` is what its server says at the
/// end, if it says anything.
async fn end(
    transaction: &Transaction<'_>,
    lease: LeaseId,
    used: Option<u64>,
    over_at_ms: Option<i64>,
) -> Result<bool, StoreError> {
    rows::first(transaction, HOLD_ACCOUNT_OF_LEASE, &[&lease.0]).await?;
    let ended = match over_at_ms {
        Some(now_ms) => rows::first(transaction, END_LEASE_IF_OVER, &[&lease.0, &now_ms]).await?,
        None => rows::first(transaction, END_LEASE, &[&lease.0]).await?,
    };
    let Some(row) = ended else { return Ok(false) };
    let prefix = KeyPrefix(row.try_get("prefix")?);
    let account = row.try_get::<_, Option<String>>("account")?.map(AccountId);
    let month = Month(row.try_get("month")?);
    let lease = EndingLease { chars: row.try_get("chars")?, reported: row.try_get("used")? };
    let unused = lease.unused(used.map(signed));
    add_drawn(transaction, &prefix, account.as_ref(), month, unused.saturating_neg()).await?;
    if unused > 0 {
        mark_key(transaction, IS_KEY_MARKED, UNMARK_KEY_SPENT, &prefix, month).await?;
        if let Some(account) = &account {
            mark_account(transaction, UNMARK_ACCOUNT_SPENT, account, month).await?;
        }
    }
    Ok(true)
}

/// Removes what was drawn in the months before a month.
pub(super) async fn drop_before(transaction: &Transaction<'_>, month: i64) -> Result<(), StoreError> {
    for statement in [DROP_OLD_ALLOWANCE, DROP_OLD_CAPS] {
        rows::execute(transaction, statement, &[&month]).await?;
    }
    Ok(())
}

/// Notes what was used of a lease and keeps it alive; whether it had not ended.
pub(super) async fn report(
    transaction: &Transaction<'_>,
    lease: LeaseId,
    used: u64,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let expires_ms = now_ms.saturating_add(LEASE_LIFE_MS);
    Ok(rows::execute(transaction, REPORT_LEASE, &[&lease.0, &signed(used), &expires_ms]).await? > 0)
}

impl PostgresStore {
    /// Ends leases of which nothing was heard for too long, each in a transaction of its own, as each locks an account.
    pub(super) async fn end_expired_leases(&self, now_ms: i64) -> Result<(), StoreError> {
        let asked: Values<'_> = &[&now_ms, &MAX_ENDED_PER_DRAW];
        let ended = self.read(async |client| rows::all(client, FIND_ENDED_LEASES, asked).await).await?;
        for row in ended {
            let lease = LeaseId(row.try_get("id")?);
            self.call(async |transaction| end(transaction, lease, None, Some(now_ms)).await).await?;
        }
        Ok(())
    }
}

#[async_trait]
impl AllowanceStore for PostgresStore {
    async fn draw_allowance(
        &self,
        key: KeyPrefix,
        at_least: u64,
        up_to: u64,
        now_ms: i64,
    ) -> Result<Draw, StoreError> {
        self.end_expired_leases(now_ms).await?;
        self.call(async |transaction| draw(transaction, &key, at_least, up_to, now_ms).await).await
    }

    async fn settle_lease(&self, lease: LeaseId, used: u64, _now_ms: i64) -> Result<bool, StoreError> {
        self.call(async |transaction| end(transaction, lease, Some(used), None).await).await
    }

    async fn allowance(&self, account: AccountId, now_ms: i64) -> Result<Option<Allowance>, StoreError> {
        self.read(async |client| state_of(client, &account, Month::of(now_ms)).await).await
    }

    async fn take_quota_warnings(&self, limit: u32, now_ms: i64) -> Result<Vec<QuotaWarning>, StoreError> {
        self.call(async |transaction| quota_warnings::take(transaction, limit, now_ms).await).await
    }
}
