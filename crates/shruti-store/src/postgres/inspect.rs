//! Inspection of a store, without changes.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::connections::Connections;
use super::store::PostgresStore;
use super::tx::PostgresTx;
use super::{PostgresAddress, migrations};
use crate::database::{Tx, params};
use crate::error::StoreError;
use crate::sql::Sql;

const SERVER: Sql = Sql::postgres_only(
    "SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes,
        pg_is_in_recovery() OR current_setting('transaction_read_only')::BOOLEAN AS is_read_only",
);
const COUNT_USABLE_KEYS: Sql = Sql::postgres_only(
    "SELECT count(*) AS count FROM keys
    WHERE revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > $1) AND purpose = 'api'",
);
const NEWEST_ENTRY: Sql = Sql::postgres_only("SELECT max(at_ms) AS at_ms FROM audit");

/// State of a store in PostgreSQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresInspection {
    /// Version of the database server, as it reports it (`server_version`).
    pub version: String,
    /// `true` if the database accepts no changes, for example because it is a replica.
    pub is_read_only: bool,
    /// Size of the database, in bytes.
    pub bytes: u64,
    /// Number of migration steps that have been applied; 0 if there are no tables.
    pub schema: i64,
    /// Number of migration steps of this version. If it is greater than `schema`, the next start applies the missing
    /// steps.
    pub known_schema: i64,
    /// Number of usable keys, without those of playgrounds.
    pub usable_keys: u64,
    /// Time of the newest entry in the audit log, in milliseconds since 1970; `None` if there is no entry.
    pub newest_entry_ms: Option<i64>,
}

impl PostgresStore {
    /// Inspects the store at an address, even while servers are using it. Nothing is created or migrated.
    pub fn inspect(
        address: &PostgresAddress,
        now_ms: i64,
    ) -> BoxFuture<'_, Result<PostgresInspection, StoreError>> {
        async move { Connections::new(address)?.run(move |tx| inspect(tx, now_ms).boxed()).await }.boxed()
    }
}

async fn inspect(tx: &mut PostgresTx, now_ms: i64) -> Result<PostgresInspection, StoreError> {
    let (version, bytes, is_read_only) = tx
        .one(&SERVER, params![], |row| Ok((row.get("version")?, row.get("bytes")?, row.get("is_read_only")?)))
        .await?;
    let schema = migrations::taken(tx.client()).await?;
    let known_schema = migrations::known();
    if schema > known_schema {
        return Err(StoreError::NewerSchema { found: schema, known: known_schema });
    }
    let (mut usable_keys, mut newest_entry_ms) = (0, None);
    if schema > 0 {
        usable_keys = tx.one(&COUNT_USABLE_KEYS, params![now_ms], |row| row.get("count")).await?;
        newest_entry_ms = tx.one(&NEWEST_ENTRY, params![], |row| row.optional("at_ms")).await?;
    }
    Ok(PostgresInspection {
        version,
        is_read_only,
        bytes,
        schema,
        known_schema,
        usable_keys,
        newest_entry_ms,
    })
}
