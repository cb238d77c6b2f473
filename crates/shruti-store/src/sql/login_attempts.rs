//! SQL statements for failed sign-in attempts.

use super::{Sql, delete_unlocked};

pub(crate) const FIND_PASSWORD: Sql = Sql::same("SELECT id, password FROM accounts WHERE email = $1");
/// Inserts a row without a failure for an address that has no row, so that there is a row to lock.
pub(crate) const ENSURE_FAILURES: Sql = Sql::same(
    "INSERT INTO sign_in_failures (email_hash, failures, last_ms, blocked_until_ms, has_account)
    VALUES ($1, 0, $2, $3, FALSE) ON CONFLICT DO NOTHING",
);
pub(crate) const HOLD_FAILURES: Sql = Sql::each(
    "SELECT failures, last_ms, blocked_until_ms FROM sign_in_failures WHERE email_hash = $1",
    "SELECT failures, last_ms, blocked_until_ms FROM sign_in_failures WHERE email_hash = $1 FOR UPDATE",
);
pub(crate) const RECORD_FAILURE: Sql = Sql::same(
    "UPDATE sign_in_failures SET failures = $2, last_ms = $3, blocked_until_ms = $4, has_account = $5
    WHERE email_hash = $1",
);
pub(crate) const FORGET_FAILURES: Sql = Sql::same("DELETE FROM sign_in_failures WHERE email_hash = $1");
pub(crate) const DELETE_OLD_FAILURES: Sql =
    delete_unlocked!("sign_in_failures", "email_hash", "last_ms <= $1");
pub(crate) const DELETE_SURPLUS_FAILURES: Sql = delete_unlocked!(
    "sign_in_failures",
    "email_hash",
    "has_account = FALSE AND last_ms <= (
        SELECT last_ms FROM sign_in_failures WHERE has_account = FALSE ORDER BY last_ms DESC LIMIT 1 OFFSET $1
    )"
);
