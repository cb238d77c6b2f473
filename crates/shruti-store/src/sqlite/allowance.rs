//! Allowances and leases, in SQL.

use rusqlite::{Transaction, named_params};

use crate::calendar::Month;
use crate::error::StoreError;
use crate::key::KeyPrefix;

const COPY_CAP_DRAWN: &str = "INSERT INTO cap_drawn (prefix, month, drawn)
    SELECT :new, month, drawn FROM cap_drawn WHERE prefix = :old AND month = :month";
const DROP_OLD_ALLOWANCE: &str = "DELETE FROM allowance_drawn WHERE month < :month";
const DROP_OLD_CAPS: &str = "DELETE FROM cap_drawn WHERE month < :month";

/// Lets a key that takes the place of another begin where that one is.
pub(super) fn inherit_cap(
    transaction: &Transaction<'_>,
    old: &KeyPrefix,
    new: &KeyPrefix,
    now_ms: i64,
) -> Result<(), StoreError> {
    let month = Month::of(now_ms).0;
    transaction.execute(
        COPY_CAP_DRAWN,
        named_params! {":old": old.as_str(), ":new": new.as_str(), ":month": month},
    )?;
    Ok(())
}

/// Removes what was drawn in the months before a month.
pub(super) fn drop_before(transaction: &Transaction<'_>, month: i64) -> Result<(), StoreError> {
    for statement in [DROP_OLD_ALLOWANCE, DROP_OLD_CAPS] {
        transaction.execute(statement, named_params! {":month": month})?;
    }
    Ok(())
}
