//! Numbered steps from an empty file to the tables of this version.

use rusqlite::{Connection, TransactionBehavior};

use crate::store::StoreError;

/// The steps in order; the database's `user_version` counts those it has taken. Steps are only ever added.
const STEPS: &[&str] = &[
    include_str!("../../migrations/0001_keys.sql"),
    include_str!("../../migrations/0002_tokens.sql"),
    include_str!("../../migrations/0003_accounts.sql"),
    include_str!("../../migrations/0004_promo_codes.sql"),
    include_str!("../../migrations/0005_usage.sql"),
    include_str!("../../migrations/0006_playground_keys.sql"),
];

/// How many steps this version knows.
pub(super) fn known() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

/// How many steps a database has taken.
pub(super) fn taken(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

pub(super) fn apply(connection: &mut Connection) -> Result<(), StoreError> {
    // one transaction that locks from its start: two processes that open a new store do not both take a step
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (taken, known) = (taken(&transaction)?, known());
    let Some(missing) = usize::try_from(taken).ok().and_then(|taken| STEPS.get(taken..)) else {
        return Err(StoreError::NewerSchema { found: taken, known });
    };
    for step in missing {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    Ok(())
}
