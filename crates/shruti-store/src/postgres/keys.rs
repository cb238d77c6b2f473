//! API keys, in SQL.

use super::client::Transaction;
use super::key_rows::{self, record_event, select_keys};
use super::rows;
use super::tokens;
use crate::account::AccountId;
use crate::audit::{Actor, Event};
use crate::error::StoreError;
use crate::key_record::KeyRecord;

const LIST_KEYS_OF: &str =
    select_keys!("WHERE keys.account = $1 AND keys.purpose = 'api' ORDER BY keys.created_ms, keys.prefix");
const REVOKE_KEY: &str =
    "UPDATE keys SET revoked_ms = $2, revision = $3 WHERE prefix = $1 AND revoked_ms IS NULL";

async fn write_revocation(
    transaction: &Transaction<'_>,
    by: &Actor,
    key: &KeyRecord,
    now_ms: i64,
) -> Result<(), StoreError> {
    let revision = key_rows::next_revision(transaction).await?;
    rows::execute(transaction, REVOKE_KEY, &[&key.prefix.as_str(), &now_ms, &revision]).await?;
    tokens::drop_all_of(transaction, &key.prefix).await?;
    record_event(transaction, by, Event::KeyRevoked, key, now_ms).await
}

/// Revokes the keys of an account that is held, and ends the unused tokens of its playground.
pub(super) async fn revoke_all_of(
    transaction: &Transaction<'_>,
    by: &Actor,
    account: &AccountId,
    now_ms: i64,
) -> Result<(), StoreError> {
    let keys = key_rows::list(transaction, LIST_KEYS_OF, &[&account.as_str()]).await?;
    for key in keys.iter().filter(|key| key.revoked_ms.is_none()) {
        write_revocation(transaction, by, key, now_ms).await?;
    }
    tokens::drop_all_of_account(transaction, account).await
}
