//! Warnings about allowances that are nearly used up.

use crate::account::AccountId;
use crate::allowance::{Allowance, QuotaWarning};
use crate::calendar::Month;
use crate::database::{Row, Tx, params};
use crate::email::EmailAddress;
use crate::error::StoreError;
use crate::sql::quota_warnings as sql;

/// Account that has drawn at least 80 % of its allowance.
struct NearlySpent {
    id: AccountId,
    email: EmailAddress,
    chars: u64,
    drawn: u64,
    is_spent: bool,
}

impl NearlySpent {
    fn read(row: &dyn Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.get("id")?,
            email: row.get("email")?,
            chars: row.get("monthly_chars")?,
            drawn: row.get("drawn")?,
            is_spent: row.get("is_spent")?,
        })
    }
}

/// See [`AllowanceStore::take_quota_warnings`](crate::AllowanceStore::take_quota_warnings).
pub(crate) async fn take(tx: &mut impl Tx, limit: u32, now_ms: i64) -> Result<Vec<QuotaWarning>, StoreError> {
    let month = Month::of(now_ms);
    let mut warnings = Vec::new();
    let nearly_spent = tx.all(&sql::HOLD_NEARLY_SPENT, params![month], NearlySpent::read).await?;
    for NearlySpent { id, email, chars, drawn, is_spent } in nearly_spent {
        if warnings.len() >= limit as usize {
            break;
        }
        let lent = tx.one(&sql::SUM_LENT, params![&id, month], |row| row.get("lent")).await?;
        let used = drawn.saturating_sub(lent);
        let is_spent = is_spent || used >= chars;
        if !is_spent && used.saturating_mul(5) < chars.saturating_mul(4) {
            continue;
        }
        let percent = if is_spent { 100 } else { 80 };
        if tx.execute(&sql::NOTE, params![&id, month, percent]).await? == 0 {
            continue;
        }
        let renews_ms = month.next().start_ms();
        let allowance = Allowance { month, chars: Some(chars), used, lent, renews_ms };
        warnings.push(QuotaWarning { email, percent, allowance });
    }
    Ok(warnings)
}

/// Deletes the records of the warnings that were sent before `month`.
pub(crate) async fn delete_before(tx: &mut impl Tx, month: Month) -> Result<(), StoreError> {
    tx.execute(&sql::DELETE_BEFORE, params![month]).await?;
    Ok(())
}
