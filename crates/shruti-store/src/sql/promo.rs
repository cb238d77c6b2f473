//! SQL statements for promo codes.

use super::{Sql, delete_unlocked, locking};

/// Builds a query of codes from the clauses that follow `FROM`.
macro_rules! select_promos {
    ($clauses:literal) => {
        concat!(
            "SELECT hash, beginning, chars, uses, used, created_ms, expires_ms, disabled_ms FROM promo_codes ",
            $clauses
        )
    };
}

pub(crate) const HOLD: Sql = locking!(select_promos!("WHERE hash = $1"));
pub(crate) const HOLD_BY_BEGINNING: Sql =
    locking!(select_promos!("WHERE beginning = $1 ORDER BY hash LIMIT 2"));
pub(crate) const LIST: Sql = Sql::same(select_promos!("ORDER BY created_ms, beginning"));
pub(crate) const INSERT: Sql = Sql::same(
    "INSERT INTO promo_codes (hash, beginning, chars, uses, created_ms, expires_ms)
    VALUES ($1, $2, $3, $4, $5, $6)",
);
pub(crate) const DISABLE: Sql = Sql::same("UPDATE promo_codes SET disabled_ms = $2 WHERE hash = $1");
pub(crate) const USE: Sql = Sql::same("UPDATE promo_codes SET used = used + 1 WHERE hash = $1");
pub(crate) const INSERT_REDEMPTION: Sql =
    Sql::same("INSERT INTO promo_redemptions (account, hash, redeemed_ms) VALUES ($1, $2, $3)");
pub(crate) const IS_REDEEMED: Sql =
    Sql::same("SELECT EXISTS (SELECT 1 FROM promo_redemptions WHERE account = $1 AND hash = $2) AS found");
pub(crate) const COUNT_TRIES: Sql = Sql::same(
    "SELECT count(*) AS count, min(at_ms) AS first_ms FROM promo_tries WHERE account = $1 AND at_ms > $2",
);
pub(crate) const INSERT_TRY: Sql = Sql::same("INSERT INTO promo_tries (account, at_ms) VALUES ($1, $2)");
pub(crate) const DELETE_OLD_TRIES: Sql = delete_unlocked!("promo_tries", "id", "at_ms <= $1");
