//! Inspection of a store, without changes.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, named_params};

use super::connection::{FILE_NAME, LOCK_WAIT};
use super::store::SqliteStore;
use super::{fault, migrations};
use crate::count::unsigned;
use crate::error::StoreError;

const COUNT_USABLE_KEYS: &str = "SELECT count(*) FROM keys
    WHERE revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > :now_ms) AND purpose = 'api'";
/// Query for databases with a schema version before [`PLAYGROUNDS`].
const COUNT_USABLE_KEYS_OF_OLD: &str = "SELECT count(*) FROM keys
    WHERE revoked_ms IS NULL AND (expires_ms IS NULL OR expires_ms > :now_ms)";
const NEWEST_ENTRY: &str = "SELECT max(at_ms) FROM audit";

/// Schema version that added accounts and the audit log.
const ACCOUNTS: i64 = 3;
/// Schema version that added the keys of playgrounds.
const PLAYGROUNDS: i64 = 6;

/// Maximum number of problems that an inspection reports.
const MOST_DAMAGE: u32 = 10;

/// State of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Number of migration steps that have been applied.
    pub schema: i64,
    /// Number of migration steps of this version. If it is greater than `schema`, the next start applies the missing
    /// steps.
    pub known_schema: i64,
    /// Damage to the file, as SQLite reports it; empty if there is none.
    pub damage: Vec<String>,
    /// Size of the database, in bytes.
    pub bytes: u64,
    /// Size of the write-ahead log, in bytes.
    pub log_bytes: u64,
    /// Number of usable keys, without those of playgrounds; 0 if the file is damaged.
    pub usable_keys: u64,
    /// Time of the newest entry in the audit log, in milliseconds since 1970; `None` if there is no entry or the file
    /// is damaged.
    pub newest_entry_ms: Option<i64>,
}

impl SqliteStore {
    /// Inspects the store of a data folder, even while a server is using it. Nothing is created, migrated or repaired.
    /// The call reads the whole file, so call it where blocking is allowed.
    pub fn inspect(data_dir: &Path, now_ms: i64) -> Result<Inspection, StoreError> {
        inspect(data_dir, now_ms).map_err(|error| fault::explain(error, data_dir))
    }
}

fn inspect(data_dir: &Path, now_ms: i64) -> Result<Inspection, StoreError> {
    let file = data_dir.join(FILE_NAME);
    let size = |path: &Path| fs::metadata(path).map_or(0, |found| found.len());
    // the connection is not read-only, because readers of a write-ahead log write to its index
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&file, flags)?;
    connection.busy_timeout(LOCK_WAIT)?;
    let schema = migrations::taken(&connection)?;
    let known_schema = migrations::known();
    if schema > known_schema {
        return Err(StoreError::NewerSchema { found: schema, known: known_schema });
    }
    let damage = damage(&connection)?;
    let is_readable = damage.is_empty() && schema > 0;
    Ok(Inspection {
        schema,
        known_schema,
        damage,
        bytes: size(&file),
        log_bytes: size(&data_dir.join(format!("{FILE_NAME}-wal"))),
        usable_keys: if is_readable { count_usable_keys(&connection, schema, now_ms)? } else { 0 },
        newest_entry_ms: if is_readable && schema >= ACCOUNTS {
            connection.query_row(NEWEST_ENTRY, [], |row| row.get(0))?
        } else {
            None
        },
    })
}

fn damage(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut check = connection.prepare(&format!("PRAGMA quick_check({MOST_DAMAGE})"))?;
    let found = check.query_map([], |row| row.get::<_, String>(0))?;
    let mut found = found.collect::<Result<Vec<_>, _>>()?;
    found.retain(|line| line != "ok");
    Ok(found)
}

fn count_usable_keys(connection: &Connection, schema: i64, now_ms: i64) -> Result<u64, StoreError> {
    let statement = if schema >= PLAYGROUNDS { COUNT_USABLE_KEYS } else { COUNT_USABLE_KEYS_OF_OLD };
    Ok(unsigned(connection.query_row(statement, named_params! {":now_ms": now_ms}, |row| row.get(0))?))
}
