//! SQL statements for the warnings about allowances that are nearly used up.

use super::Sql;

/// Query for the accounts that have drawn at least 80 % of their allowance and have not been warned at 100 %. Locked
/// accounts and unverified addresses are skipped.
macro_rules! nearly_spent {
    () => {
        "SELECT accounts.id, email, monthly_chars, allowance_drawn.drawn,
            coalesce(spent_month = $1, FALSE) AS is_spent
        FROM allowance_drawn JOIN accounts ON accounts.id = allowance_drawn.account
        WHERE month = $1 AND NOT is_operator AND locked_ms IS NULL AND verified_ms IS NOT NULL
            AND monthly_chars > 0
            AND drawn >= monthly_chars / 5 * 4
            AND NOT EXISTS (
                SELECT 1 FROM quota_warnings
                WHERE quota_warnings.account = accounts.id AND month = $1 AND percent = 100
            )
        ORDER BY accounts.id"
    };
}

/// PostgreSQL locks the accounts, so that only one server takes each warning. An account that another transaction has
/// locked is skipped until the next call.
pub(crate) const HOLD_NEARLY_SPENT: Sql =
    Sql::each(nearly_spent!(), concat!(nearly_spent!(), " FOR NO KEY UPDATE OF accounts SKIP LOCKED"));
pub(crate) const SUM_LENT: Sql = Sql::same(
    "SELECT CAST (coalesce(sum(chars - used), 0) AS BIGINT) AS lent FROM leases WHERE account = $1 AND month = $2",
);
pub(crate) const NOTE: Sql = Sql::same(
    "INSERT INTO quota_warnings (account, month, percent) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
);
pub(crate) const DELETE_BEFORE: Sql = Sql::same("DELETE FROM quota_warnings WHERE month < $1");
