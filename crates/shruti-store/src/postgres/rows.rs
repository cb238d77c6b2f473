//! Statements and what their rows hold.

use deadpool_postgres::GenericClient;
use tokio_postgres::Row;

use super::client::{Client, Statements};
pub(super) use super::values::Values;
use super::values::{typed, untyped};
use crate::error::StoreError;

/// How many rows a statement changed.
pub(super) async fn execute(
    client: &impl Client,
    statement: &str,
    values: Values<'_>,
) -> Result<u64, StoreError> {
    Ok(match client.statements() {
        Statements::Prepared(client) => {
            let statement = client.prepare_cached(statement).await?;
            client.execute(&statement, &untyped(values)).await?
        }
        Statements::Unnamed(client) => client.execute_typed(statement, &typed(values)).await?,
    })
}

/// All rows that a statement gives.
pub(super) async fn all(
    client: &impl Client,
    statement: &str,
    values: Values<'_>,
) -> Result<Vec<Row>, StoreError> {
    Ok(match client.statements() {
        Statements::Prepared(client) => {
            let statement = client.prepare_cached(statement).await?;
            client.query(&statement, &untyped(values)).await?
        }
        Statements::Unnamed(client) => client.query_typed(statement, &typed(values)).await?,
    })
}

/// The one row that a statement gives, if it gives one.
pub(super) async fn first(
    client: &impl Client,
    statement: &str,
    values: Values<'_>,
) -> Result<Option<Row>, StoreError> {
    Ok(match client.statements() {
        Statements::Prepared(client) => {
            let statement = client.prepare_cached(statement).await?;
            client.query_opt(&statement, &untyped(values)).await?
        }
        Statements::Unnamed(client) => client.query_typed_opt(statement, &typed(values)).await?,
    })
}

/// The one row that a statement gives whatever is stored.
pub(super) async fn one(
    client: &impl Client,
    statement: &str,
    values: Values<'_>,
) -> Result<Row, StoreError> {
    Ok(match client.statements() {
        Statements::Prepared(client) => {
            let statement = client.prepare_cached(statement).await?;
            client.query_one(&statement, &untyped(values)).await?
        }
        Statements::Unnamed(client) => client.query_typed_one(statement, &typed(values)).await?,
    })
}

/// A count that is stored as a number and kept in 32 bits.
pub(super) fn small(stored: i64) -> Result<u32, StoreError> {
    u32::try_from(stored).map_err(|_| StoreError::Unreadable(format!("the count {stored}")))
}
