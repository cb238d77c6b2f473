//! Interface between the [flows](crate::flows) and the two databases.

mod param;
mod row;
mod tx;

use futures_util::future::BoxFuture;

pub(crate) use param::{Param, params};
pub(crate) use row::Row;
pub(crate) use tx::Tx;

use crate::error::StoreError;
use crate::hashing::Hashing;

/// Asynchronous operation on one transaction of the type `X`, which returns a `T`.
pub(crate) trait Flow<X, T>:
    for<'t> FnOnce(&'t mut X) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static
{
}

impl<X, T, F> Flow<X, T> for F where
    F: for<'t> FnOnce(&'t mut X) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static
{
}

/// Database that runs flows. Each store implements this trait. The store traits, such as [`KeyStore`](crate::KeyStore),
/// are implemented for every `Database`.
pub(crate) trait Database: Send + Sync {
    /// Transaction that the flows run on.
    type Tx: Tx;

    /// Returns the password hashing of the store.
    fn hashing(&self) -> &Hashing;

    /// Runs a read-only flow. SQLite runs it on one snapshot, PostgreSQL on one snapshot per statement.
    fn read<T: Send + 'static>(
        &self,
        flow: impl Flow<Self::Tx, T>,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Runs a flow in a transaction, which is committed if the flow succeeds and rolled back if it fails.
    fn write<T: Send + 'static>(
        &self,
        flow: impl Flow<Self::Tx, T>,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Runs a flow as [`write`](Self::write) does, for an outcome that need not survive a power cut: SQLite does not
    /// wait for the disk. The outcome survives a crash of the process.
    fn write_unsynced<T: Send + 'static>(
        &self,
        flow: impl Flow<Self::Tx, T>,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Runs a flow that changes one row with one statement, and whose outcome need not survive a power cut. PostgreSQL
    /// runs it without a transaction, which saves two round trips.
    fn write_row<T: Send + 'static>(
        &self,
        flow: impl Flow<Self::Tx, T>,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Runs a flow as [`write`](Self::write) does, and overwrites the content of deleted rows in the database file, if
    /// the store is a file.
    fn write_erasing<T: Send + 'static>(
        &self,
        flow: impl Flow<Self::Tx, T>,
    ) -> impl Future<Output = Result<T, StoreError>> + Send;

    /// Waits until another process may have changed a key.
    fn key_change(&self) -> impl Future<Output = ()> + Send;
}
