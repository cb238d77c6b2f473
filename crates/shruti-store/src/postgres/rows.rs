//! Statements, each prepared once on a connection, and what their rows hold.

use deadpool_postgres::GenericClient;
use futures_util::future::try_join_all;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use crate::error::StoreError;
use crate::secret::SecretHash;

/// Values for the places of a statement (`$1` and so on).
pub(super) type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

/// Prepares statements that are about to be executed one after the other, in one round trip for those that are not yet.
pub(super) async fn prepare(client: &impl GenericClient, statements: &[&str]) -> Result<(), StoreError> {
    try_join_all(statements.iter().map(|statement| client.prepare_cached(statement))).await?;
    Ok(())
}

/// How many rows a statement changed.
pub(super) async fn execute(
    client: &impl GenericClient,
    statement: &str,
    values: Values<'_>,
) -> Result<u64, StoreError> {
    let statement = client.prepare_cached(statement).await?;
    Ok(client.execute(&statement, values).await?)
}

/// All rows that a statement gives.
pub(super) async fn all(
    client: &impl GenericClient,
    statement: &str,
    values: Values<'_>,
) -> Result<Vec<Row>, StoreError> {
    let statement = client.prepare_cached(statement).await?;
    Ok(client.query(&statement, values).await?)
}

/// The one row that a statement gives, if it gives one.
pub(super) async fn first(
    client: &impl GenericClient,
    statement: &str,
    values: Values<'_>,
) -> Result<Option<Row>, StoreError> {
    let statement = client.prepare_cached(statement).await?;
    Ok(client.query_opt(&statement, values).await?)
}

/// The one row that a statement gives whatever is stored.
pub(super) async fn one(
    client: &impl GenericClient,
    statement: &str,
    values: Values<'_>,
) -> Result<Row, StoreError> {
    let statement = client.prepare_cached(statement).await?;
    Ok(client.query_one(&statement, values).await?)
}

/// A hash in a row.
pub(super) fn hash(row: &Row, column: &str) -> Result<SecretHash, StoreError> {
    let bytes: &[u8] = row.try_get(column)?;
    let bytes =
        bytes.try_into().map_err(|_| StoreError::Unreadable("a hash of another length".to_owned()))?;
    Ok(SecretHash(bytes))
}

/// A count that is stored as a number and kept in 32 bits.
pub(super) fn small(stored: i64) -> Result<u32, StoreError> {
    u32::try_from(stored).map_err(|_| StoreError::Unreadable(format!("the count {stored}")))
}
