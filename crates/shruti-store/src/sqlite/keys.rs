//! API keys, in SQL.

use rusqlite::{Transaction, named_params};

use super::key_rows::{self, record_event, select_keys};
use super::tokens;
use crate::account::AccountId;
use crate::audit::{Actor, Event};
use crate::error::StoreError;
use crate::key_record::KeyRecord;

const LIST_KEYS_OF: &str = select_keys!(
    "WHERE keys.account = :account AND keys.purpose = 'api' ORDER BY keys.created_ms, keys.prefix"
);
const REVOKE_KEY: &str = "UPDATE keys SET revoked_ms = :now_ms, revision = :revision
    WHERE prefix = :prefix AND revoked_ms IS NULL";

fn write_revocation(
    transaction: &Transaction<'_>,
    by: &Actor,
    key: &KeyRecord,
    now_ms: i64,
) -> Result<(), StoreError> {
    let (prefix, revision) = (key.prefix.as_str(), key_rows::next_revision(transaction)?);
    let given = named_params! {":now_ms": now_ms, ":revision": revision, ":prefix": prefix};
    transaction.execute(REVOKE_KEY, given)?;
    tokens::drop_all_of(transaction, &key.prefix)?;
    record_event(transaction, by, Event::KeyRevoked, key, now_ms)
}

/// Revokes the keys of an account, and ends the unused tokens of its playground.
pub(super) fn revoke_all_of(
    transaction: &Transaction<'_>,
    by: &Actor,
    account: &AccountId,
    now_ms: i64,
) -> Result<(), StoreError> {
    let keys = key_rows::list(transaction, LIST_KEYS_OF, named_params! {":account": account.as_str()})?;
    for key in keys.iter().filter(|key| key.revoked_ms.is_none()) {
        write_revocation(transaction, by, key, now_ms)?;
    }
    tokens::drop_all_of_account(transaction, account)
}
