//! Transactions of PostgreSQL.

use bytes::BytesMut;
use deadpool_postgres::Object;
use futures_util::future::try_join_all;
use tokio_postgres::types::{IsNull, ToSql, Type};

use crate::database::{Param, Row, Tx};
use crate::error::StoreError;
use crate::sql::Sql;

/// Statements that begin a transaction behind a pooler. A pooler accepts no session options, so the transaction sets
/// the same limits: the maximum time that a statement waits for a lock, and that the transaction waits for its next
/// statement.
const BEGIN_POOLED: &str =
    "BEGIN; SET LOCAL lock_timeout = '5s'; SET LOCAL idle_in_transaction_session_timeout = '30s'";

/// Connection from the pool that runs flows.
pub(crate) struct PostgresTx {
    object: Object,
    /// `true` if the connection goes through a pooler in transaction mode. The whole text of each statement is then
    /// sent each time, without a name, because a prepared statement may be on another connection, or its name may
    /// belong to another client.
    is_pooled: bool,
}

impl PostgresTx {
    pub(super) fn new(object: Object, is_pooled: bool) -> Self {
        Self { object, is_pooled }
    }

    pub(super) async fn begin(&self) -> Result<(), StoreError> {
        self.run(if self.is_pooled { BEGIN_POOLED } else { "BEGIN" }).await
    }

    pub(super) async fn commit(&self) -> Result<(), StoreError> {
        self.run("COMMIT").await
    }

    pub(super) async fn roll_back(&self) -> Result<(), StoreError> {
        self.run("ROLLBACK").await
    }

    /// Runs statements without parameters. They are not prepared.
    pub(super) async fn run(&self, statements: &str) -> Result<(), StoreError> {
        Ok(self.object.batch_execute(statements).await?)
    }

    /// Returns the client for statements that are not prepared.
    pub(super) fn client(&self) -> &tokio_postgres::Client {
        &self.object
    }

    /// Removes the connection from the pool and closes it.
    pub(super) fn close(self) {
        drop(Object::take(self.object));
    }

    async fn query(
        &self,
        statement: &Sql,
        params: &[Param<'_>],
    ) -> Result<Vec<tokio_postgres::Row>, StoreError> {
        Ok(if self.is_pooled {
            self.object.query_typed(statement.postgres(), &typed(params)).await?
        } else {
            let statement = self.object.prepare_cached(statement.postgres()).await?;
            self.object.query(&statement, &untyped(params)).await?
        })
    }

    async fn prepare_all(&self, statements: impl Iterator<Item = &Sql>) -> Result<(), StoreError> {
        if !self.is_pooled {
            try_join_all(statements.map(|statement| self.object.prepare_cached(statement.postgres())))
                .await?;
        }
        Ok(())
    }
}

impl Tx for PostgresTx {
    const IS_EXCLUSIVE: bool = false;

    async fn prepare(&mut self, statements: &[&Sql]) -> Result<(), StoreError> {
        self.prepare_all(statements.iter().copied()).await
    }

    async fn execute(&mut self, statement: &Sql, params: &[Param<'_>]) -> Result<u64, StoreError> {
        Ok(if self.is_pooled {
            self.object.execute_typed(statement.postgres(), &typed(params)).await?
        } else {
            let statement = self.object.prepare_cached(statement.postgres()).await?;
            self.object.execute(&statement, &untyped(params)).await?
        })
    }

    async fn all<T: Send>(
        &mut self,
        statement: &Sql,
        params: &[Param<'_>],
        read: impl Fn(&dyn Row) -> Result<T, StoreError> + Send + Sync,
    ) -> Result<Vec<T>, StoreError> {
        self.query(statement, params).await?.iter().map(|row| read(row)).collect()
    }

    async fn together<T: Send>(
        &mut self,
        statements: &[(&Sql, &[Param<'_>])],
        read: impl Fn(&dyn Row) -> Result<T, StoreError> + Send + Sync,
    ) -> Result<Vec<T>, StoreError> {
        // all statements are prepared first, because one that still had to be prepared would be sent after the others
        self.prepare_all(statements.iter().map(|(statement, _)| *statement)).await?;
        let answers = statements.iter().map(|(statement, params)| self.query(statement, params));
        try_join_all(answers).await?.iter().flatten().map(|row| read(row)).collect()
    }
}

/// Returns the parameters with their types, for an unnamed statement.
fn typed<'a>(params: &'a [Param<'_>]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    params.iter().map(|param| (param as &(dyn ToSql + Sync), param.sql_type())).collect()
}

/// Returns the parameters without their types, for a prepared statement.
fn untyped<'a>(params: &'a [Param<'_>]) -> Vec<&'a (dyn ToSql + Sync)> {
    params.iter().map(|param| param as &(dyn ToSql + Sync)).collect()
}

impl Param<'_> {
    /// Returns the type in the database. An unnamed statement has to be sent with the types of its parameters.
    fn sql_type(&self) -> Type {
        match self {
            Self::Bool(_) => Type::BOOL,
            Self::Int(_) => Type::INT8,
            Self::Real(_) => Type::FLOAT8,
            Self::Text(_) => Type::TEXT,
            Self::Blob(_) => Type::BYTEA,
            Self::Texts(_) => Type::TEXT_ARRAY,
        }
    }
}

impl std::fmt::Debug for Param<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // the values are omitted, because they may be secrets
        write!(f, "Param({})", self.sql_type())
    }
}

type Written = Result<IsNull, Box<dyn std::error::Error + Sync + Send>>;

impl ToSql for Param<'_> {
    fn to_sql(&self, column: &Type, out: &mut BytesMut) -> Written {
        self.to_sql_checked(column, out)
    }

    fn accepts(_: &Type) -> bool {
        // each value checks the type itself
        true
    }

    fn to_sql_checked(&self, column: &Type, out: &mut BytesMut) -> Written {
        match self {
            Self::Bool(value) => value.to_sql_checked(column, out),
            Self::Int(value) => value.to_sql_checked(column, out),
            Self::Real(value) => value.to_sql_checked(column, out),
            Self::Text(value) => value.to_sql_checked(column, out),
            Self::Blob(value) => value.to_sql_checked(column, out),
            Self::Texts(value) => value.to_sql_checked(column, out),
        }
    }
}

impl Row for tokio_postgres::Row {
    fn int(&self, column: &str) -> Result<Option<i64>, StoreError> {
        Ok(self.try_get(column)?)
    }

    fn real(&self, column: &str) -> Result<Option<f64>, StoreError> {
        Ok(self.try_get(column)?)
    }

    fn boolean(&self, column: &str) -> Result<Option<bool>, StoreError> {
        Ok(self.try_get(column)?)
    }

    fn text(&self, column: &str) -> Result<Option<&str>, StoreError> {
        Ok(self.try_get(column)?)
    }

    fn blob(&self, column: &str) -> Result<Option<&[u8]>, StoreError> {
        Ok(self.try_get(column)?)
    }
}
