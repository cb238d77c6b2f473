//! Usage, in SQL.

use super::client::Transaction;
use super::rows;
use crate::calendar::Day;
use crate::error::StoreError;
use crate::usage::{REPORT_LIFE_MS, USAGE_DAYS};

const DROP_OLD_REPORTS: &str = "DELETE FROM usage_reports WHERE reported_ms < $1";
const DROP_OLD_USAGE: &str = "DELETE FROM usage WHERE day < $1";

/// Removes the usage of days that are no longer kept.
pub(super) async fn drop_old(transaction: &Transaction<'_>, now_ms: i64) -> Result<(), StoreError> {
    let first = Day::of(now_ms).plus(1 - USAGE_DAYS);
    rows::execute(transaction, DROP_OLD_USAGE, &[&first.0]).await?;
    rows::execute(transaction, DROP_OLD_REPORTS, &[&now_ms.saturating_sub(REPORT_LIFE_MS)]).await?;
    Ok(())
}
