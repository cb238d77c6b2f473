//! SQL statements for the deletion of accounts.

use super::Sql;

/// Deletions of the rows that have to be locked before the keys.
pub(crate) const DELETE_DRAWN: [Sql; 3] = [
    Sql::same("DELETE FROM leases WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)"),
    Sql::same("DELETE FROM cap_drawn WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)"),
    Sql::same("DELETE FROM allowance_drawn WHERE account = $1"),
];
/// Locks the keys in the order in which usage reports lock them. A concurrent report waits for this lock, and then
/// finds no keys.
pub(crate) const LOCK_KEYS: Sql =
    Sql::postgres_only("SELECT 1 FROM keys WHERE account = $1 ORDER BY prefix FOR UPDATE");
/// Deletions, in this order, of the rows that refer to the keys, the keys, the rows that refer to the account, and the
/// account.
pub(crate) const DELETE_ROWS: [Sql; 13] = [
    Sql::same("DELETE FROM tokens WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)"),
    Sql::same("DELETE FROM key_origins WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)"),
    Sql::same("DELETE FROM usage WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)"),
    Sql::postgres_only("DELETE FROM key_uses WHERE prefix IN (SELECT prefix FROM keys WHERE account = $1)"),
    Sql::same("DELETE FROM keys WHERE account = $1"),
    Sql::same("DELETE FROM quota_warnings WHERE account = $1"),
    Sql::same("DELETE FROM promo_redemptions WHERE account = $1"),
    Sql::same("DELETE FROM promo_tries WHERE account = $1"),
    Sql::same("DELETE FROM lexicons WHERE account = $1"),
    Sql::same("DELETE FROM sign_in_links WHERE account = $1"),
    Sql::same("DELETE FROM verification_links WHERE account = $1"),
    Sql::same("DELETE FROM sessions WHERE account = $1"),
    Sql::same("DELETE FROM accounts WHERE id = $1"),
];
pub(crate) const NOTE_REMOVAL: Sql = Sql::same("UPDATE key_revision SET removed = $1");
pub(crate) const DELETE_AUDIT_OF: Sql = Sql::same("DELETE FROM audit WHERE account = $1");
pub(crate) const UNNAME_ACTOR: Sql = Sql::same("UPDATE audit SET actor = $2 WHERE actor = $1");
