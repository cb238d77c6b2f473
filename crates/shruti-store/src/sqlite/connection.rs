//! Connections to the file, and how long they wait.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::data_folder;
use crate::error::StoreError;

/// The file's name inside the data folder.
pub(super) const FILE_NAME: &str = data_folder::DATABASE;
/// How long a command waits for another process that writes, such as `shruti keys` beside a running server.
pub(super) const LOCK_WAIT: Duration = Duration::from_secs(5);

/// A connection as the store uses it.
pub(super) fn connect(file: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(file)?;
    connection.busy_timeout(LOCK_WAIT)?;
    // readers and the one writer do not wait for each other
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // a key that was printed and a revocation that was confirmed outlive a power cut
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}
