//! The rows of keys: found, made, marked as changed.

use rusqlite::{Connection, Params, Row, Transaction, named_params};

use super::audit;
use crate::account::AccountId;
use crate::audit::{Actor, Event};
use crate::error::StoreError;
use crate::key_record::{KeyLimits, KeyRecord, StoredKey, StoredOwner};
use crate::secret::SecretHash;

/// A whole statement that gives [records](read) of keys, from the clauses after `FROM`.
macro_rules! select_keys {
    ($clauses:literal) => {
        concat!(
            "SELECT keys.prefix, keys.hash, keys.name, keys.purpose, keys.scopes, keys.created_ms, keys.expires_ms,
                keys.revoked_ms, keys.rate, keys.burst, keys.streams, keys.account, keys.monthly_cap, keys.last_used_ms,
                keys.spent_month AS cap_spent_month, accounts.spent_month AS allowance_spent_month,
                accounts.is_operator, accounts.access_ms, accounts.locked_ms,
                (SELECT version FROM lexicons WHERE lexicons.account = keys.account AND NOT is_empty) AS lexicon,
                (SELECT group_concat(origin, ' ') FROM key_origins WHERE key_origins.prefix = keys.prefix) AS origins
            FROM keys LEFT JOIN accounts ON accounts.id = keys.account ",
            $clauses
        )
    };
}
pub(super) use select_keys;

const NEXT_REVISION: &str = "UPDATE key_revision SET value = value + 1 RETURNING value";
const TOUCH_KEYS_OF: &str =
    "UPDATE keys SET revision = :revision WHERE account = :account AND revoked_ms IS NULL";

/// The keys that a statement gives.
pub(super) fn list(
    connection: &Connection,
    statement: &str,
    asked: impl Params,
) -> Result<Vec<KeyRecord>, StoreError> {
    let mut statement = connection.prepare_cached(statement)?;
    let rows = statement.query_map(asked, |row| Ok(read(row)))?;
    rows.map(|row| row?).collect()
}

pub(super) fn next_revision(transaction: &Transaction<'_>) -> Result<i64, StoreError> {
    Ok(transaction.query_row(NEXT_REVISION, [], |row| row.get(0))?)
}

/// Gives the keys of an account a new revision, so that servers look at them again.
pub(super) fn touch_all_of(transaction: &Transaction<'_>, account: &AccountId) -> Result<(), StoreError> {
    let revision = next_revision(transaction)?;
    let given = named_params! {":account": account.as_str(), ":revision": revision};
    transaction.prepare_cached(TOUCH_KEYS_OF)?.execute(given)?;
    Ok(())
}

/// Writes into the audit log what was done to a key.
pub(super) fn record_event(
    transaction: &Transaction<'_>,
    by: &Actor,
    event: Event,
    key: &KeyRecord,
    now_ms: i64,
) -> Result<(), StoreError> {
    audit::done(transaction, now_ms, by, event, key.account.as_ref(), Some(key.prefix.as_str()))
}

fn read(row: &Row<'_>) -> Result<KeyRecord, StoreError> {
    let account = match row.get::<_, Option<String>>("account")? {
        Some(id) => Some(StoredOwner {
            id,
            is_operator: row.get::<_, Option<bool>>("is_operator")?.unwrap_or(false),
            access_ms: row.get("access_ms")?,
            locked_ms: row.get("locked_ms")?,
            spent_month: row.get("allowance_spent_month")?,
        }),
        None => None,
    };
    let stored = StoredKey {
        prefix: row.get("prefix")?,
        hash: SecretHash(row.get("hash")?),
        name: row.get("name")?,
        purpose: row.get("purpose")?,
        scopes: row.get("scopes")?,
        origins: row.get("origins")?,
        limits: KeyLimits { rate: row.get("rate")?, burst: row.get("burst")?, streams: row.get("streams")? },
        created_ms: row.get("created_ms")?,
        expires_ms: row.get("expires_ms")?,
        revoked_ms: row.get("revoked_ms")?,
        last_used_ms: row.get("last_used_ms")?,
        monthly_cap: row.get("monthly_cap")?,
        cap_spent_month: row.get("cap_spent_month")?,
        lexicon: row.get("lexicon")?,
        account,
    };
    stored.try_into()
}
