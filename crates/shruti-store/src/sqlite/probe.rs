//! Probe that reads the file from the disk.

use rusqlite::Connection;

use super::database_file::DatabaseFile;
use super::fault::{self, disk_error};
use crate::error::{DiskTrouble, StoreError};

/// Statement that drops the cached pages, so that the next statements read from the disk.
const FORGET_PAGES: &str = "PRAGMA shrink_memory";
/// Statements that read the first page and the first rows of tables.
const READ: [&str; 3] = [
    "SELECT count(*) FROM sqlite_schema",
    "SELECT count(*) FROM key_revision",
    "SELECT count(*) FROM (SELECT 1 FROM keys LIMIT 1)",
];

/// See [`Store::probe`](crate::MaintenanceStore::probe). Damage is noted, so that a damaged file is not written.
pub(super) fn probe(connection: &mut Connection, file: &DatabaseFile) -> Result<(), StoreError> {
    file.check_identity()?;
    let looked = read_anew(connection).map_err(|error| fault::explain(error, file.folder()));
    let damage = match looked {
        Ok(()) => {
            // the read succeeded, so damage that was noted before has been repaired
            file.note_damage(None);
            return Ok(());
        }
        Err(StoreError::Disk { trouble: DiskTrouble::Damaged, found, .. }) => found,
        // a statement could not be prepared, because tables are missing: this is also damage
        Err(StoreError::Database(error)) => error.to_string(),
        Err(other) => return Err(other),
    };
    file.note_damage(Some(damage.clone()));
    Err(disk_error(DiskTrouble::Damaged, file.folder(), damage))
}

fn read_anew(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(FORGET_PAGES)?;
    for statement in READ {
        connection.prepare(statement)?.query_row([], |row| row.get::<_, i64>(0))?;
    }
    Ok(())
}
