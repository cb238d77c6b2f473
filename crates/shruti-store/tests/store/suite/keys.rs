//! What every store does with the keys of accounts, whatever database is behind it.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod common;

use std::time::Duration;

use common::{Database, HOUR, NOON, email, events, key_of, sign_up};
use shruti_store::{
    AccessLock, Actor, KeyCache, KeyCheck, KeyCreation, KeyLimits, KeyPrefix, KeyRecord, KeySpec, MAX_KEYS,
    Moment, Revocation, Rotation,
};

fn at(milliseconds: u32) -> Moment {
    Moment { monotonic: Duration::from_millis(milliseconds.into()), wall_ms: NOON + i64::from(milliseconds) }
}

#[tokio::test]
async fn nobody_touches_the_key_of_another() {
    let database = Database::new();
    let store = database.open();
    let (asha, ravi) =
        (sign_up(&*store, "asha@example.org", NOON).await, sign_up(&*store, "ravi@example.org", NOON).await);
    let key = key_of(&*store, &asha, KeySpec::named("a"), NOON).await.record;
    let operator_s = store.create_key(KeySpec::named("o"), NOON).await.unwrap().record;
    assert_eq!((key.account.as_ref(), operator_s.account.as_ref()), (Some(&asha.id), None));
    assert_eq!(store.list_keys_of(asha.id.clone()).await.unwrap(), std::slice::from_ref(&key));
    assert_eq!(store.list_keys_of(ravi.id.clone()).await.unwrap(), []);

    for (who, prefix) in [(&ravi, &key.prefix), (&asha, &operator_s.prefix)] {
        let by = Actor::Account(who.id.clone());
        assert_eq!(store.rename_key(by.clone(), prefix.clone(), "mine".into(), NOON).await.unwrap(), None);
        let rotated = store.rotate_key(by, prefix.clone(), 0, NOON).await.unwrap();
        assert!(matches!(rotated, Rotation::Unknown), "{rotated:?}");
        let revoked = store.revoke_key_of(who.id.clone(), prefix.clone(), NOON).await.unwrap();
        assert_eq!(revoked, Revocation::Unknown);
    }
    let rotated = store.rotate_key(Actor::Visitor, key.prefix.clone(), 0, NOON).await.unwrap();
    assert!(matches!(rotated, Rotation::Unknown), "{rotated:?}");
    assert_eq!(store.list_keys().await.unwrap().len(), 2);
    assert_eq!(store.find_key(key.prefix.clone()).await.unwrap(), Some(key.clone()));

    let by = Actor::Account(asha.id.clone());
    let renamed = store.rename_key(by, key.prefix.clone(), "website".into(), NOON).await.unwrap().unwrap();
    assert_eq!(renamed, KeyRecord { name: "website".into(), ..key.clone() });
    assert_eq!(store.find_key(key.prefix.clone()).await.unwrap(), Some(renamed));
    let revoked = store.revoke_key_of(asha.id, key.prefix.clone(), NOON + 1).await.unwrap();
    assert!(matches!(revoked, Revocation::Revoked(_)), "{revoked:?}");
    let log = events(&*store).await;
    assert_eq!(
        log[2..],
        ["key_created ok x1", "key_created ok x1", "key_renamed ok x1", "key_revoked ok x1"],
        "what was refused for want of a key is no event"
    );
    let newest = &store.audit_log(None, None, 1).await.unwrap()[0];
    assert_eq!(newest.subject.as_deref(), Some(key.prefix.as_str()));
}

#[tokio::test]
async fn a_rotated_key_works_beside_its_successor_for_a_while() {
    let database = Database::new();
    let store = database.open();
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let origins = vec!["https://a.example".parse().unwrap()];
    let spec =
        KeySpec { origins, limits: KeyLimits::OF_ACCOUNTS, monthly_cap: Some(500), ..KeySpec::named("a") };
    let old = key_of(&*store, &account, spec, NOON).await.record;
    let by = Actor::Account(account.id.clone());
    let before = store.key_revision().await.unwrap();
    let rotated = store.rotate_key(by.clone(), old.prefix.clone(), 24 * HOUR as u64, NOON).await.unwrap();
    let Rotation::Rotated { new, old: ending } = rotated else { panic!("{rotated:?}") };
    assert_eq!(*ending, KeyRecord { expires_ms: Some(NOON + 24 * HOUR), ..old.clone() });
    let expected = KeyRecord { prefix: new.secret.prefix(), hash: new.secret.hash(), ..old.clone() };
    assert_eq!(new.record, expected, "all else is the same");
    assert_eq!(store.key_changes_since(before).await.unwrap().keys.len(), 2);

    let sooner = store.rotate_key(by.clone(), old.prefix.clone(), 48 * HOUR as u64, NOON).await.unwrap();
    let Rotation::Rotated { old: ending, .. } = sooner else { panic!("{sooner:?}") };
    assert_eq!(ending.expires_ms, Some(NOON + 24 * HOUR), "an earlier end stands");
    let ended = store.rotate_key(by.clone(), old.prefix, 0, NOON + 24 * HOUR).await.unwrap();
    assert!(matches!(ended, Rotation::Ended), "{ended:?}");
    let at_once = store.rotate_key(by, new.record.prefix, 0, NOON).await.unwrap();
    let Rotation::Rotated { old: ending, .. } = at_once else { panic!("{at_once:?}") };
    assert_eq!(ending.expires_ms, Some(NOON));
}

#[tokio::test]
async fn an_account_has_so_many_keys_and_no_more() {
    let database = Database::new();
    let store = database.open();
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let mut last = None;
    for _ in 0..MAX_KEYS {
        last = Some(key_of(&*store, &account, KeySpec::named("a"), NOON).await.record.prefix);
    }
    let last = last.unwrap();
    let one_more = async || store.create_key_of(account.id.clone(), KeySpec::named("b"), NOON).await.unwrap();
    assert!(matches!(one_more().await, KeyCreation::TooMany));
    let by = Actor::Account(account.id.clone());
    let rotated = store.rotate_key(by, last.clone(), 1, NOON).await.unwrap();
    assert!(matches!(rotated, Rotation::TooMany), "{rotated:?}");
    store.revoke_key_of(account.id.clone(), last, NOON).await.unwrap();
    assert!(matches!(one_more().await, KeyCreation::Created(_)));
    store.lock_account(account.email.clone(), NOON).await.unwrap();
    assert!(matches!(one_more().await, KeyCreation::NoAccount));
}

#[tokio::test]
async fn the_cache_tells_a_locked_account_from_a_revoked_key() {
    let database = Database::new();
    let store = database.open();
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let key = key_of(&*store, &account, KeySpec::named("a"), NOON).await;
    let gone = key_of(&*store, &account, KeySpec::named("b"), NOON).await;
    store.revoke_key_of(account.id.clone(), gone.record.prefix.clone(), NOON).await.unwrap();
    let cache = KeyCache::new(store.clone());
    cache.refresh(at(0)).await.unwrap();
    let check = async |key: &str, ms| cache.check(key, at(ms)).await.unwrap();
    assert_eq!(check(key.secret.reveal(), 1).await, KeyCheck::Locked(AccessLock::NoPromoCode));
    assert_eq!(check(gone.secret.reveal(), 1).await, KeyCheck::Revoked);

    let operator = database.open();
    operator.unlock_account(email("asha@example.org"), Some(10), NOON).await.unwrap();
    cache.refresh(at(500)).await.unwrap();
    let valid = check(key.secret.reveal(), 501).await;
    assert!(matches!(&valid, KeyCheck::Valid(record) if record.is_metered), "{valid:?}");
    operator.lock_account(email("asha@example.org"), NOON).await.unwrap();
    cache.refresh(at(1_000)).await.unwrap();
    assert_eq!(check(key.secret.reveal(), 1_001).await, KeyCheck::Locked(AccessLock::ByOperator));
    assert_eq!(cache.check_again(&gone.record.prefix, at(1_001)).await.unwrap(), KeyCheck::Revoked);
    let unknown = KeyPrefix::parse("sk_zzzzzzzz").unwrap();
    assert_eq!(cache.check_again(&unknown, at(1_001)).await.unwrap(), KeyCheck::Unknown);
}
