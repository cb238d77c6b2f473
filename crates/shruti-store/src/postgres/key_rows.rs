//! The rows of keys: found, held, made, marked as changed.

use tokio_postgres::Row;

use super::audit;
use super::client::{Client, Transaction};
use super::rows::{self, Values, small};
use crate::account::AccountId;
use crate::audit::{Actor, Event};
use crate::error::StoreError;
use crate::key_record::{KeyLimits, KeyRecord, StoredKey, StoredOwner};

/// A whole statement that gives [records](read) of keys, from the clauses after `FROM`.
macro_rules! select_keys {
    ($clauses:literal) => {
        concat!(
            "SELECT keys.prefix, keys.hash, keys.name, keys.purpose, keys.scopes, keys.created_ms, keys.expires_ms,
                keys.revoked_ms, keys.rate, keys.burst, keys.streams, keys.account, keys.monthly_cap,
                keys.spent_month AS cap_spent_month, accounts.spent_month AS allowance_spent_month,
                accounts.is_operator, accounts.access_ms, accounts.locked_ms,
                (SELECT last_used_ms FROM key_uses WHERE key_uses.prefix = keys.prefix) AS last_used_ms,
                (SELECT version FROM lexicons WHERE lexicons.account = keys.account AND NOT is_empty) AS lexicon,
                (SELECT string_agg(origin, ' ') FROM key_origins WHERE key_origins.prefix = keys.prefix) AS origins
            FROM keys LEFT JOIN accounts ON accounts.id = keys.account ",
            $clauses
        )
    };
}
pub(super) use select_keys;

/// Servers hear of the change when the transaction ends well.
const NEXT_REVISION: &str = "WITH changed AS (UPDATE key_revision SET value = value + 1 RETURNING value)
    SELECT value, pg_notify('shruti_keys', '')::TEXT FROM changed";
const TOUCH_KEYS_OF: &str = "UPDATE keys SET revision = $2 WHERE account = $1 AND revoked_ms IS NULL";

/// The keys that a statement gives.
pub(super) async fn list(
    client: &impl Client,
    statement: &str,
    asked: Values<'_>,
) -> Result<Vec<KeyRecord>, StoreError> {
    rows::all(client, statement, asked).await?.iter().map(read).collect()
}

/// A new revision; from here to the end of the transaction no other changes a key.
pub(super) async fn next_revision(transaction: &Transaction<'_>) -> Result<i64, StoreError> {
    Ok(rows::one(transaction, NEXT_REVISION, &[]).await?.try_get("value")?)
}

/// Gives the keys of an account a new revision, so that servers look at them again.
pub(super) async fn touch_all_of(
    transaction: &Transaction<'_>,
    account: &AccountId,
) -> Result<(), StoreError> {
    let revision = next_revision(transaction).await?;
    rows::execute(transaction, TOUCH_KEYS_OF, &[&account.as_str(), &revision]).await?;
    Ok(())
}

/// Writes into the audit log what was done to a key.
pub(super) async fn record_event(
    transaction: &Transaction<'_>,
    by: &Actor,
    event: Event,
    key: &KeyRecord,
    now_ms: i64,
) -> Result<(), StoreError> {
    audit::done(transaction, now_ms, by, event, key.account.as_ref(), Some(key.prefix.as_str())).await
}

fn read(row: &Row) -> Result<KeyRecord, StoreError> {
    let account = match row.try_get::<_, Option<String>>("account")? {
        Some(id) => Some(StoredOwner {
            id,
            is_operator: row.try_get("is_operator")?,
            access_ms: row.try_get("access_ms")?,
            locked_ms: row.try_get("locked_ms")?,
            spent_month: row.try_get("allowance_spent_month")?,
        }),
        None => None,
    };
    let limit = |column| row.try_get::<_, Option<i64>>(column)?.map(small).transpose();
    let stored = StoredKey {
        prefix: row.try_get("prefix")?,
        hash: rows::hash(row, "hash")?,
        name: row.try_get("name")?,
        purpose: row.try_get("purpose")?,
        scopes: row.try_get("scopes")?,
        origins: row.try_get("origins")?,
        limits: KeyLimits { rate: row.try_get("rate")?, burst: limit("burst")?, streams: limit("streams")? },
        created_ms: row.try_get("created_ms")?,
        expires_ms: row.try_get("expires_ms")?,
        revoked_ms: row.try_get("revoked_ms")?,
        last_used_ms: row.try_get("last_used_ms")?,
        monthly_cap: row.try_get("monthly_cap")?,
        cap_spent_month: row.try_get("cap_spent_month")?,
        lexicon: row.try_get("lexicon")?,
        account,
    };
    stored.try_into()
}
