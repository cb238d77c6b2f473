//! Numbered steps from an empty database to the tables of this version.

use super::client::Transaction;
use super::connections::Connections;
use super::rows;
use crate::error::StoreError;

/// The steps in order; the table `shruti_schema` counts those that were taken. Steps are only ever added.
const STEPS: &[&str] = &[
    include_str!("../../migrations/postgres/0001_tables.sql"),
    include_str!("../../migrations/postgres/0002_sessions_told_apart.sql"),
    include_str!("../../migrations/postgres/0003_quota_warnings.sql"),
    include_str!("../../migrations/postgres/0004_verified_addresses.sql"),
    include_str!("../../migrations/postgres/0005_links_by_purpose.sql"),
];

/// A query of the catalogue sees what another server has just committed; `to_regclass` may remember that nothing was
/// there.
const IS_THERE: &str =
    "SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'shruti_schema' AND pg_table_is_visible(oid))";
const FIND_VERSION: &str = "SELECT version FROM shruti_schema";
const MAKE: &str =
    "CREATE TABLE shruti_schema (version BIGINT NOT NULL); INSERT INTO shruti_schema VALUES (0)";
const SET_VERSION: &str = "UPDATE shruti_schema SET version = $1";
/// Held to the end of the steps, so that of two servers that start together one takes them. The number is `shruti` in
/// ASCII.
const LOCK: &str = "SELECT pg_advisory_xact_lock(126892434093161)";

/// How many steps this version knows.
pub(super) fn known() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

/// How many steps a database has taken.
pub(super) async fn taken(client: &tokio_postgres::Client) -> Result<i64, StoreError> {
    // not prepared: what is found changes while the connection lives
    let is_there: bool = client.query_typed_one(IS_THERE, &[]).await?.try_get(0)?;
    if is_there { Ok(client.query_typed_one(FIND_VERSION, &[]).await?.try_get(0)?) } else { Ok(0) }
}

/// Takes the steps that are missing.
pub(super) async fn apply(connections: &Connections) -> Result<(), StoreError> {
    // a look before the lock: a start with nothing to do waits for nobody, and needs no rights
    let found = connections.read(async |connection| taken(connection.client()).await).await?;
    if missing(found)?.is_empty() {
        return Ok(());
    }
    connections.transaction(async |transaction| change(transaction).await).await
}

fn missing(taken: i64) -> Result<&'static [&'static str], StoreError> {
    let missing = usize::try_from(taken).ok().and_then(|taken| STEPS.get(taken..));
    missing.ok_or_else(|| StoreError::NewerSchema { found: taken, known: known() })
}

async fn change(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    transaction.batch_execute(LOCK).await?;
    let is_there: bool = transaction.client().query_typed_one(IS_THERE, &[]).await?.try_get(0)?;
    if !is_there {
        transaction.batch_execute(MAKE).await?;
    }
    for step in missing(taken(transaction.client()).await?)? {
        transaction.batch_execute(step).await?;
    }
    rows::execute(transaction, SET_VERSION, &[&known()]).await?;
    Ok(())
}
