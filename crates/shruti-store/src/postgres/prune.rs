//! Removes what is over.

use super::client::Transaction;
use super::rows;
use super::{allowance, audit, login_attempts, promo, quota_warnings, sessions, tokens, usage, verification};
use crate::calendar::Month;
use crate::error::StoreError;

/// Months for which it is kept what was drawn.
const MONTHS: i64 = 13;
/// Of several servers one removes. The number is `prune` in ASCII.
const TRY_LOCK: &str = "SELECT pg_try_advisory_xact_lock(482956635749) AS is_ours";

pub(super) async fn prune(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    if !rows::one(transaction, TRY_LOCK, &[]).await?.try_get::<_, bool>("is_ours")? {
        return Ok(());
    }
    allowance::drop_before(transaction, Month::of(now_ms).0 - MONTHS).await?;
    quota_warnings::drop_before(transaction, Month::of(now_ms).0).await?;
    sessions::drop_old(transaction, now_ms).await?;
    sessions::drop_old_links(transaction, now_ms).await?;
    verification::drop_old(transaction, now_ms).await?;
    tokens::drop_expired(transaction, now_ms).await?;
    login_attempts::drop_old(transaction, now_ms).await?;
    promo::drop_old_tries(transaction, now_ms).await?;
    audit::drop_old(transaction, now_ms).await?;
    usage::drop_old(transaction, now_ms).await
}
