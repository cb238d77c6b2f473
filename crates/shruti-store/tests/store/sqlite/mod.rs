//! What is so of SQLite alone: its files, its locks, its faults, its older versions.

#[cfg(unix)]
mod crash;
#[cfg(unix)]
mod disk;
mod inspection;
mod migrations;

use std::path::PathBuf;
use std::sync::Arc;

use shruti_store::{SqliteStore, Store};

use crate::suite::TestDatabase;

/// A data folder.
pub(crate) struct SqliteDatabase(tempfile::TempDir);

impl SqliteDatabase {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("data")
    }

    fn open(&self) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(&self.folder()).unwrap())
    }

    fn holds(&self, needle: &str) -> bool {
        let files = std::fs::read_dir(self.folder()).unwrap();
        let mut contents = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
        contents.any(|bytes| bytes.windows(needle.len()).any(|window| window == needle.as_bytes()))
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
}
