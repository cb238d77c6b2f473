//! Warnings of allowances that are nearly used, in SQL.

use super::client::Transaction;
use super::rows;
use crate::allowance::{Allowance, QuotaWarning};
use crate::calendar::Month;
use crate::count::unsigned;
use crate::error::StoreError;

/// The accounts are held, so that each warning is one server's. Who is being changed is warned the next time.
const HOLD_NEARLY_SPENT: &str =
    "SELECT accounts.id, email, monthly_chars, allowance_drawn.drawn, spent_month = $1 AS is_spent
    FROM allowance_drawn JOIN accounts ON accounts.id = allowance_drawn.account
    WHERE month = $1 AND NOT is_operator AND locked_ms IS NULL AND verified_ms IS NOT NULL
        AND monthly_chars > 0
        AND drawn >= monthly_chars / 5 * 4
        AND NOT EXISTS (
            SELECT 1 FROM quota_warnings WHERE quota_warnings.account = accounts.id AND month = $1 AND percent = 100
        )
    ORDER BY accounts.id FOR NO KEY UPDATE OF accounts SKIP LOCKED";
const SUM_LENT: &str =
    "SELECT coalesce(sum(chars - used), 0)::BIGINT AS lent FROM leases WHERE account = $1 AND month = $2";
const NOTE: &str =
    "INSERT INTO quota_warnings (account, month, percent) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
const DROP_OLD: &str = "DELETE FROM quota_warnings WHERE month < $1";

/// See [`AllowanceStore::take_quota_warnings`](crate::AllowanceStore::take_quota_warnings).
pub(super) async fn take(
    transaction: &Transaction<'_>,
    limit: u32,
    now_ms: i64,
) -> Result<Vec<QuotaWarning>, StoreError> {
    let month = Month::of(now_ms);
    let mut warnings = Vec::new();
    for row in rows::all(transaction, HOLD_NEARLY_SPENT, &[&month.0]).await? {
        if warnings.len() >= limit as usize {
            break;
        }
        let id: &str = row.try_get("id")?;
        let lent = rows::one(transaction, SUM_LENT, &[&id, &month.0]).await?.try_get("lent")?;
        let (drawn, lent) = (unsigned(row.try_get("drawn")?), unsigned(lent));
        let (chars, used) = (unsigned(row.try_get("monthly_chars")?), drawn.saturating_sub(lent));
        let is_spent = row.try_get::<_, Option<bool>>("is_spent")?.unwrap_or(false) || used >= chars;
        if !is_spent && used.saturating_mul(5) < chars.saturating_mul(4) {
            continue;
        }
        let percent = if is_spent { 100 } else { 80 };
        if rows::execute(transaction, NOTE, &[&id, &month.0, &i64::from(percent)]).await? == 0 {
            continue;
        }
        let email: &str = row.try_get("email")?;
        let email =
            email.parse().map_err(|error| StoreError::Unreadable(format!("an e-mail address {error}")))?;
        let renews_ms = month.next().start_ms();
        let allowance = Allowance { month, chars: Some(chars), used, lent, renews_ms };
        warnings.push(QuotaWarning { email, percent, allowance });
    }
    Ok(warnings)
}

/// Removes those of the months before a month.
pub(super) async fn drop_before(transaction: &Transaction<'_>, month: i64) -> Result<(), StoreError> {
    rows::execute(transaction, DROP_OLD, &[&month]).await?;
    Ok(())
}
