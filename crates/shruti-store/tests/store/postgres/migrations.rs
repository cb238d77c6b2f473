//! Migrations of empty, older and newer databases.

use shruti_store::{KeySpec, KeyStore, PostgresAddress, PostgresStore, StoreError};
use shruti_testkit::PostgresDatabase;

use super::store_at;
use crate::suite::{NOON, operator_key};

#[tokio::test(flavor = "multi_thread")]
async fn of_servers_that_start_together_only_one_creates_the_tables() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let mut starts = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let url = database.url();
        starts.spawn(async move { store_at(&url).await.ensure_first_key(NOON).await.unwrap().is_some() });
    }
    let first_keys = starts.join_all().await.into_iter().filter(|made| *made).count();
    assert_eq!(first_keys, 1, "and one of them creates the first key");
    assert_eq!(database.rows("keys").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_database_is_rejected_and_unchanged() {
    let Some(database) = PostgresDatabase::create().await else { return };
    drop(store_at(&database.url()).await);
    database.client().await.batch_execute("UPDATE shruti_schema SET version = 1000").await.unwrap();
    let address: PostgresAddress = database.url().parse().unwrap();
    for error in [
        PostgresStore::open(&address).await.unwrap_err(),
        PostgresStore::inspect(&address, NOON).await.unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::NewerSchema { found: 1_000, .. }), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inspection_creates_nothing_and_reports_the_content() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let address: PostgresAddress = database.url().parse().unwrap();
    let empty = PostgresStore::inspect(&address, NOON).await.unwrap();
    assert_eq!((empty.schema, empty.usable_keys, empty.newest_entry_ms), (0, 0, None));
    let store = store_at(&database.url()).await;
    operator_key(&store, KeySpec::named("a"), NOON).await;
    operator_key(&store, KeySpec { expires_ms: Some(NOON), ..KeySpec::named("b") }, NOON - 1).await;
    let found = PostgresStore::inspect(&address, NOON).await.unwrap();
    assert_eq!((found.schema, found.usable_keys), (found.known_schema, 1));
    assert_eq!((found.newest_entry_ms, found.is_read_only), (Some(NOON), false));
}
