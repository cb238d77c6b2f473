//! SQL statements for both databases.
//!
//! There is one file per subject, and one constant per statement. Parameters are `$1`, `$2` and so on in both dialects.
//! A statement that both databases understand is written once, with constructs that both support: `CAST (… AS BIGINT)`
//! instead of `::BIGINT`, `IS DISTINCT FROM`, `ON CONFLICT … DO UPDATE` with the table's name before its columns.

pub(crate) mod accounts;
pub(crate) mod allowance;
pub(crate) mod audit;
pub(crate) mod deletion;
pub(crate) mod keys;
pub(crate) mod lexicons;
pub(crate) mod login_attempts;
pub(crate) mod promo;
pub(crate) mod prune;
pub(crate) mod quota_warnings;
pub(crate) mod sessions;
pub(crate) mod tokens;
pub(crate) mod usage;
pub(crate) mod verification;

/// SQL statement in both dialects.
#[derive(Debug)]
pub(crate) struct Sql {
    sqlite: Option<&'static str>,
    postgres: &'static str,
}

impl Sql {
    /// Returns a statement that is the same in both dialects.
    pub(crate) const fn same(text: &'static str) -> Self {
        Self { sqlite: Some(text), postgres: text }
    }

    /// Returns a statement that differs between the dialects.
    pub(crate) const fn each(sqlite: &'static str, postgres: &'static str) -> Self {
        Self { sqlite: Some(sqlite), postgres }
    }

    /// Returns a statement that only PostgreSQL runs, for example a lock on rows. An SQLite transaction that writes
    /// excludes other writers.
    pub(crate) const fn postgres_only(postgres: &'static str) -> Self {
        Self { sqlite: None, postgres }
    }

    /// Returns the statement for SQLite, or `None` if SQLite does not run it.
    pub(crate) const fn sqlite(&self) -> Option<&'static str> {
        self.sqlite
    }

    /// Returns the statement for PostgreSQL.
    pub(crate) const fn postgres(&self) -> &'static str {
        self.postgres
    }
}

/// Builds a query whose rows PostgreSQL locks until the end of the transaction.
macro_rules! locking {
    ($($query:tt)+) => {
        $crate::sql::Sql::each($($query)+, concat!($($query)+, " FOR NO KEY UPDATE"))
    };
}

/// Builds a statement that deletes the rows of a table that meet a condition. PostgreSQL skips locked rows. The second
/// argument is the primary key of the table.
macro_rules! delete_unlocked {
    ($table:literal, $key:literal, $condition:literal) => {
        $crate::sql::Sql::each(
            concat!("DELETE FROM ", $table, " WHERE ", $condition),
            concat!(
                "DELETE FROM ",
                $table,
                " WHERE ",
                $key,
                " IN (SELECT ",
                $key,
                " FROM ",
                $table,
                " WHERE ",
                $condition,
                " FOR UPDATE SKIP LOCKED)"
            ),
        )
    };
}
use {delete_unlocked, locking};
