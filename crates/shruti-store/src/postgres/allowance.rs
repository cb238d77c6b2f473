//! Allowances and leases, in SQL.

use super::client::Transaction;
use super::rows;
use crate::error::StoreError;

const DROP_OLD_ALLOWANCE: &str = "DELETE FROM allowance_drawn WHERE month < $1";
const DROP_OLD_CAPS: &str = "DELETE FROM cap_drawn WHERE month < $1";

/// Removes what was drawn in the months before a month.
pub(super) async fn drop_before(transaction: &Transaction<'_>, month: i64) -> Result<(), StoreError> {
    for statement in [DROP_OLD_ALLOWANCE, DROP_OLD_CAPS] {
        rows::execute(transaction, statement, &[&month]).await?;
    }
    Ok(())
}
