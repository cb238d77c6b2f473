//! Warnings of allowances that are nearly used, in SQL.

use rusqlite::{Connection, Transaction, named_params};

use crate::allowance::{Allowance, QuotaWarning};
use crate::calendar::Month;
use crate::count::unsigned;
use crate::error::StoreError;

const FIND_DUE: &str = "SELECT id, email, monthly_chars, drawn, lent, percent FROM (
        SELECT id, email, monthly_chars, drawn, lent,
            CASE WHEN drawn - lent >= monthly_chars OR spent_month = :month THEN 100 ELSE 80 END AS percent
        FROM (
            SELECT accounts.id, email, monthly_chars, spent_month, allowance_drawn.drawn,
                coalesce((
                    SELECT sum(chars - used) FROM leases WHERE account = accounts.id AND month = :month
                ), 0) AS lent
            FROM allowance_drawn JOIN accounts ON accounts.id = allowance_drawn.account
            WHERE month = :month AND is_operator = 0 AND locked_ms IS NULL AND verified_ms IS NOT NULL
                AND monthly_chars > 0
                AND drawn >= monthly_chars / 5 * 4
        )
        WHERE (drawn - lent) * 5 >= monthly_chars * 4 OR spent_month = :month
    ) AS due
    WHERE NOT EXISTS (
        SELECT 1 FROM quota_warnings
        WHERE quota_warnings.account = id AND month = :month AND quota_warnings.percent >= due.percent
    )
    ORDER BY id LIMIT :limit";
const NOTE: &str = "INSERT INTO quota_warnings (account, month, percent) VALUES (:account, :month, :percent)";
const DROP_OLD: &str = "DELETE FROM quota_warnings WHERE month < :month";

/// See [`AllowanceStore::take_quota_warnings`](crate::AllowanceStore::take_quota_warnings).
pub(super) fn take(
    connection: &mut Connection,
    limit: u32,
    now_ms: i64,
) -> Result<Vec<QuotaWarning>, StoreError> {
    let month = Month::of(now_ms);
    let transaction = connection.transaction()?;
    let mut statement = transaction.prepare_cached(FIND_DUE)?;
    let asked = named_params! {":month": month.0, ":limit": limit};
    let rows = statement.query_map(asked, |row| {
        let (drawn, lent) = (unsigned(row.get("drawn")?), unsigned(row.get("lent")?));
        let allowance = Allowance {
            month,
            chars: Some(unsigned(row.get("monthly_chars")?)),
            used: drawn.saturating_sub(lent),
            lent,
            renews_ms: month.next().start_ms(),
        };
        Ok((row.get::<_, String>("id")?, row.get::<_, String>("email")?, row.get("percent")?, allowance))
    })?;
    let due = rows.collect::<Result<Vec<_>, _>>()?;
    drop(statement);
    let mut warnings = Vec::new();
    for (id, email, percent, allowance) in due {
        let noted = named_params! {":account": id, ":month": month.0, ":percent": percent};
        transaction.execute(NOTE, noted)?;
        let email =
            email.parse().map_err(|error| StoreError::Unreadable(format!("an e-mail address {error}")))?;
        warnings.push(QuotaWarning { email, percent, allowance });
    }
    transaction.commit()?;
    Ok(warnings)
}

/// Removes those of the months before a month.
pub(super) fn drop_before(transaction: &Transaction<'_>, month: i64) -> Result<(), StoreError> {
    transaction.execute(DROP_OLD, named_params! {":month": month})?;
    Ok(())
}
