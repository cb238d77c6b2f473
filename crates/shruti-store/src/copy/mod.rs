//! All that a store holds, copied into an empty one: from SQLite to PostgreSQL, and back.
//!
//! The source is read as it is at one moment, whoever writes to it meanwhile, and is not changed. The target is written in
//! one transaction, which is kept only if what is read back from it is what was read from the source: as many rows in
//! each [table](tables), with the same hash, and the same numbers for the rows that come next. Rows pass one by one, so
//! the size of a store does not matter.

mod tables;
mod value;

use std::fmt;
use std::path::PathBuf;

pub(crate) use self::tables::{KEY_REVISION, KEY_USES, TABLES, Table};
pub use self::value::Tally;
pub(crate) use self::value::Value;

use self::value::Counter;
use crate::error::StoreError;
use crate::postgres::{self, PostgresAddress, PostgresStore};
use crate::sqlite::{self, SqliteStore};

/// Where a store is.
#[derive(Clone, Debug)]
pub enum StorePlace {
    /// In the SQLite file of a data folder.
    Folder(PathBuf),
    /// In a PostgreSQL database.
    Database(Box<PostgresAddress>),
}

impl fmt::Display for StorePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => path.display().fmt(f),
            // without its password
            Self::Database(address) => address.fmt(f),
        }
    }
}

/// What became of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableCopy {
    /// Its name.
    pub table: &'static str,
    /// What was read from the source.
    pub source: Tally,
    /// What was read back from the target.
    pub target: Tally,
}

/// Why nothing was copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// There is nothing to copy.
    #[error("there is no store in {0}")]
    NoStore(String),
    /// One of them has the tables of an older version, and a copy changes none.
    #[error(
        "the store in {place} has schema {found}, this version knows {known}; `shruti store migrate` brings it up to date"
    )]
    OlderSchema {
        /// Which.
        place: String,
        /// Its schema.
        found: i64,
        /// The newest known here.
        known: i64,
    },
    /// Something is in the target, which would be mixed with what is copied.
    #[error("{place} is not empty: it holds {holds}; name a new folder, or an empty database")]
    NotEmpty {
        /// The target.
        place: String,
        /// Its tables that have rows, and how many.
        holds: String,
    },
    /// What was read back is not what was copied. The target was left empty.
    #[error("what was read back differs in: {}; nothing was copied", differing(.0))]
    Differs(Vec<TableCopy>),
    /// One of the stores failed; nothing was copied.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn differing(tables: &[TableCopy]) -> String {
    let names: Vec<&str> =
        tables.iter().filter(|copy| copy.source != copy.target).map(|copy| copy.table).collect();
    names.join(", ")
}

/// Copies the store of one place into another, which is made where it is missing and must be empty. See
/// [the module](self).
///
/// SQLite is read and written on the calling thread: call it where blocking is allowed.
pub async fn copy(from: &StorePlace, to: &StorePlace) -> Result<Vec<TableCopy>, CopyError> {
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
    // a table whose rows were not all given is known by their number
    for (table, copy) in TABLES.iter().zip(&mut copied) {
        copy.source.rows = source.count(table).await?;
    }
    if copied.iter().any(|copy| copy.source != copy.target) {
        return Err(CopyError::Differs(copied));
    }
    target.commit().await?;
    Ok(copied)
}

/// Fails where there are tables of another version: they are of a store that others may use.
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

/// Copies the rows of a table, and tells what was read.
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

/// What is in a table.
async fn tally(side: &Side, table: &Table) -> Result<Tally, StoreError> {
    let mut counter = Counter::default();
    side.each_row(table, async |row| {
        counter.add(&row);
        Ok(())
    })
    .await?;
    Ok(counter.finish(side.last_number(table).await?))
}

/// One end of a copy. Dropped before [`commit`](Side::commit), it leaves nothing behind.
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

    /// Holds what is there now, and fails unless it is a store of this version.
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

    /// Keeps others from writing.
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

    /// Gives the rows of a table in the order of its key.
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

    /// The last number that a table gave to a row; `None` where it numbers none.
    async fn last_number(&self, table: &Table) -> Result<Option<i64>, StoreError> {
        if !table.is_numbered {
            return Ok(None);
        }
        Ok(Some(match self {
            Self::Sqlite(side) => side.last_number(table)?,
            Self::Postgres(side) => side.last_number(table).await?,
        }))
    }

    /// Has the next row numbered after this.
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

/// What writes the rows of a table.
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
