//! The rows of keys: found, made, marked as changed.

use rusqlite::{Transaction, named_params};

use crate::account::AccountId;
use crate::error::StoreError;

const NEXT_REVISION: &str = "UPDATE key_revision SET value = value + 1 RETURNING value";
const TOUCH_KEYS_OF: &str =
    "UPDATE keys SET revision = :revision WHERE account = :account AND revoked_ms IS NULL";

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
