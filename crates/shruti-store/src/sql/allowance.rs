//! SQL statements for allowances and leases.

use super::Sql;

pub(crate) const FIND: Sql = Sql::same(
    "SELECT monthly_chars, is_operator,
        coalesce((SELECT drawn FROM allowance_drawn WHERE account = accounts.id AND month = $2), 0) AS drawn,
        CAST (coalesce(
            (SELECT sum(chars - used) FROM leases WHERE account = accounts.id AND month = $2), 0
        ) AS BIGINT) AS lent
    FROM accounts WHERE id = $1",
);
/// Serialises the draws on one allowance. An operator's account needs no allowance, and therefore no lock.
pub(crate) const LOCK_ACCOUNT_OF_KEY: Sql = Sql::postgres_only(
    "SELECT accounts.id FROM keys JOIN accounts ON accounts.id = keys.account
    WHERE keys.prefix = $1 AND NOT accounts.is_operator FOR NO KEY UPDATE OF accounts",
);
pub(crate) const ACCOUNT_OF_KEY: Sql = Sql::same(
    "SELECT accounts.id FROM keys JOIN accounts ON accounts.id = keys.account
    WHERE keys.prefix = $1 AND NOT accounts.is_operator",
);
pub(crate) const LOCK_ACCOUNT_OF_LEASE: Sql = Sql::postgres_only(
    "SELECT accounts.id FROM leases JOIN accounts ON accounts.id = leases.account
    WHERE leases.id = $1 FOR NO KEY UPDATE OF accounts",
);
/// Serialises the draws on one cap: PostgreSQL locks the row of the cap, which is inserted if it is missing.
pub(crate) const HOLD_CAP_DRAWN: Sql = Sql::each(
    "SELECT coalesce((SELECT drawn FROM cap_drawn WHERE prefix = $1 AND month = $2), 0) AS drawn",
    "INSERT INTO cap_drawn (prefix, month, drawn) VALUES ($1, $2, 0)
    ON CONFLICT (prefix, month) DO UPDATE SET drawn = cap_drawn.drawn RETURNING drawn",
);
pub(crate) const ADD_ALLOWANCE_DRAWN: Sql = Sql::same(
    "INSERT INTO allowance_drawn (account, month, drawn) VALUES ($1, $2, $3)
    ON CONFLICT (account, month) DO UPDATE SET drawn = allowance_drawn.drawn + $3",
);
pub(crate) const ADD_CAP_DRAWN: Sql = Sql::same(
    "INSERT INTO cap_drawn (prefix, month, drawn) VALUES ($1, $2, $3)
    ON CONFLICT (prefix, month) DO UPDATE SET drawn = cap_drawn.drawn + $3",
);
pub(crate) const COPY_CAP_DRAWN: Sql = Sql::same(
    "INSERT INTO cap_drawn (prefix, month, drawn)
    SELECT $2, month, drawn FROM cap_drawn WHERE prefix = $1 AND month = $3",
);
pub(crate) const INSERT_LEASE: Sql = Sql::same(
    "INSERT INTO leases (prefix, account, month, chars, expires_ms) VALUES ($1, $2, $3, $4, $5) RETURNING id",
);
pub(crate) const END_LEASE: Sql =
    Sql::same("DELETE FROM leases WHERE id = $1 RETURNING prefix, account, month, chars, used");
pub(crate) const END_LEASE_IF_EXPIRED: Sql = Sql::same(
    "DELETE FROM leases WHERE id = $1 AND expires_ms <= $2 RETURNING prefix, account, month, chars, used",
);
pub(crate) const FIND_EXPIRED_LEASES: Sql =
    Sql::same("SELECT id FROM leases WHERE expires_ms <= $1 ORDER BY expires_ms LIMIT $2");
pub(crate) const REPORT_LEASE: Sql = Sql::each(
    "UPDATE leases SET used = max(used, $2), expires_ms = $3 WHERE id = $1",
    "UPDATE leases SET used = greatest(used, $2), expires_ms = $3 WHERE id = $1",
);
pub(crate) const MARK_ACCOUNT_SPENT: Sql =
    Sql::same("UPDATE accounts SET spent_month = $2 WHERE id = $1 AND spent_month IS DISTINCT FROM $2");
pub(crate) const UNMARK_ACCOUNT_SPENT: Sql =
    Sql::same("UPDATE accounts SET spent_month = NULL WHERE id = $1 AND spent_month = $2");
pub(crate) const IS_KEY_UNMARKED: Sql =
    Sql::same("SELECT 1 FROM keys WHERE prefix = $1 AND spent_month IS DISTINCT FROM $2");
pub(crate) const MARK_KEY_SPENT: Sql = Sql::same("UPDATE keys SET spent_month = $2 WHERE prefix = $1");
pub(crate) const IS_KEY_MARKED: Sql = Sql::same("SELECT 1 FROM keys WHERE prefix = $1 AND spent_month = $2");
pub(crate) const UNMARK_KEY_SPENT: Sql =
    Sql::same("UPDATE keys SET spent_month = NULL WHERE prefix = $1 AND spent_month = $2");
pub(crate) const DELETE_BEFORE: [Sql; 2] = [
    Sql::same("DELETE FROM allowance_drawn WHERE month < $1"),
    Sql::same("DELETE FROM cap_drawn WHERE month < $1"),
];
