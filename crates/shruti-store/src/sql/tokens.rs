//! SQL statements for single-use tokens.

use super::{Sql, delete_unlocked};

pub(crate) const INSERT: Sql = Sql::same("INSERT INTO tokens (hash, prefix, expires_ms) VALUES ($1, $2, $3)");
pub(crate) const DELETE_EXPIRED: Sql = delete_unlocked!("tokens", "hash", "expires_ms <= $1");
pub(crate) const DELETE_OF_KEY: Sql = Sql::same("DELETE FROM tokens WHERE prefix = $1");
pub(crate) const DELETE_OF_ACCOUNT: Sql =
    Sql::same("DELETE FROM tokens WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)");
pub(crate) const COUNT: Sql =
    Sql::same("SELECT count(*) AS count, min(expires_ms) AS first_expires_ms FROM tokens WHERE prefix = $1");
pub(crate) const FIND: Sql = Sql::same("SELECT prefix FROM tokens WHERE hash = $1 AND expires_ms > $2");
pub(crate) const CONSUME: Sql =
    Sql::same("DELETE FROM tokens WHERE hash = $1 AND expires_ms > $2 RETURNING prefix");
