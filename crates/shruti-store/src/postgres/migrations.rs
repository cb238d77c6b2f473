//! Numbered steps from an empty database to the tables of this version.

use futures_util::FutureExt;

use super::connections::Connections;
use super::tx::PostgresTx;
use crate::error::StoreError;

/// All steps, in order. The table `shruti_schema` contains the number of applied steps. New steps are appended.
const STEPS: &[&str] = &[
    include_str!("../../migrations/postgres/0001_tables.sql"),
    include_str!("../../migrations/postgres/0002_session_browsers.sql"),
    include_str!("../../migrations/postgres/0003_quota_warnings.sql"),
    include_str!("../../migrations/postgres/0004_verified_addresses.sql"),
    include_str!("../../migrations/postgres/0005_links_by_purpose.sql"),
];

/// Query of the catalogue. It sees a table that another server has just committed, whereas `to_regclass` might use a
/// cached result.
const EXISTS: &str =
    "SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'shruti_schema' AND pg_table_is_visible(oid))";
const FIND_VERSION: &str = "SELECT version FROM shruti_schema";
const CREATE: &str =
    "CREATE TABLE shruti_schema (version BIGINT NOT NULL); INSERT INTO shruti_schema VALUES (0)";
/// Statement that takes a lock until the end of the transaction, so that only one of several servers that start at the
/// same time applies the steps. The lock number is `shruti` in ASCII.
const LOCK: &str = "SELECT pg_advisory_xact_lock(126892434093161)";

/// Returns the number of migration steps of this version.
pub(super) fn known() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

async fn has_tables(client: &tokio_postgres::Client) -> Result<bool, StoreError> {
    // the statement is not prepared, because its plan depends on the tables, which change while the connection is open
    Ok(client.query_typed_one(EXISTS, &[]).await?.try_get(0)?)
}

/// Returns the number of migration steps that have been applied to a database; 0 if it has no tables.
pub(super) async fn taken(client: &tokio_postgres::Client) -> Result<i64, StoreError> {
    if !has_tables(client).await? {
        return Ok(0);
    }
    Ok(client.query_typed_one(FIND_VERSION, &[]).await?.try_get(0)?)
}

/// Applies the missing steps.
pub(super) async fn apply(connections: &Connections) -> Result<(), StoreError> {
    // check without a lock first, so that a start without missing steps neither waits for other servers nor needs the
    // right to create tables
    let found = connections.run(|tx| async { taken(tx.client()).await }.boxed()).await?;
    if missing(found)?.is_empty() {
        return Ok(());
    }
    connections.run_in_transaction(|tx| change(tx).boxed()).await
}

fn missing(completed: i64) -> Result<&'static [&'static str], StoreError> {
    let missing = usize::try_from(completed).ok().and_then(|completed| STEPS.get(completed..));
    missing.ok_or_else(|| StoreError::NewerSchema { found: completed, known: known() })
}

async fn change(tx: &mut PostgresTx) -> Result<(), StoreError> {
    tx.run(LOCK).await?;
    if !has_tables(tx.client()).await? {
        tx.run(CREATE).await?;
    }
    for step in missing(taken(tx.client()).await?)? {
        tx.run(step).await?;
    }
    tx.run(&format!("UPDATE shruti_schema SET version = {}", known())).await
}
