//! Transactions.

use super::{Param, Row};
use crate::error::StoreError;
use crate::sql::Sql;

/// Transaction of either database, or a connection for [reading](super::Database::read).
///
/// A flow awaits only these methods. Those of SQLite are ready immediately, so the worker thread completes a flow with
/// one poll.
pub(crate) trait Tx: Send {
    /// `true` if a write transaction excludes other writers. Otherwise each flow has to lock the rows that it depends
    /// on.
    const IS_EXCLUSIVE: bool;

    /// Prepares statements in one round trip, before they run one after another.
    fn prepare(&mut self, _statements: &[&Sql]) -> impl Future<Output = Result<(), StoreError>> + Send {
        async { Ok(()) }
    }

    /// Runs a statement and returns the number of rows that it changed or locked.
    fn execute(
        &mut self,
        statement: &Sql,
        params: &[Param<'_>],
    ) -> impl Future<Output = Result<u64, StoreError>> + Send;

    /// Runs a statement and returns all of its rows.
    fn all<T: Send>(
        &mut self,
        statement: &Sql,
        params: &[Param<'_>],
        read: impl Fn(&dyn Row) -> Result<T, StoreError> + Send + Sync,
    ) -> impl Future<Output = Result<Vec<T>, StoreError>> + Send;

    /// Runs a statement and returns the first row of its result, if there is one.
    fn first<T: Send>(
        &mut self,
        statement: &Sql,
        params: &[Param<'_>],
        read: impl Fn(&dyn Row) -> Result<T, StoreError> + Send + Sync,
    ) -> impl Future<Output = Result<Option<T>, StoreError>> + Send {
        async move { Ok(self.all(statement, params, read).await?.into_iter().next()) }
    }

    /// Runs a statement that always returns a row, and returns this row.
    fn one<T: Send>(
        &mut self,
        statement: &Sql,
        params: &[Param<'_>],
        read: impl Fn(&dyn Row) -> Result<T, StoreError> + Send + Sync,
    ) -> impl Future<Output = Result<T, StoreError>> + Send {
        async move {
            let row = self.first(statement, params, read).await?;
            row.ok_or_else(|| StoreError::Unreadable("a row is missing".to_owned()))
        }
    }

    /// Runs statements in order and returns the rows of all of them. A remote database gets all statements before it
    /// answers the first one.
    fn together<T: Send>(
        &mut self,
        statements: &[(&Sql, &[Param<'_>])],
        read: impl Fn(&dyn Row) -> Result<T, StoreError> + Send + Sync,
    ) -> impl Future<Output = Result<Vec<T>, StoreError>> + Send;
}
