//! Tests of PostgreSQL only: address, migrations, unavailability.

mod away;
mod migrations;
mod pooled;

use std::collections::BTreeMap;
use std::sync::Arc;

use shruti_store::{PostgresAddress, PostgresStore, Store};
use shruti_testkit::{PooledDatabase, PostgresDatabase};

use crate::suite::TestDatabase;

/// Opens the store at an address.
pub(crate) async fn store_at(url: &str) -> PostgresStore {
    let address: PostgresAddress = url.parse().unwrap();
    PostgresStore::open(&address).await.unwrap()
}

impl TestDatabase for PostgresDatabase {
    async fn create() -> Option<Self> {
        Self::create().await
    }

    async fn open(&self) -> Arc<dyn Store> {
        store_at(&self.url()).await.shared()
    }

    async fn holds(&self, needle: &str) -> bool {
        self.holds(needle).await
    }

    async fn rows(&self, table: &str) -> u64 {
        self.rows(table).await
    }

    async fn contents(&self) -> BTreeMap<String, Vec<String>> {
        let client = self.client().await;
        let names = "SELECT table_name::TEXT FROM information_schema.tables WHERE table_schema = 'public'";
        let mut contents = BTreeMap::new();
        for name in client.query(names, &[]).await.unwrap() {
            let name: String = name.get(0);
            let rows = client.query(&format!("SELECT t::TEXT FROM {name} t"), &[]).await.unwrap();
            contents.insert(name, rows.iter().map(|row| row.get(0)).collect());
        }
        contents
    }
}

impl TestDatabase for PooledDatabase {
    async fn create() -> Option<Self> {
        Self::create().await
    }

    async fn open(&self) -> Arc<dyn Store> {
        store_at(&self.url()).await.shared()
    }

    async fn holds(&self, needle: &str) -> bool {
        PostgresDatabase::holds(self, needle).await
    }

    async fn rows(&self, table: &str) -> u64 {
        PostgresDatabase::rows(self, table).await
    }

    async fn contents(&self) -> BTreeMap<String, Vec<String>> {
        <PostgresDatabase as TestDatabase>::contents(self).await
    }
}
