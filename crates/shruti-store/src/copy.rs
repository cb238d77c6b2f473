//! Copy of a whole store into an empty one: from SQLite to PostgreSQL, or vice versa.
//!
//! The source is not changed. It is read as one snapshot, even if other processes write to it meanwhile. The target is
//! written in one transaction. The transaction is committed only if the rows that are read back from the target equal
//! the rows of the source: each [table](crate::tables) has the same number of rows, the same hash and the same next row
//! number. Rows are copied one at a time, so the memory use does not depend on the size of the store.

use std::fmt;
use std::path::PathBuf;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use crate::error::StoreError;
use crate::postgres::{self, PostgresAddress, PostgresStore};
use crate::sqlite::{self, SqliteStore};
use crate::tables::{KEY_REVISION, TABLES, Table};
use crate::value::{Counter, Tally, Value};

/// Location of a store.
#[derive(Clone, Debug)]
pub enum StorePlace {
    /// SQLite file in a data folder.
    Folder(PathBuf),
    /// PostgreSQL database.
    Database(Box<PostgresAddress>),
}

impl fmt::Display for StorePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => path.display().fmt(f),
            // `PostgresAddress` is displayed without its password
            Self::Database(address) => address.fmt(f),
        }
    }
}

/// Result of the copy of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableCopy {
    /// Name of the table.
    pub table: &'static str,
    /// Tally of the rows read from the source.
    pub source: Tally,
    /// Tally of the rows read back from the target.
    pub target: Tally,
}

/// Error of a copy. Nothing was copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The source does not exist.
    #[error("there is no store in {0}")]
    NoStore(String),
    /// A store has the tables of an older version. Copying does not migrate them.
    #[error(
        "the store in {place} has schema {found}, this version supports {known}; `shruti store migrate` upgrades it"
    )]
    OlderSchema {
        /// Location of the store.
        place: String,
        /// Schema version of the store.
        found: i64,
        /// Newest schema version that this program supports.
        known: i64,
    },
    /// The target already contains rows, which would be mixed with the copied ones.
    #[error("{place} is not empty: it contains {holds}; use a new folder or an empty database")]
    NotEmpty {
        /// Location of the target.
        place: String,
        /// Tables of the target that have rows, with the number of rows.
        holds: String,
    },
    /// The rows that were read back differ from the source. The target was left empty.
    #[error("the data that was read back differs in: {}; nothing was copied", differing(.0))]
    Differs(Vec<TableCopy>),
    /// One of the stores failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn differing(tables: &[TableCopy]) -> String {
    let names: Vec<&str> =
        tables.iter().filter(|copy| copy.source != copy.target).map(|copy| copy.table).collect();
    names.join(", ")
}

/// Copies a store into an empty store, and creates the target if it is missing. See [the module](self).
///
/// SQLite is read and written on the calling thread, so call this function where blocking is allowed.
pub fn copy<'a>(
    from: &'a StorePlace,
    to: &'a StorePlace,
) -> LocalBoxFuture<'a, Result<Vec<TableCopy>, CopyError>> {
    copy_all(from, to).boxed_local()
}

async fn copy_all(from: &StorePlace, to: &StorePlace) -> Result<Vec<TableCopy>, CopyError> {
    let source = Side::open(from).await?;
    source.begin_reading(from).await?;
    must_be_of_this_version(to).await?;
    make_tables(to).await?;
    let target = Side::open(to).await?;
    target.begin_writing().await?;
    target.must_be_empty(to).await?;
    let mut copied = Vec::new();
    for table in TABLES {
        let read = copy_table(&source, &target, table).await?;
        copied.push(TableCopy { table: table.name, source: read, target: tally(&target, table).await? });
    }
    // count the source rows again, to detect tables that were not read completely
    for (table, copy) in TABLES.iter().zip(&mut copied) {
        copy.source.rows = source.count(table).await?;
    }
    if copied.iter().any(|copy| copy.source != copy.target) {
        return Err(CopyError::Differs(copied));
    }
    target.commit().await?;
    Ok(copied)
}

/// Fails if the store at a location has another schema version. Its tables are not migrated, because other servers may
/// use that store.
async fn must_be_of_this_version(place: &StorePlace) -> Result<(), CopyError> {
    let found = match Side::open(place).await {
        Ok(side) => side.begin_reading(place).await,
        Err(error) => Err(error),
    };
    match found {
        Err(CopyError::NoStore(_)) => Ok(()),
        found => found,
    }
}

async fn make_tables(place: &StorePlace) -> Result<(), StoreError> {
    match place {
        StorePlace::Folder(path) => drop(SqliteStore::open(path)?),
        StorePlace::Database(address) => drop(PostgresStore::open(address).await?),
    }
    Ok(())
}

/// Copies the rows of a table and returns their tally.
async fn copy_table(source: &Side, target: &Side, table: &Table) -> Result<Tally, StoreError> {
    let mut counter = Counter::default();
    let mut writer = target.writer(table).await?;
    source
        .each_row(table, async |row| {
            counter.add(&row);
            writer.write(&row).await
        })
        .await?;
    writer.finish().await?;
    let last = source.last_number(table).await?;
    if let Some(last) = last {
        target.number_on(table, last).await?;
    }
    Ok(counter.finish(last))
}

/// Reads the rows of a table and returns their tally.
async fn tally(side: &Side, table: &Table) -> Result<Tally, StoreError> {
    let mut counter = Counter::default();
    side.each_row(table, async |row| {
        counter.add(&row);
        Ok(())
    })
    .await?;
    Ok(counter.finish(side.last_number(table).await?))
}

/// Source or target of a copy. Dropping it before [`commit`](Side::commit) rolls back its transaction.
enum Side {
    Sqlite(sqlite::CopySide),
    Postgres(postgres::CopySide),
}

impl Side {
    async fn open(place: &StorePlace) -> Result<Self, CopyError> {
        Ok(match place {
            StorePlace::Folder(path) if !SqliteStore::is_in(path) => {
                return Err(CopyError::NoStore(place.to_string()));
            }
            StorePlace::Folder(path) => Self::Sqlite(sqlite::CopySide::open(path)?),
            StorePlace::Database(address) => Self::Postgres(postgres::CopySide::open(address).await?),
        })
    }

    /// Begins a read transaction on a snapshot. Fails unless the location contains a store of this schema version.
    async fn begin_reading(&self, place: &StorePlace) -> Result<(), CopyError> {
        let (found, known) = match self {
            Self::Sqlite(side) => side.begin_reading()?,
            Self::Postgres(side) => side.begin_reading().await?,
        };
        match found {
            0 => Err(CopyError::NoStore(place.to_string())),
            _ if found < known => Err(CopyError::OlderSchema { place: place.to_string(), found, known }),
            _ if found > known => Err(StoreError::NewerSchema { found, known }.into()),
            _ => Ok(()),
        }
    }

    /// Begins a write transaction, which blocks other writers.
    async fn begin_writing(&self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(side) => side.begin_writing(),
            Self::Postgres(side) => side.begin_writing().await,
        }
    }

    async fn must_be_empty(&self, place: &StorePlace) -> Result<(), CopyError> {
        let mut holds = Vec::new();
        for table in TABLES.iter().filter(|table| table.name != KEY_REVISION) {
            let rows = self.count(table).await?;
            if rows > 0 {
                holds.push(format!("{} {rows}", table.name));
            }
        }
        if holds.is_empty() {
            return Ok(());
        }
        Err(CopyError::NotEmpty { place: place.to_string(), holds: holds.join(", ") })
    }

    async fn count(&self, table: &Table) -> Result<u64, StoreError> {
        match self {
            Self::Sqlite(side) => side.count(table),
            Self::Postgres(side) => side.count(table).await,
        }
    }

    /// Passes the rows of a table to `each`, sorted by their key.
    async fn each_row(
        &self,
        table: &Table,
        each: impl AsyncFnMut(Vec<Value>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(side) => side.each_row(table, each).await,
            Self::Postgres(side) => side.each_row(table, each).await,
        }
    }

    /// Returns the last number that a table has assigned to a row, or `None` if the table does not number its rows.
    async fn last_number(&self, table: &Table) -> Result<Option<i64>, StoreError> {
        if !table.is_numbered {
            return Ok(None);
        }
        Ok(Some(match self {
            Self::Sqlite(side) => side.last_number(table)?,
            Self::Postgres(side) => side.last_number(table).await?,
        }))
    }

    /// Sets the last row number of a table, so that the next row gets the following number.
    async fn number_on(&self, table: &Table, last: i64) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(side) => side.number_on(table, last),
            Self::Postgres(side) => side.number_on(table, last).await,
        }
    }

    async fn writer(&self, table: &Table) -> Result<Writer<'_>, StoreError> {
        Ok(match self {
            Self::Sqlite(side) => Writer::Sqlite(side.writer(table)?),
            Self::Postgres(side) => Writer::Postgres(side.writer(table).await?),
        })
    }

    async fn commit(self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(side) => side.commit(),
            Self::Postgres(side) => side.commit().await,
        }
    }
}

/// Writer of the rows of a table.
enum Writer<'a> {
    Sqlite(sqlite::CopyWriter<'a>),
    Postgres(postgres::CopyWriter),
}

impl Writer<'_> {
    async fn write(&mut self, row: &[Value]) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(writer) => writer.write(row),
            Self::Postgres(writer) => writer.write(row).await,
        }
    }

    async fn finish(self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(writer) => writer.finish().await,
        }
    }
}
