//! Usage, in SQL.

use rusqlite::{Transaction, named_params};

use crate::calendar::Day;
use crate::error::StoreError;
use crate::usage::{REPORT_LIFE_MS, USAGE_DAYS};

const DROP_OLD_REPORTS: &str = "DELETE FROM usage_reports WHERE reported_ms < :before_ms";
const DROP_OLD_USAGE: &str = "DELETE FROM usage WHERE day < :first";

/// Removes the usage of days that are no longer kept.
pub(super) fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let first = Day::of(now_ms).plus(1 - USAGE_DAYS);
    transaction.execute(DROP_OLD_USAGE, named_params! {":first": first.0})?;
    let before_ms = now_ms.saturating_sub(REPORT_LIFE_MS);
    transaction.execute(DROP_OLD_REPORTS, named_params! {":before_ms": before_ms})?;
    Ok(())
}
