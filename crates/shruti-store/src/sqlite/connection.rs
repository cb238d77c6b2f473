//! Connections to the file, and their lock timeout.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::data_folder;
use crate::error::StoreError;

/// Name of the file in the data folder.
pub(super) const FILE_NAME: &str = data_folder::DATABASE;
/// Maximum time that a command, such as `shruti keys` on the host of a running server, waits for a write by another
/// process.
pub(super) const LOCK_WAIT: Duration = Duration::from_secs(5);

/// Opens a connection with the settings of the store.
pub(super) fn connect(file: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(LOCK_WAIT)?;
    // with a write-ahead log, readers and the one writer do not wait for each other
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // `FULL`, so that a printed key and a confirmed revocation survive a power cut
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}
