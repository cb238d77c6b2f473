//! PostgreSQL database as the source or the target of a [copy](crate::copy()).

use std::pin::{Pin, pin};
use std::time::Duration;

use deadpool_postgres::ClientWrapper;
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, TryStreamExt};
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::types::Type;

use super::connections::config_of;
use super::{PostgresAddress, PostgresStore, migrations, tls};
use crate::count::unsigned;
use crate::error::StoreError;
use crate::tables::{KEY_REVISION, TABLES, Table};
use crate::value::Value;

/// Statement that begins a read transaction on one snapshot of the database.
const BEGIN_READING: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
/// Statements that disable the timeouts for idle transactions and for statements, because the pace of a copy depends on
/// the other store.
const TAKE_TIME: &str = "SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0";
/// Query for the names of the other programs that are connected to the database.
const PROGRAMS: &str = "SELECT coalesce(nullif(application_name, ''), 'unnamed') FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
/// Maximum time without a response from the database before the connection is considered lost.
const PATIENCE: Duration = Duration::from_mins(5);

impl PostgresStore {
    /// Returns the names of the programs that are connected to the database at an address, one per connection. Servers
    /// have the name `shruti` unless their address sets another name.
    pub fn programs_connected(address: &PostgresAddress) -> BoxFuture<'_, Result<Vec<String>, StoreError>> {
        async move {
            let found = CopySide::open(address).await?.client.query(PROGRAMS, &[]).await?;
            found.iter().map(|row| Ok(row.try_get(0)?)).collect()
        }
        .boxed()
    }
}

/// Connection whose statements run in one transaction.
pub(crate) struct CopySide {
    /// Connection. Dropping it closes the connection, which rolls back the transaction.
    client: ClientWrapper,
}

impl CopySide {
    pub(crate) async fn open(address: &PostgresAddress) -> Result<Self, StoreError> {
        let address = address.session().ok_or(StoreError::Pooled)?;
        let mut config = config_of(address);
        config.application_name("shruti store copy");
        config.tcp_user_timeout(PATIENCE);
        let (client, connection) = config.connect(tls::connector(address)?).await?;
        let connection = tokio::spawn(async move {
            // the error is ignored here, because the failing call returns it too
            let _ = connection.await;
        });
        Ok(Self { client: ClientWrapper::new(client, connection) })
    }

    /// Begins a read transaction. Returns the schema version of the tables, and the newest schema version that this
    /// program supports.
    pub(crate) async fn begin_reading(&self) -> Result<(i64, i64), StoreError> {
        self.client.batch_execute(&format!("{BEGIN_READING}; {TAKE_TIME}")).await?;
        Ok((migrations::taken(&self.client).await?, migrations::known()))
    }

    pub(crate) async fn begin_writing(&self) -> Result<(), StoreError> {
        let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        let lock = format!("LOCK TABLE {} IN EXCLUSIVE MODE", names.join(", "));
        Ok(self.client.batch_execute(&format!("BEGIN; {TAKE_TIME}; {lock}")).await?)
    }

    pub(crate) async fn count(&self, table: &Table) -> Result<u64, StoreError> {
        let row = self.client.query_one(&format!("SELECT count(*) FROM {}", table.name), &[]).await?;
        Ok(unsigned(row.try_get(0)?))
    }

    pub(crate) async fn each_row(
        &self,
        table: &Table,
        mut each: impl AsyncFnMut(Vec<Value>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (columns, order) = (table.column_list(), table.order());
        let statement = format!("SELECT {columns} FROM {} ORDER BY {order}", table.name);
        // the rows are streamed, not collected in memory
        let mut rows = pin!(self.client.query_raw(&statement, [""; 0]).await?);
        while let Some(row) = rows.try_next().await? {
            let values = (0..table.columns.len()).map(|at| row.try_get(at));
            each(values.collect::<Result<_, _>>()?).await?;
        }
        Ok(())
    }

    pub(crate) async fn last_number(&self, table: &Table) -> Result<i64, StoreError> {
        let sequence: String = self
            .client
            .query_one("SELECT pg_get_serial_sequence($1, 'id')", &[&table.name])
            .await?
            .try_get(0)?;
        let last =
            format!("SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM {sequence}");
        Ok(self.client.query_one(&last, &[]).await?.try_get(0)?)
    }

    pub(crate) async fn number_on(&self, table: &Table, last: i64) -> Result<(), StoreError> {
        // unlike `setval`, this statement is rolled back with the transaction
        let next = last.saturating_add(1);
        let restart = format!("ALTER TABLE {} ALTER COLUMN id RESTART WITH {next}", table.name);
        Ok(self.client.batch_execute(&restart).await?)
    }

    pub(crate) async fn writer(&self, table: &Table) -> Result<CopyWriter, StoreError> {
        if table.name == KEY_REVISION {
            // the initial row of a new store is replaced with the row of the source
            self.client.batch_execute("DELETE FROM key_revision").await?;
        }
        let (name, columns) = (table.name, table.column_list());
        let types = self.client.prepare(&format!("SELECT {columns} FROM {name}")).await?;
        let types: Vec<Type> = types.columns().iter().map(|column| column.type_().clone()).collect();
        let sink =
            self.client.copy_in(&format!("COPY {name} ({columns}) FROM STDIN (FORMAT BINARY)")).await?;
        Ok(CopyWriter { rows: Box::pin(BinaryCopyInWriter::new(sink, &types)), table: table.name })
    }

    /// Commits the rows.
    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        // collect statistics, so that even the first statements have good query plans
        let names: Vec<&str> = TABLES.iter().map(|table| table.name).collect();
        self.client.batch_execute(&format!("ANALYZE {}", names.join(", "))).await?;
        Ok(self.client.batch_execute("COMMIT").await?)
    }
}

/// Writer of rows.
pub(crate) struct CopyWriter {
    rows: Pin<Box<BinaryCopyInWriter>>,
    table: &'static str,
}

impl CopyWriter {
    pub(crate) async fn write(&mut self, row: &[Value]) -> Result<(), StoreError> {
        let written = self.rows.as_mut().write_raw(row).await;
        written.map_err(|error| refused(self.table, error))
    }

    pub(crate) async fn finish(mut self) -> Result<(), StoreError> {
        let finished = self.rows.as_mut().finish().await;
        finished.map(drop).map_err(|error| refused(self.table, error))
    }
}

/// Converts the error for a row that the database rejects. The details of the error are omitted, because they quote the
/// row, which may contain password hashes.
fn refused(table: &str, error: tokio_postgres::Error) -> StoreError {
    match error.as_db_error() {
        Some(told) => {
            StoreError::Unreadable(format!("a row of {table} that PostgreSQL rejects: {}", told.message()))
        }
        None => error.into(),
    }
}
