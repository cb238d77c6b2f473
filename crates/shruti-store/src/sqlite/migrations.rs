//! Numbered steps from an empty file to the tables of this version.

use rusqlite::{Connection, Transaction};

use super::{checkpoint, hash_promo_codes};
use crate::error::StoreError;

/// The steps in order; the database's `user_version` counts those it has taken. Steps are only ever added.
const STEPS: &[Step] = &[
    Step::Tables(include_str!("../../migrations/0001_keys.sql")),
    Step::Tables(include_str!("../../migrations/0002_tokens.sql")),
    Step::Tables(include_str!("../../migrations/0003_accounts.sql")),
    Step::Tables(include_str!("../../migrations/0004_promo_codes.sql")),
    Step::Tables(include_str!("../../migrations/0005_usage.sql")),
    Step::Tables(include_str!("../../migrations/0006_playground_keys.sql")),
    Step::Content(hash_promo_codes::hash_codes),
    Step::Rewrite,
    Step::Tables(include_str!("../../migrations/0008_usage_by_api.sql")),
    Step::Tables(include_str!("../../migrations/0009_lexicons.sql")),
    Step::Tables(include_str!("../../migrations/0010_usage_reports.sql")),
    Step::Tables(include_str!("../../migrations/0011_sessions_told_apart.sql")),
    Step::Tables(include_str!("../../migrations/0012_quota_warnings.sql")),
    Step::Tables(include_str!("../../migrations/0013_verified_addresses.sql")),
    Step::Tables(include_str!("../../migrations/0014_links_by_purpose.sql")),
];

enum Step {
    /// What SQL alone can say.
    Tables(&'static str),
    /// What needs to look at each row.
    Content(fn(&Transaction<'_>) -> Result<(), StoreError>),
    /// The file is written anew: pages that nothing uses any more, and the log, still hold what a step before has
    /// removed. This is no part of a transaction, and is taken only when all of it is done.
    Rewrite,
}

/// How many steps this version knows.
pub(super) fn known() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

/// How many steps a database has taken.
pub(super) fn taken(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

pub(super) fn apply(connection: &mut Connection) -> Result<(), StoreError> {
    loop {
        // a look before the lock: a start with nothing to do waits for no writer
        let taken = taken(connection)?;
        match missing(taken)? {
            [] => return Ok(()),
            [Step::Rewrite, ..] => rewrite(connection, taken)?,
            _ => change(connection)?,
        }
    }
}

/// The steps that come after so many.
fn missing(taken: i64) -> Result<&'static [Step], StoreError> {
    let missing = usize::try_from(taken).ok().and_then(|taken| STEPS.get(taken..));
    missing.ok_or_else(|| StoreError::NewerSchema { found: taken, known: known() })
}

/// Takes the steps up to one that rewrites the file.
fn change(connection: &mut Connection) -> Result<(), StoreError> {
    // one transaction that locks from its start, as all of this connection: two processes that open a new store do not
    // both take a step
    let transaction = connection.transaction()?;
    let mut taken = taken(&transaction)?;
    let is_new = taken == 0;
    for step in missing(taken)? {
        match step {
            Step::Tables(sql) => transaction.execute_batch(sql)?,
            Step::Content(change) => change(&transaction)?,
            // nothing was in it that could be left
            Step::Rewrite if is_new => {}
            Step::Rewrite => break,
        }
        taken += 1;
    }
    transaction.pragma_update(None, "user_version", taken)?;
    Ok(transaction.commit()?)
}

/// Takes a step that rewrites the file, which comes after so many. Where it fails, the next start takes it.
fn rewrite(connection: &mut Connection, taken_before: i64) -> Result<(), StoreError> {
    connection.execute_batch("VACUUM")?;
    if !checkpoint::run(connection)? {
        return Err(StoreError::Locked);
    }
    let transaction = connection.transaction()?;
    // another process may have been faster, and further
    if taken(&transaction)? == taken_before {
        transaction.pragma_update(None, "user_version", taken_before + 1)?;
    }
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use rusqlite::TransactionBehavior;

    use super::super::connection::connect;
    use super::*;

    const CODE: &str = "7K2MQ9XD4TBRW0E1";

    fn connection_to(file: &Path) -> Connection {
        let mut connection = connect(file).unwrap();
        connection.set_transaction_behavior(TransactionBehavior::Immediate);
        connection.busy_timeout(Duration::ZERO).unwrap();
        connection
    }

    fn holds_the_code(folder: &Path) -> bool {
        std::fs::read_dir(folder).unwrap().any(|file| {
            let bytes = std::fs::read(file.unwrap().path()).unwrap();
            bytes.windows(CODE.len()).any(|window| window == CODE.as_bytes())
        })
    }

    #[test]
    fn a_rewriting_that_failed_is_done_by_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("shruti.db");
        let mut connection = connection_to(&file);
        for step in &STEPS[..6] {
            let Step::Tables(sql) = step else { panic!("the steps before codes were hashed are SQL") };
            connection.execute_batch(sql).unwrap();
        }
        connection.pragma_update(None, "user_version", 6).unwrap();
        let insert = format!("INSERT INTO promo_codes VALUES ('{CODE}', 500, 2, 0, 1, NULL, NULL)");
        connection.execute_batch(&insert).unwrap();

        // somebody reads the file as it was, so that it must stay
        let reader = connection_to(&file);
        reader.execute_batch("BEGIN; SELECT count(*) FROM promo_codes").unwrap();
        let outcome = apply(&mut connection);
        assert!(matches!(outcome, Err(StoreError::Locked)), "{outcome:?}");
        assert!(holds_the_code(folder.path()));
        assert!(taken(&connection).unwrap() < known());
        drop((reader, connection));

        let mut connection = connection_to(&file);
        apply(&mut connection).unwrap();
        assert!(!holds_the_code(folder.path()));
        assert_eq!(taken(&connection).unwrap(), known());
    }
}
