//! SQL statements for API keys.

use super::Sql;

/// Builds a query of keys in both dialects from the clauses that follow `FROM`. In PostgreSQL, the last use of a key is
/// in a separate table.
macro_rules! select_keys {
    ($clauses:literal) => {
        $crate::sql::Sql::each(
            select_keys!("keys.last_used_ms", $clauses),
            select_keys!("(SELECT last_used_ms FROM key_uses WHERE key_uses.prefix = keys.prefix)", $clauses),
        )
    };
    ($last_used:literal, $clauses:literal) => {
        concat!(
            "SELECT keys.prefix, keys.hash, keys.name, keys.purpose, keys.scopes, keys.created_ms, keys.expires_ms,
                keys.revoked_ms, keys.rate, keys.burst, keys.streams, keys.account, keys.monthly_cap,
                keys.spent_month AS cap_spent_month, accounts.spent_month AS allowance_spent_month,
                accounts.is_operator, accounts.access_ms, accounts.locked_ms,
                (SELECT version FROM lexicons WHERE lexicons.account = keys.account AND NOT is_empty) AS lexicon,
                (SELECT string_agg(origin, ' ') FROM key_origins WHERE key_origins.prefix = keys.prefix) AS origins, ",
            $last_used,
            " AS last_used_ms FROM keys LEFT JOIN accounts ON accounts.id = keys.account ",
            $clauses
        )
    };
}

pub(crate) const FIND: Sql = select_keys!("WHERE keys.prefix = $1");
pub(crate) const LIST: Sql = select_keys!("ORDER BY keys.created_ms, keys.prefix");
pub(crate) const LIST_OF: Sql =
    select_keys!("WHERE keys.account = $1 AND keys.purpose = 'api' ORDER BY keys.created_ms, keys.prefix");
pub(crate) const LIST_SINCE: Sql = select_keys!("WHERE keys.revision > $1 ORDER BY keys.revision");
pub(crate) const FIND_PLAYGROUND: Sql =
    select_keys!("WHERE keys.purpose = 'playground' AND coalesce(keys.account, '') = $1");
/// Locks the account of a key. The account of a key never changes.
pub(crate) const LOCK_OWNER: Sql = Sql::postgres_only(
    "SELECT 1 FROM accounts WHERE id = (SELECT account FROM keys WHERE prefix = $1) FOR NO KEY UPDATE",
);
pub(crate) const LOCK_REVISION: Sql = Sql::postgres_only("SELECT value FROM key_revision FOR NO KEY UPDATE");
pub(crate) const LOCK: Sql = Sql::postgres_only("SELECT 1 FROM keys WHERE prefix = $1 FOR NO KEY UPDATE");
pub(crate) const INSERT: Sql = Sql::same(
    "INSERT INTO keys (prefix, hash, name, scopes, created_ms, expires_ms, revoked_ms, rate, burst, streams,
        revision, account, monthly_cap, purpose)
    VALUES ($1, $2, $3, $4, $5, $6, NULL, $7, $8, $9, $10, $11, $12, $13)",
);
pub(crate) const INSERT_ORIGIN: Sql = Sql::same("INSERT INTO key_origins (prefix, origin) VALUES ($1, $2)");
/// Assigns the next revision. PostgreSQL notifies the servers of the change when the transaction is committed.
pub(crate) const NEXT_REVISION: Sql = Sql::each(
    "UPDATE key_revision SET value = value + 1 RETURNING value",
    "WITH changed AS (UPDATE key_revision SET value = value + 1 RETURNING value)
    SELECT value, pg_notify('shruti_keys', '')::TEXT FROM changed",
);
pub(crate) const TOUCH: Sql = Sql::same("UPDATE keys SET revision = $2 WHERE prefix = $1");
pub(crate) const TOUCH_ALL_OF: Sql =
    Sql::same("UPDATE keys SET revision = $2 WHERE account = $1 AND revoked_ms IS NULL");
pub(crate) const IS_ANY: Sql = Sql::same("SELECT EXISTS (SELECT 1 FROM keys WHERE purpose = 'api') AS found");
pub(crate) const FIND_REVISION: Sql = Sql::same("SELECT value, removed FROM key_revision");
pub(crate) const COUNT_OF: Sql = Sql::same(
    "SELECT count(*) AS ever,
        count(*) FILTER (WHERE revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > $2)) AS usable
    FROM keys WHERE account = $1 AND purpose = 'api'",
);
pub(crate) const RENAME: Sql = Sql::same("UPDATE keys SET name = $2, revision = $3 WHERE prefix = $1");
pub(crate) const EXPIRE: Sql = Sql::same("UPDATE keys SET expires_ms = $2, revision = $3 WHERE prefix = $1");
pub(crate) const REVOKE: Sql =
    Sql::same("UPDATE keys SET revoked_ms = $2, revision = $3 WHERE prefix = $1 AND revoked_ms IS NULL");
pub(crate) const IS_ORIGIN_ALLOWED: Sql = Sql::same(
    "SELECT EXISTS (
        SELECT 1 FROM key_origins JOIN keys ON keys.prefix = key_origins.prefix
        WHERE origin = $1 AND revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > $2)
    ) AS found",
);
pub(crate) const SET_PLAYGROUND_LIMITS: Sql = Sql::same(
    "UPDATE keys
    SET rate = $2, burst = $3, streams = $4, monthly_cap = $5, spent_month = NULL, revision = $6
    WHERE prefix = $1",
);
pub(crate) const REOPEN_PLAYGROUND: Sql = Sql::same(
    "UPDATE keys SET revoked_ms = NULL, revision = $2 WHERE prefix = $1 AND purpose = 'playground'",
);
