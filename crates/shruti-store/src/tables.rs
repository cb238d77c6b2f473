//! Tables and columns that are copied, in the form that both databases share.

/// Table of PostgreSQL. In SQLite, its data may be in another table.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [&'static str],
    /// Number of leading columns that sort the rows: the primary key, or all columns of a table without one. Both
    /// databases compare texts and blobs by their bytes.
    pub(crate) key: usize,
    /// `true` if the table numbers its rows (`id`) and the copy has to continue the numbering.
    pub(crate) is_numbered: bool,
}

impl Table {
    /// Returns all columns as a list for a statement.
    pub(crate) fn column_list(&self) -> String {
        self.columns.join(", ")
    }

    /// Returns the columns that sort the rows.
    pub(crate) fn order(&self) -> String {
        self.columns[..self.key].join(", ")
    }
}

const fn table(name: &'static str, key: usize, columns: &'static [&'static str]) -> Table {
    Table { name, columns, key, is_numbered: false }
}

const fn numbered(name: &'static str, columns: &'static [&'static str]) -> Table {
    Table { name, columns, key: 1, is_numbered: true }
}

/// Last use of each key: a separate table in PostgreSQL, a column of `keys` in SQLite.
pub(crate) const KEY_USES: &str = "key_uses";
/// Table with a single row of counters. A new store also has this row.
pub(crate) const KEY_REVISION: &str = "key_revision";

/// All tables. A table follows the tables that it refers to.
pub(crate) const TABLES: &[Table] = &[
    table(
        "accounts",
        1,
        &[
            "id",
            "email",
            "password",
            "created_ms",
            "is_operator",
            "access_ms",
            "locked_ms",
            "monthly_chars",
            "spent_month",
            "verified_ms",
        ],
    ),
    table(
        "keys",
        1,
        &[
            "prefix",
            "hash",
            "name",
            "scopes",
            "created_ms",
            "expires_ms",
            "revoked_ms",
            "rate",
            "burst",
            "streams",
            "revision",
            "account",
            "monthly_cap",
            "spent_month",
            "purpose",
        ],
    ),
    table(KEY_USES, 1, &["prefix", "last_used_ms"]),
    table(KEY_REVISION, 1, &["only_row", "value", "removed"]),
    table("key_origins", 2, &["prefix", "origin"]),
    table("tokens", 1, &["hash", "prefix", "expires_ms"]),
    table(
        "sessions",
        1,
        &["hash", "account", "created_ms", "used_ms", "ends_ms", "may_set_password", "browser"],
    ),
    table("sign_in_links", 2, &["account", "by_mail", "hash", "expires_ms"]),
    table("verification_links", 1, &["account", "hash", "expires_ms"]),
    table("sign_in_failures", 1, &["email_hash", "failures", "last_ms", "blocked_until_ms", "has_account"]),
    numbered("audit", &["id", "at_ms", "actor", "event", "account", "subject", "outcome", "times"]),
    table(
        "promo_codes",
        1,
        &["hash", "beginning", "chars", "uses", "used", "created_ms", "expires_ms", "disabled_ms"],
    ),
    table("promo_redemptions", 2, &["account", "hash", "redeemed_ms"]),
    table("promo_tries", 2, &["account", "at_ms"]),
    table("allowance_drawn", 2, &["account", "month", "drawn"]),
    table("cap_drawn", 2, &["prefix", "month", "drawn"]),
    numbered("leases", &["id", "prefix", "account", "month", "chars", "used", "expires_ms"]),
    table("usage", 5, &["prefix", "day", "voice", "language", "api", "chars", "requests", "audio_ms"]),
    table("usage_reports", 1, &["server", "number", "reported_ms"]),
    table("lexicons", 1, &["account", "version", "changed_ms", "is_empty", "toml"]),
    table("quota_warnings", 3, &["account", "month", "percent"]),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use shruti_testkit::PostgresDatabase;

    use super::*;
    use crate::postgres::PostgresStore;
    use crate::sqlite::SqliteStore;

    type Columns = BTreeSet<(String, String)>;
    /// Names of a table and of one of its columns.
    type Column = (&'static str, &'static str);

    /// Returns the columns that a database must have: those of [`TABLES`] and those in `made_anew`, which are not
    /// copied. Each pair in `moved` is a column of [`TABLES`] and the column that replaces it in this database.
    fn copied(moved: &[(Column, Column)], made_anew: &[Column]) -> Columns {
        let owned = |(table, column): Column| (table.to_owned(), column.to_owned());
        let of_table = |table: &'static Table| table.columns.iter().map(|column| (table.name, *column));
        let mut columns: Columns = TABLES.iter().flat_map(of_table).map(owned).collect();
        for (in_the_list, there) in moved {
            assert!(columns.remove(&owned(*in_the_list)));
            columns.insert(owned(*there));
        }
        columns.extend(made_anew.iter().copied().map(owned));
        columns
    }

    const FORGOTTEN: &str = "a migration changed what the copy does not know: add it to `TABLES`";

    #[test]
    fn every_column_of_sqlite_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        drop(SqliteStore::open(folder.path()).unwrap());
        let file = rusqlite::Connection::open(folder.path().join("shruti.db")).unwrap();
        let mut statement = file
            .prepare(
                "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
                WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'",
            )
            .unwrap();
        let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let found: Columns = found.map(Result::unwrap).collect();
        let moved = [
            ((KEY_USES, "prefix"), ("keys", "prefix")),
            ((KEY_USES, "last_used_ms"), ("keys", "last_used_ms")),
        ];
        assert_eq!(found, copied(&moved, &[]), "{FORGOTTEN}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn every_column_of_postgresql_is_copied() {
        let Some(database) = PostgresDatabase::create().await else { return };
        drop(PostgresStore::open(&database.url().parse().unwrap()).await.unwrap());
        let columns = "SELECT table_name::TEXT, column_name::TEXT FROM information_schema.columns
            WHERE table_schema = 'public' AND table_name <> 'shruti_schema'";
        let found = database.client().await.query(columns, &[]).await.unwrap();
        let found: Columns = found.iter().map(|row| (row.get(0), row.get(1))).collect();
        // nothing refers to the number of a row in `promo_tries`, so it is not copied
        assert_eq!(found, copied(&[], &[("promo_tries", "id")]), "{FORGOTTEN}");
    }

    #[test]
    fn referenced_tables_precede_their_references() {
        let folder = tempfile::tempdir().unwrap();
        drop(SqliteStore::open(folder.path()).unwrap());
        let file = rusqlite::Connection::open(folder.path().join("shruti.db")).unwrap();
        let mut before: Vec<String> = Vec::new();
        for table in TABLES {
            let mut statement = file.prepare("SELECT \"table\" FROM pragma_foreign_key_list(?1)").unwrap();
            let referred = statement.query_map([table.name], |row| row.get::<_, String>(0)).unwrap();
            for referred in referred.map(Result::unwrap) {
                assert!(before.contains(&referred), "{} before {referred}", table.name);
            }
            before.push(table.name.to_owned());
        }
    }
}
