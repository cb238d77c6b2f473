//! Addresses and the links that verify them, in SQL.

use rusqlite::{Transaction, named_params};

use crate::error::StoreError;

const DROP_OLD_LINKS: &str = "DELETE FROM verification_links WHERE expires_ms <= :now_ms";

/// Removes links whose time is over.
pub(super) fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    transaction.execute(DROP_OLD_LINKS, named_params! {":now_ms": now_ms})?;
    Ok(())
}
