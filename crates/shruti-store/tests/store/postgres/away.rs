//! Errors while the database is unavailable, and recovery when it is available again.

use std::cell::Cell;
use std::time::Duration;

use shruti_clock::Moment;
use shruti_store::{
    Actor, Day, KeyCache, KeyCheck, KeySpec, KeyStore, Origin, ReportId, StoreError, Usage, UsageEntry,
    UsageOf, UsageReport, UsageStore,
};
use shruti_testkit::{Passage, PostgresDatabase, Proxy};

use super::store_at;
use crate::suite::{NOON, operator_key};

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_database_is_reported_and_reconnected() {
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
async fn changes_by_other_servers_arrive_even_after_a_lost_connection() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let proxy = Proxy::before(database.address()).await;
    let store = store_at(&database.url_at(proxy.address())).await;
    let other = store_at(&database.url()).await;
    let wait_for_change = || async {
        let waited = tokio::time::timeout(Duration::from_mins(1), store.wait_for_key_change()).await;
        waited.expect("no notification arrived");
    };
    // the first notification shows that the store is listening
    wait_for_change().await;
    let key = operator_key(&other, KeySpec::named("a"), NOON).await.record.prefix;
    wait_for_change().await;
    proxy.set(Passage::Closed);
    other.revoke_key(Actor::Operator, key, NOON).await.unwrap();
    proxy.set(Passage::Open);
    wait_for_change().await;
}

/// Returns the moment that is `seconds` seconds after noon.
fn at(seconds: u64) -> Moment {
    Moment {
        monotonic: Duration::from_secs(seconds),
        wall_ms: NOON + 1_000 * i64::try_from(seconds).unwrap(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn known_keys_and_pages_work_for_five_minutes_of_an_outage() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let proxy = Proxy::before(database.address()).await;
    let store = store_at(&database.url_at(proxy.address())).await;
    let page: Origin = "https://example.org".parse().unwrap();
    let known =
        operator_key(&store, KeySpec { origins: vec![page.clone()], ..KeySpec::named("a") }, NOON).await;
    let unknown = operator_key(&store, KeySpec::named("b"), NOON).await;
    let cache = KeyCache::new(store.shared());
    cache.refresh(|| at(0)).await.unwrap();
    let check = async |now| cache.check(known.secret.reveal(), now).await;
    assert!(matches!(check(at(0)).await, Ok(KeyCheck::Valid(_))));
    assert!(cache.is_origin_allowed(&page, at(0)).await.unwrap());
    proxy.set(Passage::Closed);
    for seconds in [10, 299] {
        assert!(matches!(cache.refresh(|| at(seconds)).await, Err(StoreError::Away(_))));
        assert!(matches!(check(at(seconds)).await, Ok(KeyCheck::Valid(_))), "{seconds}");
        assert!(cache.is_origin_allowed(&page, at(seconds)).await.unwrap(), "{seconds}");
        assert!(cache.is_trusted(at(seconds)));
        let error = cache.check(unknown.secret.reveal(), at(seconds)).await.unwrap_err();
        assert!(matches!(error, StoreError::Away(_)), "{error}");
    }
    assert!(check(at(300)).await.is_err());
    assert!(cache.is_origin_allowed(&page, at(300)).await.is_err());
    assert!(!cache.is_trusted(at(300)));
    // a request without a response is treated like a refused connection
    proxy.set(Passage::Silent);
    let lookup = async {
        tokio::select! {
            biased;
            answered = cache.refresh(|| at(299)) => panic!("{answered:?}"),
            checked = check(at(299)) => checked,
        }
    };
    assert!(matches!(lookup.await, Ok(KeyCheck::Valid(_))));
    proxy.set(Passage::Open);
    cache.refresh(|| at(301)).await.unwrap();
    assert!(matches!(check(at(301)).await, Ok(KeyCheck::Valid(_))));
    assert!(!cache.is_trusted(at(301)), "the store answers, so no cached key is needed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_answer_does_not_delay_a_known_key() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let proxy = Proxy::before(database.address()).await;
    let store = store_at(&database.url_at(proxy.address())).await;
    let known = operator_key(&store, KeySpec::named("a"), NOON).await;
    let cache = KeyCache::new(store.shared());
    cache.refresh(|| at(0)).await.unwrap();
    let check = async |now| cache.check(known.secret.reveal(), now).await;
    assert!(matches!(check(at(0)).await, Ok(KeyCheck::Valid(_))));
    proxy.set(Passage::Silent);
    let seconds = Cell::new(1);
    let answers = async {
        seconds.set(4);
        proxy.set(Passage::Open);
    };
    let (refreshed, ()) = tokio::join!(biased; cache.refresh(|| at(seconds.get())), answers);
    refreshed.unwrap();
    proxy.set(Passage::Silent);
    assert!(matches!(check(at(5)).await, Ok(KeyCheck::Valid(_))), "it is not asked for");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_with_a_lost_answer_counts_once() {
    let Some(database) = PostgresDatabase::create().await else { return };
    let proxy = Proxy::before(database.address()).await;
    let store = store_at(&database.url_at(proxy.address())).await;
    let key = operator_key(&store, KeySpec::named("a"), NOON).await.record.prefix;
    let day = Day::of(NOON);
    let entry = UsageEntry {
        key: key.clone(),
        day,
        voice: "Ananya".into(),
        language: "hi".parse().unwrap(),
        api: "clip".into(),
        amount: Usage { chars: 10, requests: 1, audio_ms: 1_000 },
    };
    let report = UsageReport { entries: vec![entry], ..UsageReport::new(ReportId::first().unwrap()) };
    proxy.set(Passage::LoseAnswerTo("COMMIT"));
    let error = store.record_usage(report.clone(), NOON).await.unwrap_err();
    assert!(matches!(error, StoreError::Away(_)), "{error}");
    let counted = async || {
        let usage = store.usage_by_day(UsageOf::Key(key.clone()), day, day).await.unwrap();
        usage.iter().map(|row| row.amount.chars).sum::<u64>()
    };
    proxy.set(Passage::Open);
    assert_eq!(counted().await, 10, "it was written without a notification");
    store.record_usage(report, NOON).await.unwrap();
    assert_eq!(counted().await, 10);
}
