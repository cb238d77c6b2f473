//! SQL statements for accounts.

use super::{Sql, locking};

/// Builds a query of accounts from the clauses that follow `FROM`.
macro_rules! select_accounts {
    ($clauses:literal) => {
        concat!(
            "SELECT id, email, password IS NOT NULL AS has_password, created_ms, is_operator, access_ms, locked_ms,
                monthly_chars, verified_ms
            FROM accounts ",
            $clauses
        )
    };
}

/// Builds the search for accounts from an expression that returns the position of `$1` in the address.
macro_rules! search_accounts {
    ($position:literal) => {
        concat!(
            "SELECT id, email, password IS NOT NULL AS has_password, created_ms, is_operator, access_ms, locked_ms,
                monthly_chars, verified_ms,
                CAST (coalesce((
                    SELECT sum(chars) FROM usage WHERE day BETWEEN $4 AND $5
                        AND prefix IN (SELECT prefix FROM keys WHERE account = accounts.id)
                ), 0) AS BIGINT) AS chars_this_month,
                (
                    SELECT count(*) FROM keys WHERE account = accounts.id AND purpose = 'api'
                        AND revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > $6)
                ) AS usable_keys
            FROM accounts WHERE email > $2 AND ",
            $position,
            " > 0 ORDER BY email LIMIT $3"
        )
    };
}

pub(crate) const FIND: Sql = Sql::same(select_accounts!("WHERE id = $1"));
pub(crate) const HOLD: Sql = locking!(select_accounts!("WHERE id = $1"));
pub(crate) const LOCK: Sql = Sql::postgres_only("SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE");
pub(crate) const FIND_BY_EMAIL: Sql = Sql::same(select_accounts!("WHERE email = $1"));
pub(crate) const HOLD_BY_EMAIL: Sql = locking!(select_accounts!("WHERE email = $1"));
pub(crate) const LOCK_BY_EMAIL: Sql =
    Sql::postgres_only("SELECT 1 FROM accounts WHERE email = $1 FOR NO KEY UPDATE");
pub(crate) const LIST: Sql = Sql::same(select_accounts!("WHERE email > $1 ORDER BY email LIMIT $2"));
pub(crate) const SEARCH: Sql =
    Sql::each(search_accounts!("instr(email, $1)"), search_accounts!("strpos(email, $1)"));
pub(crate) const INSERT: Sql = Sql::same(
    "INSERT INTO accounts (id, email, password, created_ms, is_operator, monthly_chars)
    VALUES ($1, $2, $3, $4, $5, 0)
    ON CONFLICT (email) DO NOTHING",
);
pub(crate) const SET_PASSWORD: Sql = Sql::same("UPDATE accounts SET password = $2 WHERE id = $1");
pub(crate) const GIVE_ACCESS: Sql = Sql::same(
    "UPDATE accounts
    SET access_ms = coalesce(access_ms, $3), monthly_chars = monthly_chars + $2, spent_month = NULL
    WHERE id = $1",
);
pub(crate) const NOTE_VERIFIED: Sql =
    Sql::same("UPDATE accounts SET verified_ms = $2 WHERE id = $1 AND verified_ms IS NULL");
pub(crate) const CAN_OPERATOR_SIGN_IN: Sql = Sql::same(
    "SELECT EXISTS (
        SELECT 1 FROM accounts WHERE is_operator AND locked_ms IS NULL AND (password IS NOT NULL OR EXISTS (
            SELECT 1 FROM sessions WHERE account = accounts.id AND ends_ms > $1 AND used_ms > $2
        ))
    ) AS found",
);
pub(crate) const BLOCK: Sql =
    Sql::same("UPDATE accounts SET locked_ms = $2 WHERE id = $1 AND locked_ms IS NULL");
pub(crate) const UNBLOCK: Sql = Sql::same("UPDATE accounts SET locked_ms = NULL WHERE id = $1");
pub(crate) const SET_OPERATOR: Sql = Sql::same("UPDATE accounts SET is_operator = $2 WHERE id = $1");
