//! SQLite file as the source or the target of a [copy](crate::copy()).

use std::path::{Path, PathBuf};

use rusqlite::{CachedStatement, Connection, OpenFlags, params_from_iter};

use super::connection::{FILE_NAME, LOCK_WAIT};
use super::{checkpoint, fault, migrations};
use crate::count::unsigned;
use crate::error::StoreError;
use crate::tables::{KEY_REVISION, KEY_USES, Table};
use crate::value::Value;

/// Subquery for the rows of `key_uses`, which is a separate table only in PostgreSQL.
const USES_OF_KEYS: &str = "(SELECT prefix, last_used_ms FROM keys WHERE last_used_ms IS NOT NULL)";
const SET_USE_OF_KEY: &str = "UPDATE keys SET last_used_ms = ?2 WHERE prefix = ?1";
/// Statement that deletes the initial row of a new store, which is replaced with the row of the source.
const DROP_REVISION: &str = "DELETE FROM key_revision";
/// Query for the last row number in `sqlite_sequence`, an internal table of SQLite that programs may modify.
const LAST_NUMBER: &str = "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?1), 0)";
const DROP_NUMBER: &str = "DELETE FROM sqlite_sequence WHERE name = ?1";
const SET_NUMBER: &str = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";

/// Connection whose statements run in one transaction.
pub(crate) struct CopySide {
    connection: Connection,
    folder: PathBuf,
}

impl CopySide {
    pub(crate) fn open(data_dir: &Path) -> Result<Self, StoreError> {
        // the connection is not read-only, because readers of a write-ahead log write to its index
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connect = || {
            let connection = Connection::open_with_flags(data_dir.join(FILE_NAME), flags)?;
            connection.busy_timeout(LOCK_WAIT)?;
            connection.pragma_update(None, "synchronous", "FULL")?;
            connection.pragma_update(None, "foreign_keys", true)?;
            Ok(connection)
        };
        let connection = connect().map_err(|error| fault::explain(error, data_dir))?;
        Ok(Self { connection, folder: data_dir.to_owned() })
    }

    fn explained<T>(&self, outcome: rusqlite::Result<T>) -> Result<T, StoreError> {
        outcome.map_err(|error| fault::explain(error.into(), &self.folder))
    }

    /// Begins a read transaction. Returns the schema version of the tables, and the newest schema version that this
    /// program supports.
    pub(crate) fn begin_reading(&self) -> Result<(i64, i64), StoreError> {
        self.explained(self.connection.execute_batch("BEGIN"))?;
        Ok((migrations::taken(&self.connection)?, migrations::known()))
    }

    pub(crate) fn begin_writing(&self) -> Result<(), StoreError> {
        self.explained(self.connection.execute_batch("BEGIN IMMEDIATE"))
    }

    pub(crate) fn count(&self, table: &Table) -> Result<u64, StoreError> {
        let statement = format!("SELECT count(*) FROM {}", rows_of(table));
        Ok(unsigned(self.explained(self.connection.query_row(&statement, [], |row| row.get(0)))?))
    }

    pub(crate) async fn each_row(
        &self,
        table: &Table,
        mut each: impl AsyncFnMut(Vec<Value>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (columns, order) = (table.column_list(), table.order());
        let statement = format!("SELECT {columns} FROM {} ORDER BY {order}", rows_of(table));
        let mut statement = self.explained(self.connection.prepare(&statement))?;
        let mut rows = self.explained(statement.query([]))?;
        while let Some(row) = self.explained(rows.next())? {
            let values = (0..table.columns.len()).map(|at| self.explained(row.get_ref(at))?.try_into());
            each(values.collect::<Result<_, _>>()?).await?;
        }
        Ok(())
    }

    pub(crate) fn last_number(&self, table: &Table) -> Result<i64, StoreError> {
        self.explained(self.connection.query_row(LAST_NUMBER, [table.name], |row| row.get(0)))
    }

    pub(crate) fn number_on(&self, table: &Table, last: i64) -> Result<(), StoreError> {
        self.explained(self.connection.execute(DROP_NUMBER, [table.name]))?;
        self.explained(self.connection.execute(SET_NUMBER, (table.name, last)))?;
        Ok(())
    }

    pub(crate) fn writer(&self, table: &Table) -> Result<CopyWriter<'_>, StoreError> {
        if table.name == KEY_REVISION {
            self.explained(self.connection.execute(DROP_REVISION, []))?;
        }
        let places = vec!["?"; table.columns.len()].join(", ");
        let statement = match table.name {
            KEY_USES => SET_USE_OF_KEY.to_owned(),
            name => format!("INSERT INTO {name} ({}) VALUES ({places})", table.column_list()),
        };
        let statement = self.explained(self.connection.prepare_cached(&statement))?;
        Ok(CopyWriter { statement, side: self })
    }

    /// Commits the rows and empties the write-ahead log.
    pub(crate) fn commit(self) -> Result<(), StoreError> {
        self.explained(self.connection.execute_batch("COMMIT"))?;
        checkpoint::before_closing(&self.connection);
        Ok(())
    }
}

/// Returns the table or the subquery from which the rows of a table are read.
fn rows_of(table: &Table) -> &'static str {
    if table.name == KEY_USES { USES_OF_KEYS } else { table.name }
}

/// Statement that writes a row.
pub(crate) struct CopyWriter<'a> {
    statement: CachedStatement<'a>,
    side: &'a CopySide,
}

impl CopyWriter<'_> {
    pub(crate) fn write(&mut self, row: &[Value]) -> Result<(), StoreError> {
        self.side.explained(self.statement.execute(params_from_iter(row)))?;
        Ok(())
    }
}
