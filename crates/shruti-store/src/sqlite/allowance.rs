//! Allowances and leases, in SQL.

use rusqlite::{Transaction, named_params};

use crate::error::StoreError;

const DROP_OLD_ALLOWANCE: &str = "DELETE FROM allowance_drawn WHERE month < :month";
const DROP_OLD_CAPS: &str = "DELETE FROM cap_drawn WHERE month < :month";

/// Removes what was drawn in the months before a month.
pub(super) fn drop_before(transaction: &Transaction<'_>, month: i64) -> Result<(), StoreError> {
    for statement in [DROP_OLD_ALLOWANCE, DROP_OLD_CAPS] {
        transaction.execute(statement, named_params! {":month": month})?;
    }
    Ok(())
}
