//! Numbered steps from an empty file to the tables of this version.

use rusqlite::{Connection, Transaction};

use super::{checkpoint, hash_promo_codes};
use crate::error::StoreError;

/// All steps, in order. The `user_version` of the database is the number of applied steps. New steps are appended.
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
    Step::Tables(include_str!("../../migrations/0011_session_browsers.sql")),
    Step::Tables(include_str!("../../migrations/0012_quota_warnings.sql")),
    Step::Tables(include_str!("../../migrations/0013_verified_addresses.sql")),
    Step::Tables(include_str!("../../migrations/0014_links_by_purpose.sql")),
];

enum Step {
    /// Step that needs only SQL.
    Tables(&'static str),
    /// Step that has to read each row.
    Content(fn(&Transaction<'_>) -> Result<(), StoreError>),
    /// Rewrite of the file, because unused pages and the log still contain data that an earlier step has removed. The
    /// step is not part of a transaction, and counts as applied only when it is complete.
    Rewrite,
}

/// Returns the number of migration steps of this version.
pub(super) fn known() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

/// Returns the number of migration steps that have been applied to a database.
pub(super) fn taken(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

pub(super) fn apply(connection: &mut Connection) -> Result<(), StoreError> {
    loop {
        // check without a lock first, so that a start without missing steps does not wait for a writer
        let taken = taken(connection)?;
        match missing(taken)? {
            [] => return Ok(()),
            [Step::Rewrite, ..] => rewrite(connection, taken)?,
            _ => change(connection)?,
        }
    }
}

/// Returns the steps that follow the first `completed` ones. Fails if a newer version has applied more steps.
fn missing(completed: i64) -> Result<&'static [Step], StoreError> {
    let missing = usize::try_from(completed).ok().and_then(|completed| STEPS.get(completed..));
    missing.ok_or_else(|| StoreError::NewerSchema { found: completed, known: known() })
}

/// Applies the missing steps in one transaction, up to a step that rewrites the file.
fn change(connection: &mut Connection) -> Result<(), StoreError> {
    // the transaction takes the write lock when it begins, so that two processes that open a new store do not both
    // apply a step
    let transaction = connection.transaction()?;
    let mut taken = taken(&transaction)?;
    let is_new = taken == 0;
    for step in missing(taken)? {
        match step {
            Step::Tables(sql) => transaction.execute_batch(sql)?,
            Step::Content(change) => change(&transaction)?,
            // a new file contains no data that has to be removed
            Step::Rewrite if is_new => {}
            Step::Rewrite => break,
        }
        taken += 1;
    }
    transaction.pragma_update(None, "user_version", taken)?;
    Ok(transaction.commit()?)
}

/// Applies a step that rewrites the file and follows `taken_before` steps. If the rewrite fails, the next start repeats
/// it.
fn rewrite(connection: &mut Connection, taken_before: i64) -> Result<(), StoreError> {
    connection.execute_batch("VACUUM")?;
    if !checkpoint::run(connection)? {
        return Err(StoreError::Locked);
    }
    let transaction = connection.transaction()?;
    // another process may have applied the step in the meantime
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
    fn a_failed_rewrite_is_repeated_at_the_next_start() {
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

        // a reader of the old content prevents the rewrite
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
