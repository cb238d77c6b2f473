//! What callers see while the database is away, and that all is as before when it is back.

use std::time::Duration;

use shruti_store::{Actor, KeySpec, KeyStore, StoreError};
use shruti_testkit::{Passage, PostgresDatabase, Proxy};

use super::store_at;
use crate::suite::{NOON, operator_key};

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_away_is_told_and_its_return_needs_no_new_store() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let proxy = Proxy::before(database.address()).await;
    let store = store_at(&database.url_at(proxy.address())).await;
    let key = operator_key(&store, KeySpec::named("a"), NOON).await.record;
    proxy.set(Passage::Closed);
    for _ in 0..20 {
        let error = store.find_key(key.prefix.clone()).await.unwrap_err();
        assert!(matches!(error, StoreError::Away(_)), "{error}");
    }
    proxy.set(Passage::Open);
    assert_eq!(store.find_key(key.prefix.clone()).await.unwrap(), Some(key));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_by_another_server_is_heard_of_and_so_is_one_during_a_lost_connection() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let proxy = Proxy::before(database.address()).await;
    let store = store_at(&database.url_at(proxy.address())).await;
    let other = store_at(&database.url()).await;
    let heard = || async {
        let waited = tokio::time::timeout(Duration::from_mins(1), store.wait_for_key_change()).await;
        waited.expect("nothing is heard");
    };
    // it begins to listen
    heard().await;
    let key = operator_key(&other, KeySpec::named("a"), NOON).await.record.prefix;
    heard().await;
    proxy.set(Passage::Closed);
    other.revoke_key(Actor::Operator, key, NOON).await.unwrap();
    proxy.set(Passage::Open);
    heard().await;
}
