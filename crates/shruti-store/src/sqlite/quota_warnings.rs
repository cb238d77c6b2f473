//! Warnings of allowances that are nearly used, in SQL.

use rusqlite::{Transaction, named_params};

use crate::error::StoreError;

const DROP_OLD: &str = "DELETE FROM quota_warnings WHERE month < :month";

/// Removes those of the months before a month.
pub(super) fn drop_before(transaction: &Transaction<'_>, month: i64) -> Result<(), StoreError> {
    transaction.execute(DROP_OLD, named_params! {":month": month})?;
    Ok(())
}
