//! SQL statements for the links that verify addresses.

use super::{Sql, delete_unlocked};

pub(crate) const FIND_LINK_END: Sql =
    Sql::same("SELECT expires_ms FROM verification_links WHERE account = $1");
pub(crate) const REPLACE_LINK: Sql = Sql::same(
    "INSERT INTO verification_links (account, hash, expires_ms) VALUES ($1, $2, $3)
    ON CONFLICT (account) DO UPDATE SET hash = excluded.hash, expires_ms = excluded.expires_ms",
);
pub(crate) const FIND_LINK: Sql =
    Sql::same("SELECT account FROM verification_links WHERE hash = $1 AND expires_ms > $2");
pub(crate) const USE_LINK: Sql =
    Sql::same("DELETE FROM verification_links WHERE hash = $1 AND expires_ms > $2");
pub(crate) const DELETE_EXPIRED: Sql = delete_unlocked!("verification_links", "account", "expires_ms <= $1");
