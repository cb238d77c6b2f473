//! Transactions of SQLite.

use std::fmt::Write;

use futures_util::FutureExt;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{CachedStatement, Connection, ToSql};

use crate::database::{Flow, Param, Row, Tx};
use crate::error::StoreError;
use crate::sql::Sql;

/// Names of the parameters of a statement, in order.
const NAMES: [&str; 13] = ["$1", "$2", "$3", "$4", "$5", "$6", "$7", "$8", "$9", "$10", "$11", "$12", "$13"];
/// Maximum number of prepared statements that a connection caches. It exceeds the number of statements of the flows.
const CACHED_STATEMENTS: usize = 256;

/// Connection that runs flows, each in a transaction.
pub(crate) struct SqliteTx {
    pub(super) connection: Connection,
    begin: &'static str,
    /// Value of the pragma `synchronous`, if it is known.
    synchronous: Option<Synchronous>,
}

/// Values of the pragma `synchronous`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Synchronous {
    /// A commit does not wait for the disk.
    Normal,
    /// A commit waits for the disk.
    Full,
}

impl SqliteTx {
    /// Returns a connection whose transactions only read.
    pub(super) fn reading(connection: Connection) -> Self {
        Self::new(connection, "BEGIN")
    }

    /// Returns a connection whose transactions take the write lock when they begin. Without this, two transactions that
    /// read before they write would block each other.
    pub(super) fn writing(connection: Connection) -> Self {
        Self::new(connection, "BEGIN IMMEDIATE")
    }

    fn new(connection: Connection, begin: &'static str) -> Self {
        connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
        Self { connection, begin, synchronous: None }
    }

    /// Sets whether commits wait for the disk. Every call that writes sets this first, because a call that panics does
    /// not reset it.
    pub(super) fn set_synchronous(&mut self, synchronous: Synchronous) -> Result<(), StoreError> {
        if self.synchronous != Some(synchronous) {
            let value = match synchronous {
                Synchronous::Normal => "NORMAL",
                Synchronous::Full => "FULL",
            };
            self.connection.pragma_update(None, "synchronous", value)?;
            self.synchronous = Some(synchronous);
        }
        Ok(())
    }

    /// Runs a flow in a transaction, which is committed if the flow succeeds and rolled back otherwise.
    pub(super) fn run<T>(&mut self, flow: impl Flow<Self, T>) -> Result<T, StoreError> {
        let open = Open::begin(self)?;
        let awaited = || StoreError::Database("a flow awaited something other than its transaction".into());
        let outcome = flow(open.0).now_or_never().ok_or_else(awaited)??;
        open.commit()?;
        Ok(outcome)
    }

    fn run_cached(&self, statement: &str) -> Result<(), StoreError> {
        self.connection.prepare_cached(statement)?.execute([])?;
        Ok(())
    }

    /// Returns a prepared statement with its parameters.
    fn bound(&self, statement: &str, params: &[Param<'_>]) -> Result<CachedStatement<'_>, StoreError> {
        let mut statement = self.connection.prepare_cached(statement)?;
        if statement.parameter_count() != params.len() {
            return Err(
                rusqlite::Error::InvalidParameterCount(params.len(), statement.parameter_count()).into()
            );
        }
        for (name, param) in NAMES.iter().zip(params) {
            let unknown = || rusqlite::Error::InvalidParameterName((*name).to_owned());
            let index = statement.parameter_index(name)?.ok_or_else(unknown)?;
            statement.raw_bind_parameter(index, param)?;
        }
        Ok(statement)
    }
}

/// Open transaction. It is rolled back if it is dropped before it is committed.
struct Open<'a>(&'a mut SqliteTx);

impl<'a> Open<'a> {
    fn begin(tx: &'a mut SqliteTx) -> Result<Self, StoreError> {
        tx.run_cached(tx.begin)?;
        Ok(Self(tx))
    }

    fn commit(self) -> Result<(), StoreError> {
        self.0.run_cached("COMMIT")
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        let connection = &self.0.connection;
        if !connection.is_autocommit()
            && let Err(error) = connection.execute_batch("ROLLBACK")
        {
            tracing::error!(%error, "a transaction could not be rolled back");
        }
    }
}

impl Tx for SqliteTx {
    const IS_EXCLUSIVE: bool = true;

    async fn execute(&mut self, statement: &Sql, params: &[Param<'_>]) -> Result<u64, StoreError> {
        let Some(statement) = statement.sqlite() else { return Ok(0) };
        Ok(self.bound(statement, params)?.raw_execute()? as u64)
    }

    async fn all<T: Send>(
        &mut self,
        statement: &Sql,
        params: &[Param<'_>],
        read: impl Fn(&dyn Row) -> Result<T, StoreError> + Send + Sync,
    ) -> Result<Vec<T>, StoreError> {
        let mut found = Vec::new();
        if let Some(statement) = statement.sqlite() {
            let mut statement = self.bound(statement, params)?;
            let mut rows = statement.raw_query();
            while let Some(row) = rows.next()? {
                found.push(read(row)?);
            }
        }
        Ok(found)
    }

    async fn together<T: Send>(
        &mut self,
        statements: &[(&Sql, &[Param<'_>])],
        read: impl Fn(&dyn Row) -> Result<T, StoreError> + Send + Sync,
    ) -> Result<Vec<T>, StoreError> {
        let mut found = Vec::new();
        for (statement, params) in statements {
            found.extend(self.all(statement, params, &read).await?);
        }
        Ok(found)
    }
}

impl ToSql for Param<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match *self {
            Self::Bool(value) => ValueRef::Integer(i64::from(value)),
            Self::Int(value) => value.map_or(ValueRef::Null, ValueRef::Integer),
            Self::Real(value) => value.map_or(ValueRef::Null, ValueRef::Real),
            Self::Text(value) => value.map_or(ValueRef::Null, |text| ValueRef::Text(text.as_bytes())),
            Self::Blob(value) => ValueRef::Blob(value),
            Self::Texts(values) => return Ok(ToSqlOutput::Owned(Value::Text(json_array(values)))),
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

/// Returns texts as a JSON array.
fn json_array(texts: &[&str]) -> String {
    let mut json = String::from("[");
    for (at, text) in texts.iter().enumerate() {
        json.push_str(if at == 0 { "\"" } else { ",\"" });
        for letter in text.chars() {
            match letter {
                '"' | '\\' => json.extend(['\\', letter]),
                control if control < ' ' => {
                    // writing to a string does not fail
                    let _ = write!(json, "\\u{:04x}", u32::from(control));
                }
                other => json.push(other),
            }
        }
        json.push('"');
    }
    json.push(']');
    json
}

impl Row for rusqlite::Row<'_> {
    fn int(&self, column: &str) -> Result<Option<i64>, StoreError> {
        Ok(self.get(column)?)
    }

    fn real(&self, column: &str) -> Result<Option<f64>, StoreError> {
        Ok(self.get(column)?)
    }

    fn boolean(&self, column: &str) -> Result<Option<bool>, StoreError> {
        Ok(self.get(column)?)
    }

    fn text(&self, column: &str) -> Result<Option<&str>, StoreError> {
        Ok(self.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from)?)
    }

    fn blob(&self, column: &str) -> Result<Option<&[u8]>, StoreError> {
        Ok(self.get_ref(column)?.as_blob_or_null().map_err(rusqlite::Error::from)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_can_be_an_array_element() {
        let texts = ["shr_a1", "", "a\"b\\c", "line\nअ"];
        let connection = Connection::open_in_memory().unwrap();
        let mut statement = connection.prepare("SELECT value FROM json_each(?1)").unwrap();
        let found = statement.query_map([Param::Texts(&texts)], |row| row.get::<_, String>(0)).unwrap();
        assert_eq!(found.collect::<Result<Vec<_>, _>>().unwrap(), texts);
    }
}
