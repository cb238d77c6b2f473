//! Allowances and leases, in SQL.

use super::client::Transaction;
use super::rows;
use crate::calendar::Month;
use crate::error::StoreError;
use crate::key::KeyPrefix;

const COPY_CAP_DRAWN: &str = "INSERT INTO cap_drawn (prefix, month, drawn)
    SELECT $2, month, drawn FROM cap_drawn WHERE prefix = $1 AND month = $3";
const DROP_OLD_ALLOWANCE: &str = "DELETE FROM allowance_drawn WHERE month < $1";
const DROP_OLD_CAPS: &str = "DELETE FROM cap_drawn WHERE month < $1";

/// Lets a key that takes the place of another begin where that one is.
pub(super) async fn inherit_cap(
    transaction: &Transaction<'_>,
    old: &KeyPrefix,
    new: &KeyPrefix,
    now_ms: i64,
) -> Result<(), StoreError> {
    let month = Month::of(now_ms).0;
    rows::execute(transaction, COPY_CAP_DRAWN, &[&old.as_str(), &new.as_str(), &month]).await?;
    Ok(())
}

/// Removes what was drawn in the months before a month.
pub(super) async fn drop_before(transaction: &Transaction<'_>, month: i64) -> Result<(), StoreError> {
    for statement in [DROP_OLD_ALLOWANCE, DROP_OLD_CAPS] {
        rows::execute(transaction, statement, &[&month]).await?;
    }
    Ok(())
}
