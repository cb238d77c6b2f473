//! Checkpoints, which write the write-ahead log into the database.

use std::time::Duration;

use rusqlite::Connection;

use crate::error::StoreError;

/// Writes the log into the database and empties the log, as far as other processes allow it. Returns `true` if the log
/// is empty; otherwise the next call continues.
pub(super) fn run(connection: &Connection) -> Result<bool, StoreError> {
    // the first of the three numbers is 1 if another process blocked the checkpoint
    let was_held_up: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(!was_held_up)
}

/// Empties the log before the file is closed. SQLite does this itself when the last connection is closed, but another
/// process may have the file open. The call does not wait for that process, which empties the log when it closes the
/// file later.
pub(super) fn before_closing(connection: &Connection) {
    if let Err(error) =
        connection.busy_timeout(Duration::ZERO).map_err(StoreError::from).and_then(|()| run(connection))
    {
        tracing::warn!(
            %error,
            "the write-ahead log could not be checkpointed; shruti.db-wal contains the newest changes"
        );
    }
}
