//! Addresses and the links that verify them, in SQL.

use super::client::Transaction;
use super::rows;
use crate::error::StoreError;

const DROP_OLD_LINKS: &str = "DELETE FROM verification_links WHERE account IN (
        SELECT account FROM verification_links WHERE expires_ms <= $1 FOR UPDATE SKIP LOCKED
    )";

/// Removes links whose time is over.
pub(super) async fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    rows::execute(transaction, DROP_OLD_LINKS, &[&now_ms]).await?;
    Ok(())
}
