//! Tests with a pooler in transaction mode.

use std::time::Duration;

use shruti_store::{Actor, KeySpec, KeyStore, PostgresAddress, PostgresStore, StoreError};
use shruti_testkit::PooledDatabase;

use super::store_at;
use crate::suite::{NOON, operator_key};

#[tokio::test(flavor = "multi_thread")]
async fn changes_arrive_on_the_direct_address() {
    let Some(database) = PooledDatabase::create().await else { return };
    let address: PostgresAddress = database.url().parse().unwrap();
    let direct: PostgresAddress = (*database).url().parse().unwrap();
    let store = PostgresStore::open(&address.with_direct(direct)).await.unwrap();
    let other = store_at(&database.url()).await;
    let wait_for_change = || async {
        let waited = tokio::time::timeout(Duration::from_mins(1), store.wait_for_key_change()).await;
        waited.expect("no notification arrived");
    };
    // the first notification shows that the store is listening
    wait_for_change().await;
    let key = operator_key(&other, KeySpec::named("a"), NOON).await.record.prefix;
    wait_for_change().await;
    other.revoke_key(Actor::Operator, key, NOON).await.unwrap();
    wait_for_change().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undeclared_pooler_is_reported() {
    let Some(database) = PooledDatabase::create().await else { return };
    let url = database.url().replace("?pooler=transaction", "");
    let error = PostgresStore::open(&url.parse().unwrap()).await.unwrap_err();
    assert!(matches!(error, StoreError::Away(_)), "{error}");
    assert!(error.to_string().contains("add pooler=transaction"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_needs_a_direct_connection() {
    let Some(database) = PooledDatabase::create().await else { return };
    let address: PostgresAddress = database.url().parse().unwrap();
    let error = PostgresStore::programs_connected(&address).await.unwrap_err();
    assert!(matches!(error, StoreError::Pooled), "{error}");
    let address = address.with_direct((*database).url().parse().unwrap());
    PostgresStore::programs_connected(&address).await.unwrap();
}
