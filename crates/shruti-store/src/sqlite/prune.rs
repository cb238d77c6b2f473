//! Removes what is over.

use rusqlite::Connection;

use super::{allowance, audit, login_attempts, promo, quota_warnings, sessions, tokens, usage, verification};
use crate::calendar::Month;
use crate::error::StoreError;

/// Months for which it is kept what was drawn.
const MONTHS: i64 = 13;

pub(super) fn prune(connection: &mut Connection, now_ms: i64) -> Result<(), StoreError> {
    let transaction = connection.transaction()?;
    sessions::drop_old(&transaction, now_ms)?;
    sessions::drop_old_links(&transaction, now_ms)?;
    verification::drop_old(&transaction, now_ms)?;
    tokens::drop_expired(&transaction, now_ms)?;
    login_attempts::drop_old(&transaction, now_ms)?;
    promo::drop_old_tries(&transaction, now_ms)?;
    audit::drop_old(&transaction, now_ms)?;
    usage::drop_old(&transaction, now_ms)?;
    allowance::drop_before(&transaction, Month::of(now_ms).0 - MONTHS)?;
    quota_warnings::drop_before(&transaction, Month::of(now_ms).0)?;
    transaction.commit()?;
    Ok(())
}
