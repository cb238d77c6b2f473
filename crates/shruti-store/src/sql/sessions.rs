//! SQL statements for sessions and sign-in links.

use super::{Sql, delete_unlocked};

pub(crate) const INSERT: Sql = Sql::same(
    "INSERT INTO sessions (hash, account, created_ms, used_ms, ends_ms, may_set_password)
    VALUES ($1, $2, $3, $3, $4, $5)",
);
pub(crate) const FIND: Sql = Sql::same(
    "SELECT account, created_ms, used_ms, ends_ms, may_set_password FROM sessions
    WHERE hash = $1 AND ends_ms > $2 AND used_ms > $3",
);
pub(crate) const NOTE_USE: Sql = Sql::same("UPDATE sessions SET used_ms = $2 WHERE hash = $1");
pub(crate) const NOTE_BROWSER: Sql = Sql::same("UPDATE sessions SET browser = $2 WHERE hash = $1");
pub(crate) const LIST: Sql = Sql::same(
    "SELECT hash, created_ms, used_ms, may_set_password, browser FROM sessions
    WHERE account = $1 AND ends_ms > $2 AND used_ms > $3
    ORDER BY used_ms DESC, created_ms DESC",
);
pub(crate) const END_OF_ACCOUNT: Sql = Sql::same("DELETE FROM sessions WHERE hash = $1 AND account = $2");
pub(crate) const END: Sql = Sql::same("DELETE FROM sessions WHERE hash = $1 RETURNING account");
pub(crate) const END_ALL_OF: Sql = Sql::same("DELETE FROM sessions WHERE account = $1");
pub(crate) const DELETE_OLD: Sql = delete_unlocked!("sessions", "hash", "ends_ms <= $1 OR used_ms <= $2");
pub(crate) const DELETE_SURPLUS: Sql = Sql::same(
    "DELETE FROM sessions WHERE account = $1 AND hash NOT IN (
        SELECT hash FROM sessions WHERE account = $1 ORDER BY created_ms DESC, used_ms DESC LIMIT $2
    )",
);
pub(crate) const REPLACE_LINK: Sql = Sql::same(
    "INSERT INTO sign_in_links (account, hash, expires_ms, by_mail) VALUES ($1, $2, $3, $4)
    ON CONFLICT (account, by_mail) DO UPDATE SET hash = excluded.hash, expires_ms = excluded.expires_ms",
);
pub(crate) const FIND_LINK: Sql =
    Sql::same("SELECT account FROM sign_in_links WHERE hash = $1 AND expires_ms > $2");
pub(crate) const USE_LINK: Sql =
    Sql::same("DELETE FROM sign_in_links WHERE hash = $1 AND expires_ms > $2 RETURNING by_mail");
pub(crate) const FIND_LINK_END: Sql =
    Sql::same("SELECT expires_ms FROM sign_in_links WHERE account = $1 AND by_mail");
pub(crate) const DELETE_LINKS_OF: Sql = Sql::same("DELETE FROM sign_in_links WHERE account = $1");
pub(crate) const DELETE_EXPIRED_LINKS: Sql = delete_unlocked!("sign_in_links", "hash", "expires_ms <= $1");
