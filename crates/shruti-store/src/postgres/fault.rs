//! Classification of PostgreSQL errors: unavailable, busy, or a defect of this program.

use anyhow::Chain;
use deadpool_postgres::{PoolError, TimeoutType};
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

use crate::error::StoreError;

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        match error.code() {
            Some(code) if is_away(code) => Self::Away(told(&error)),
            Some(&SqlState::QUERY_CANCELED | &SqlState::LOCK_NOT_AVAILABLE) => Self::Busy,
            None if error.is_closed() || is_of_connection(&error) => Self::Away(told(&error)),
            _ => Self::Database(Box::new(error)),
        }
    }
}

/// Returns `true` if the database reports that it does not work at the moment, for example because it is starting or
/// stopping, is a read-only replica, or has no free connection.
fn is_away(code: &SqlState) -> bool {
    const STATES: [SqlState; 6] = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::DATABASE_DROPPED,
        SqlState::READ_ONLY_SQL_TRANSACTION,
        SqlState::TOO_MANY_CONNECTIONS,
    ];
    STATES.contains(code) || code.code().starts_with("08")
}

/// Returns `true` if an error was caused by a failure of the connection, not of a statement.
fn is_of_connection(error: &Error) -> bool {
    Chain::new(error).any(<dyn std::error::Error>::is::<std::io::Error>)
}

/// Returns the messages of an error and its causes. None of them quotes a password or a value.
pub(super) fn told(error: &(dyn std::error::Error + 'static)) -> String {
    let causes: Vec<_> = Chain::new(error).map(ToString::to_string).collect();
    causes.join(": ")
}

/// Adds the remedy to an error message, if one is known.
fn with_advice(mut message: String) -> String {
    if message.contains("unsupported startup parameter") {
        message.push_str("; if this is a pooler in transaction mode, add pooler=transaction to the address");
    }
    message
}

/// Converts the error of a request for a connection from the pool.
pub(super) fn not_connected(error: &PoolError) -> StoreError {
    match error {
        // all connections are in use
        PoolError::Timeout(TimeoutType::Wait) => StoreError::Busy,
        PoolError::Closed => StoreError::Closed,
        PoolError::Timeout(_) => StoreError::Away("it does not respond".to_owned()),
        PoolError::Backend(error) => StoreError::Away(with_advice(told(error))),
        other => StoreError::Away(told(other)),
    }
}
