//! Tests of SQLite only: files, locks, faults, older versions.

#[cfg(unix)]
mod crash;
mod deletion;
#[cfg(unix)]
mod disk;
mod inspection;
mod migrations;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use shruti_store::{SqliteStore, Store};
use shruti_testkit::contains;

use crate::suite::TestDatabase;

/// Temporary data folder of a store.
pub(crate) struct SqliteDatabase(tempfile::TempDir);

impl SqliteDatabase {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.0.path().join("data")
    }

    fn open(&self) -> Arc<dyn Store> {
        SqliteStore::open(&self.folder()).unwrap().shared()
    }

    fn holds(&self, needle: &str) -> bool {
        let files = std::fs::read_dir(self.folder()).unwrap();
        let mut contents = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
        contents.any(|bytes| contains(&bytes, needle))
    }
}

impl TestDatabase for SqliteDatabase {
    async fn create() -> Option<Self> {
        Some(Self::new())
    }

    async fn open(&self) -> Arc<dyn Store> {
        self.open()
    }

    async fn holds(&self, needle: &str) -> bool {
        self.holds(needle)
    }

    async fn rows(&self, table: &str) -> u64 {
        let file = rusqlite::Connection::open(self.folder().join("shruti.db")).unwrap();
        let count = format!("SELECT count(*) FROM {table}");
        let rows: u32 = file.query_row(&count, [], |row| row.get(0)).unwrap();
        rows.into()
    }

    async fn contents(&self) -> BTreeMap<String, Vec<String>> {
        let file = rusqlite::Connection::open(self.folder().join("shruti.db")).unwrap();
        let mut names = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
        let names = names.query_map([], |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap);
        let rows_of = |table: &String| -> Vec<String> {
            let mut statement = file.prepare(&format!("SELECT * FROM {table}")).unwrap();
            let columns = statement.column_count();
            let rows = statement.query_map([], |row| {
                let values = (0..columns).map(|column| row.get::<_, rusqlite::types::Value>(column));
                Ok(format!("{:?}", values.collect::<Result<Vec<_>, _>>()?))
            });
            rows.unwrap().map(Result::unwrap).collect()
        };
        names.map(|name| (name.clone(), rows_of(&name))).collect()
    }
}
