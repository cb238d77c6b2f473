//! Key cache, on every store.

use std::time::Duration;

use super::{NOON, TestDatabase, email, key_of, operator_key, sign_up};
use shruti_clock::Moment;
use shruti_store::{AccessLock, Actor, KeyCache, KeyCheck, KeyPrefix, KeySpec};

/// Returns the moment that is `milliseconds` milliseconds after noon.
fn at(milliseconds: u32) -> Moment {
    Moment { monotonic: Duration::from_millis(milliseconds.into()), wall_ms: NOON + i64::from(milliseconds) }
}

super::on_every_store!(
    the_cache_checks_every_kind_of_key,
    a_change_takes_effect_at_the_next_refresh,
    without_refresh_cached_keys_expire,
    a_key_in_use_needs_no_round_trip,
    the_cache_distinguishes_locked_accounts_and_revoked_keys,
    the_cache_checks_keys_by_name_and_caches_origins,
);

async fn the_cache_checks_every_kind_of_key(database: &impl TestDatabase) {
    let store = database.open().await;
    let valid = operator_key(&*store, KeySpec::named("a"), 1).await;
    let short_lived = KeySpec { expires_ms: Some(at(10).wall_ms), ..KeySpec::named("b") };
    let expiring = operator_key(&*store, short_lived, 1).await;
    let revoked = operator_key(&*store, KeySpec::named("c"), 1).await;
    store.revoke_key(Actor::Operator, revoked.record.prefix.clone(), 2).await.unwrap();
    let mut forged = valid.secret.reveal().to_owned();
    let last = if forged.pop() == Some('a') { 'b' } else { 'a' };
    forged.push(last);

    let cache = KeyCache::new(store.clone());
    cache.refresh(|| at(0)).await.unwrap();
    for round in ["from the store", "from memory"] {
        let check = async |key: &str, now| cache.check(key, now).await.unwrap();
        let is_valid = check(valid.secret.reveal(), at(1)).await;
        assert!(matches!(is_valid, KeyCheck::Valid(record) if record.name == "a"), "{round}");
        assert!(matches!(check(expiring.secret.reveal(), at(9)).await, KeyCheck::Valid(_)), "{round}");
        assert_eq!(check(expiring.secret.reveal(), at(10)).await, KeyCheck::Expired, "{round}");
        assert_eq!(check(revoked.secret.reveal(), at(1)).await, KeyCheck::Revoked, "{round}");
        assert_eq!(check(&forged, at(1)).await, KeyCheck::Unknown, "{round}: the prefix is not sufficient");
        assert_eq!(check("sk_nothing", at(1)).await, KeyCheck::Unknown, "{round}");
    }
}

async fn a_change_takes_effect_at_the_next_refresh(database: &impl TestDatabase) {
    let store = database.open().await;
    let operator = database.open().await;
    let cache = KeyCache::new(store.clone());
    cache.refresh(|| at(0)).await.unwrap();
    let made = operator_key(&*operator, KeySpec::named("made beside a running server"), 1).await;
    let check = async |now| cache.check(made.secret.reveal(), now).await.unwrap();
    assert!(matches!(check(at(1)).await, KeyCheck::Valid(_)), "a new key works at once");

    operator.revoke_key(Actor::Operator, made.record.prefix.clone(), 2).await.unwrap();
    assert!(matches!(check(at(499)).await, KeyCheck::Valid(_)), "judged from memory");
    cache.refresh(|| at(500)).await.unwrap();
    assert_eq!(check(at(501)).await, KeyCheck::Revoked);
}

async fn without_refresh_cached_keys_expire(database: &impl TestDatabase) {
    let store = database.open().await;
    let cache = KeyCache::new(store.clone());
    cache.refresh(|| at(0)).await.unwrap();
    let made = operator_key(&*store, KeySpec::named("a"), 1).await;
    let check = async |now| cache.check(made.secret.reveal(), now).await.unwrap();
    assert!(matches!(check(at(1)).await, KeyCheck::Valid(_)));
    store.revoke_key(Actor::Operator, made.record.prefix.clone(), 2).await.unwrap();
    assert_eq!(check(at(1_500)).await, KeyCheck::Revoked);
}

async fn a_key_in_use_needs_no_round_trip(database: &impl TestDatabase) {
    let store = database.open().await;
    let made = operator_key(&*store, KeySpec::named("a"), 1).await;
    let cache = KeyCache::new(store.clone());
    cache.refresh(|| at(0)).await.unwrap();
    cache.check(made.secret.reveal(), at(1)).await.unwrap();
    // a check that is ready at its first poll has not called the store
    let mut check = std::pin::pin!(cache.check(made.secret.reveal(), at(2)));
    let polled = std::future::poll_fn(|context| std::task::Poll::Ready(check.as_mut().poll(context))).await;
    assert!(matches!(polled, std::task::Poll::Ready(Ok(KeyCheck::Valid(_)))));
}

async fn the_cache_distinguishes_locked_accounts_and_revoked_keys(database: &impl TestDatabase) {
    let store = database.open().await;
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let key = key_of(&*store, &account, KeySpec::named("a"), NOON).await;
    let gone = key_of(&*store, &account, KeySpec::named("b"), NOON).await;
    store.revoke_key(Actor::Account(account.id.clone()), gone.record.prefix.clone(), NOON).await.unwrap();
    let cache = KeyCache::new(store.clone());
    cache.refresh(|| at(0)).await.unwrap();
    let check = async |key: &str, ms| cache.check(key, at(ms)).await.unwrap();
    assert_eq!(check(key.secret.reveal(), 1).await, KeyCheck::Locked(AccessLock::NoPromoCode));
    assert_eq!(check(gone.secret.reveal(), 1).await, KeyCheck::Revoked);

    let operator = database.open().await;
    operator.unlock_account(Actor::Operator, email("asha@example.org"), Some(10), NOON).await.unwrap();
    cache.refresh(|| at(500)).await.unwrap();
    let valid = check(key.secret.reveal(), 501).await;
    assert!(matches!(&valid, KeyCheck::Valid(record) if record.is_metered), "{valid:?}");
    operator.lock_account(Actor::Operator, email("asha@example.org"), NOON).await.unwrap();
    cache.refresh(|| at(1_000)).await.unwrap();
    assert_eq!(check(key.secret.reveal(), 1_001).await, KeyCheck::Locked(AccessLock::ByOperator));
    assert_eq!(cache.check_again(&gone.record.prefix, at(1_001)).await.unwrap(), KeyCheck::Revoked);
    let unknown = KeyPrefix::parse("sk_zzzzzzzz").unwrap();
    assert_eq!(cache.check_again(&unknown, at(1_001)).await.unwrap(), KeyCheck::Unknown);
}

async fn the_cache_checks_keys_by_name_and_caches_origins(database: &impl TestDatabase) {
    let store = database.open().await;
    let spec = KeySpec {
        origins: vec!["https://a.example".parse().unwrap()],
        expires_ms: Some(at(10_000).wall_ms),
        ..KeySpec::named("a")
    };
    let key = operator_key(&*store, spec, 1).await.record;
    let cache = KeyCache::new(store.clone());
    cache.refresh(|| at(0)).await.unwrap();
    let check = async |now| cache.check_again(&key.prefix, now).await.unwrap();
    assert!(matches!(check(at(1)).await, KeyCheck::Valid(found) if *found == key));
    assert_eq!(check(at(10_000)).await, KeyCheck::Expired);
    let unknown = KeyPrefix::parse("sk_zzzzzzzz").unwrap();
    assert_eq!(cache.check_again(&unknown, at(1)).await.unwrap(), KeyCheck::Unknown);

    let allowed = async |now| cache.is_origin_allowed(&key.origins[0], now).await.unwrap();
    assert!(allowed(at(1)).await);
    store.revoke_key(Actor::Operator, key.prefix.clone(), 2).await.unwrap();
    assert!(allowed(at(1_500)).await, "from memory");
    assert!(!allowed(at(1_501)).await);
    cache.refresh(|| at(1_502)).await.unwrap();
    assert_eq!(check(at(1_503)).await, KeyCheck::Revoked);
}
