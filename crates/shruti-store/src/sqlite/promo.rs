//! Promo codes, in SQL.

use rusqlite::{Transaction, named_params};

use crate::error::StoreError;
use crate::promo::PROMO_TRIES_WINDOW_MS;

const DROP_OLD_PROMO_TRIES: &str = "DELETE FROM promo_tries WHERE at_ms <= :since_ms";

/// Removes wrong tries that no longer count.
pub(super) fn drop_old_tries(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let since_ms = now_ms.saturating_sub(PROMO_TRIES_WINDOW_MS);
    transaction.execute(DROP_OLD_PROMO_TRIES, named_params! {":since_ms": since_ms})?;
    Ok(())
}
