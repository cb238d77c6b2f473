//! A look at a store that changes nothing in it.

use super::connections::Connections;
use super::rows;
use super::store::PostgresStore;
use super::{PostgresAddress, migrations};
use crate::count::unsigned;
use crate::error::StoreError;

const LOOK: &str = "SELECT current_setting('server_version') AS version,
    pg_database_size(current_database()) AS bytes,
    pg_is_in_recovery() OR current_setting('transaction_read_only')::BOOLEAN AS is_read_only";
const COUNT_USABLE_KEYS: &str = "SELECT count(*) AS count FROM keys
    WHERE revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > $1) AND purpose = 'api'";
const NEWEST_ENTRY: &str = "SELECT max(at_ms) AS at_ms FROM audit";

/// How a store in PostgreSQL is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostgresInspection {
    /// The version of the database server, in its words.
    pub version: String,
    /// Whether nothing can be written to it: it is a copy of another.
    pub is_read_only: bool,
    /// The size of the database, in bytes.
    pub bytes: u64,
    /// The number of steps that its tables have taken; 0 if there are none.
    pub schema: i64,
    /// How many this version knows; where the database has taken fewer, the next start takes the others.
    pub known_schema: i64,
    /// How many keys can be used now, those of playgrounds aside.
    pub usable_keys: u64,
    /// The time of the newest entry in the audit log, in milliseconds since 1970.
    pub newest_entry_ms: Option<i64>,
}

impl PostgresStore {
    /// Looks at the store at an address, also beside running servers. Nothing is made or upgraded.
    pub async fn inspect(address: &PostgresAddress, now_ms: i64) -> Result<PostgresInspection, StoreError> {
        let connections = Connections::new(address)?;
        connections
            .read(async |client| {
                let look = rows::one(client, LOOK, &[]).await?;
                let schema = migrations::taken(client.client()).await?;
                let known_schema = migrations::known();
                if schema > known_schema {
                    return Err(StoreError::NewerSchema { found: schema, known: known_schema });
                }
                let (mut usable_keys, mut newest_entry_ms) = (0, None);
                if schema > 0 {
                    let count = rows::one(client, COUNT_USABLE_KEYS, &[&now_ms]).await?;
                    usable_keys = unsigned(count.try_get("count")?);
                    newest_entry_ms = rows::one(client, NEWEST_ENTRY, &[]).await?.try_get("at_ms")?;
                }
                Ok(PostgresInspection {
                    version: look.try_get("version")?,
                    is_read_only: look.try_get("is_read_only")?,
                    bytes: unsigned(look.try_get("bytes")?),
                    schema,
                    known_schema,
                    usable_keys,
                    newest_entry_ms,
                })
            })
            .await
    }
}
