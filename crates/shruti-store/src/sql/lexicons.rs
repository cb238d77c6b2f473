//! SQL statements for the lexicons of accounts.

use super::Sql;

pub(crate) const FIND: Sql = Sql::same(
    "SELECT coalesce(version, 0) AS version, coalesce(changed_ms, 0) AS changed_ms, coalesce(toml, '') AS toml
    FROM accounts LEFT JOIN lexicons ON lexicons.account = accounts.id WHERE accounts.id = $1",
);
pub(crate) const REPLACE: Sql = Sql::same(
    "INSERT INTO lexicons (account, version, changed_ms, is_empty, toml) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (account) DO UPDATE SET version = excluded.version, changed_ms = excluded.changed_ms,
        is_empty = excluded.is_empty, toml = excluded.toml",
);
