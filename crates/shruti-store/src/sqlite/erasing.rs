//! Deletions that overwrite the content of deleted rows.

use rusqlite::Connection;

use super::checkpoint;
use super::tx::SqliteTx;
use crate::database::Flow;
use crate::error::StoreError;

/// Runs a flow whose deleted rows are overwritten. The write-ahead log is emptied afterwards, unless a reader still
/// needs the log.
pub(super) fn run<T>(tx: &mut SqliteTx, flow: impl Flow<SqliteTx, T>) -> Result<T, StoreError> {
    set_secure_delete(&tx.connection, true)?;
    let deleted = tx.run(flow);
    set_secure_delete(&tx.connection, false)?;
    let deleted = deleted?;
    // the deletion is committed, even if the log cannot be emptied
    match checkpoint::run(&tx.connection) {
        Ok(true) => {}
        Ok(false) => tracing::info!("the write-ahead log contains deleted rows until it is emptied"),
        Err(error) => tracing::warn!(%error, "the write-ahead log contains deleted rows"),
    }
    Ok(deleted)
}

fn set_secure_delete(connection: &Connection, is_on: bool) -> Result<(), StoreError> {
    Ok(connection.pragma_update(None, "secure_delete", is_on)?)
}
