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
];
/// The step after which the file must hold no trace of what was in it before.
const CODES_HASHED: i64 = 7;

enum Step {
    /// What SQL alone can say.
    Tables(&'static str),
    /// What needs to look at each row.
    Content(fn(&Transaction<'_>) -> Result<(), StoreError>),
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
    // a look before the lock: a start with nothing to do waits for no writer
    if taken(connection)? == known() {
        return Ok(());
    }
    // one transaction that locks from its start, as all of this connection: two processes that open a new store do not
    // both take a step
    let transaction = connection.transaction()?;
    let (taken, known) = (taken(&transaction)?, known());
    let Some(missing) = usize::try_from(taken).ok().and_then(|taken| STEPS.get(taken..)) else {
        return Err(StoreError::NewerSchema { found: taken, known });
    };
    for step in missing {
        match step {
            Step::Tables(sql) => transaction.execute_batch(sql)?,
            Step::Content(change) => change(&transaction)?,
        }
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    if (1..CODES_HASHED).contains(&taken) && known >= CODES_HASHED {
        // pages that nothing uses any more still hold the codes, and so does the log
        connection.execute_batch("VACUUM")?;
        checkpoint::run(connection)?;
    }
    Ok(())
}
