//! Deletion of expired rows.

use futures_util::FutureExt;

use crate::calendar::Month;
use crate::database::{Database, Tx, params};
use crate::error::StoreError;
use crate::flows::{
    allowance, audit, login_attempts, promo, quota_warnings, sessions, tokens, usage, verification,
};
use crate::sql::prune as sql;

/// Number of months for which the sums of drawn characters are kept.
const MONTHS: i64 = 13;

/// See [`MaintenanceStore::prune`](crate::MaintenanceStore::prune).
pub(crate) async fn run<D: Database>(database: &D, now_ms: i64) -> Result<(), StoreError> {
    if !D::Tx::IS_EXCLUSIVE {
        allowance::end_expired_singly(database, now_ms).await?;
    }
    database.write(move |tx| prune(tx, now_ms).boxed()).await
}

async fn prune<T: Tx>(tx: &mut T, now_ms: i64) -> Result<(), StoreError> {
    if !tx.one(&sql::TRY_LOCK, params![], |row| row.get("is_ours")).await? {
        return Ok(());
    }
    if T::IS_EXCLUSIVE {
        allowance::end_expired(tx, now_ms).await?;
    }
    allowance::delete_before(tx, Month(Month::of(now_ms).0 - MONTHS)).await?;
    quota_warnings::delete_before(tx, Month::of(now_ms)).await?;
    sessions::delete_old(tx, now_ms).await?;
    sessions::delete_expired_links(tx, now_ms).await?;
    verification::delete_expired(tx, now_ms).await?;
    tokens::delete_expired(tx, now_ms).await?;
    login_attempts::delete_old(tx, now_ms).await?;
    promo::delete_old_tries(tx, now_ms).await?;
    audit::delete_old(tx, now_ms).await?;
    usage::delete_old(tx, now_ms).await
}
