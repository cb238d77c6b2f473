//! The rows of keys: found, held, made, marked as changed.

use super::client::Transaction;
use super::rows;
use crate::account::AccountId;
use crate::error::StoreError;

/// Servers hear of the change when the transaction ends well.
const NEXT_REVISION: &str = "WITH changed AS (UPDATE key_revision SET value = value + 1 RETURNING value)
    SELECT value, pg_notify('shruti_keys', '')::TEXT FROM changed";
const TOUCH_KEYS_OF: &str = "UPDATE keys SET revision = $2 WHERE account = $1 AND revoked_ms IS NULL";

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
