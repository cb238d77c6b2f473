//! Warnings of allowances that are nearly used, in SQL.

use super::client::Transaction;
use super::rows;
use crate::error::StoreError;

const DROP_OLD: &str = "DELETE FROM quota_warnings WHERE month < $1";

/// Removes those of the months before a month.
pub(super) async fn drop_before(transaction: &Transaction<'_>, month: i64) -> Result<(), StoreError> {
    rows::execute(transaction, DROP_OLD, &[&month]).await?;
    Ok(())
}
