//! Promo codes, in SQL.

use super::client::Transaction;
use super::rows;
use crate::error::StoreError;
use crate::promo::PROMO_TRIES_WINDOW_MS;

const DROP_OLD_PROMO_TRIES: &str = "DELETE FROM promo_tries WHERE id IN (
        SELECT id FROM promo_tries WHERE at_ms <= $1 FOR UPDATE SKIP LOCKED
    )";

/// Removes wrong tries that no longer count.
pub(super) async fn drop_old_tries(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let since_ms = now_ms.saturating_sub(PROMO_TRIES_WINDOW_MS);
    rows::execute(transaction, DROP_OLD_PROMO_TRIES, &[&since_ms]).await?;
    Ok(())
}
