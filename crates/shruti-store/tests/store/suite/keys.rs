//! API keys, on every store.

use std::collections::BTreeSet;

use super::{HOUR, NOON, TestDatabase, events, key_of, operator_key, sign_up};
use shruti_store::{
    Actor, KeyCreation, KeyLimits, KeyPrefix, KeyRecord, KeySpec, MAX_KEYS, Origin, Revocation, Rotation,
    Scope,
};

const LIMITS: KeyLimits = KeyLimits { rate: Some(10.0), burst: Some(20), streams: Some(20) };

super::on_every_store!(
    only_one_of_concurrent_first_starts_gets_the_key,
    a_revoked_first_key_is_not_replaced,
    a_key_keeps_its_specification,
    revocation_reports_its_result,
    changes_are_reported_once,
    no_file_contains_a_key,
    keys_of_other_accounts_cannot_be_changed,
    a_rotated_key_remains_valid_for_a_limited_time,
    the_number_of_keys_per_account_is_limited,
);

async fn only_one_of_concurrent_first_starts_gets_the_key(database: &impl TestDatabase) {
    // two stores behave like two processes
    let stores = [database.open().await, database.open().await];
    let mut starts = tokio::task::JoinSet::new();
    for i in 0..20 {
        let store = stores[i % 2].clone();
        starts.spawn(async move { store.ensure_first_key(7).await.unwrap() });
    }
    let made: Vec<_> = starts.join_all().await.into_iter().flatten().collect();
    assert_eq!(made.len(), 1);
    let keys = stores[1].list_keys(Actor::Operator).await.unwrap();
    assert_eq!(keys, [made[0].record.clone()]);
    assert_eq!(keys[0].limits, KeyLimits::default(), "the first key has no limits");
}

async fn a_revoked_first_key_is_not_replaced(database: &impl TestDatabase) {
    let store = database.open().await;
    let first = store.ensure_first_key(1).await.unwrap().unwrap();
    store.revoke_key(Actor::Operator, first.record.prefix, 2).await.unwrap();
    assert!(store.ensure_first_key(3).await.unwrap().is_none());
}

async fn a_key_keeps_its_specification(database: &impl TestDatabase) {
    let spec = KeySpec {
        name: "मेरा ऐप '); DROP TABLE keys; --".to_owned(),
        scopes: vec![Scope::UsageRead],
        limits: KeyLimits { rate: Some(2.5), burst: Some(7), streams: Some(3) },
        origins: ["https://b.example", "http://localhost:3000", "https://b.example"]
            .map(|origin| origin.parse().unwrap())
            .to_vec(),
        expires_ms: Some(99),
        monthly_cap: Some(12),
    };
    let store = database.open().await;
    let made = operator_key(&*store, spec.clone(), 42).await;
    let reopened = database.open().await;
    let found = reopened.find_key(made.secret.prefix()).await.unwrap().unwrap();
    assert_eq!(found, made.record);
    assert_eq!((found.name, found.scopes, found.limits), (spec.name, spec.scopes, spec.limits));
    let origins: Vec<_> = found.origins.iter().map(Origin::as_str).collect();
    assert_eq!(origins, ["http://localhost:3000", "https://b.example"], "sorted, each once");
    assert_eq!((found.monthly_cap, found.is_metered, found.account), (Some(12), true, None));
    assert_eq!((found.created_ms, found.expires_ms, found.revoked_ms), (42, Some(99), None));
    assert_eq!(found.hash, made.secret.hash());
}

async fn revocation_reports_its_result(database: &impl TestDatabase) {
    let store = database.open().await;
    let prefix = operator_key(&*store, KeySpec::named("a"), 1).await.record.prefix;
    let Revocation::Revoked(record) = store.revoke_key(Actor::Operator, prefix.clone(), 5).await.unwrap()
    else {
        panic!()
    };
    assert_eq!(record.revoked_ms, Some(5));
    let again = store.revoke_key(Actor::Operator, prefix, 6).await.unwrap();
    assert_eq!(again, Revocation::AlreadyRevoked(record), "the first time is kept");
    let unknown = KeyPrefix::parse("sk_zzzzzzzz").unwrap();
    assert_eq!(store.revoke_key(Actor::Operator, unknown, 7).await.unwrap(), Revocation::Unknown);
}

async fn changes_are_reported_once(database: &impl TestDatabase) {
    let store = database.open().await;
    let made = operator_key(&*store, KeySpec::named("a"), 1).await;
    let other = operator_key(&*store, KeySpec::named("b"), 2).await;
    let all = store.key_changes_since(0).await.unwrap();
    assert_eq!(all.keys.len(), 2);
    assert_eq!(all.revision, store.key_revision().await.unwrap());
    assert_eq!(store.key_changes_since(all.revision).await.unwrap().keys, []);
    store.revoke_key(Actor::Operator, made.record.prefix.clone(), 3).await.unwrap();
    let changed = store.key_changes_since(all.revision).await.unwrap();
    let prefixes: BTreeSet<_> = changed.keys.iter().map(|key| key.prefix.clone()).collect();
    assert_eq!(prefixes, BTreeSet::from([made.record.prefix]));
    assert_ne!(changed.keys[0].prefix, other.record.prefix);
}

async fn no_file_contains_a_key(database: &impl TestDatabase) {
    let store = database.open().await;
    let made = operator_key(&*store, KeySpec::named("a"), 1).await;
    let secret = made.secret.reveal();
    assert!(!database.holds(&secret[11..]).await);
    assert!(database.holds(&secret[..11]).await, "the search finds stored data");
}

async fn keys_of_other_accounts_cannot_be_changed(database: &impl TestDatabase) {
    let store = database.open().await;
    let (asha, ravi) =
        (sign_up(&*store, "asha@example.org", NOON).await, sign_up(&*store, "ravi@example.org", NOON).await);
    let key = key_of(&*store, &asha, KeySpec::named("a"), NOON).await.record;
    let operator_s = operator_key(&*store, KeySpec::named("o"), NOON).await.record;
    assert_eq!((key.account.as_ref(), operator_s.account.as_ref()), (Some(&asha.id), None));
    assert_eq!(store.list_keys(Actor::Account(asha.id.clone())).await.unwrap(), std::slice::from_ref(&key));
    assert_eq!(store.list_keys(Actor::Account(ravi.id.clone())).await.unwrap(), []);

    for (who, prefix) in [(&ravi, &key.prefix), (&asha, &operator_s.prefix)] {
        let by = Actor::Account(who.id.clone());
        assert_eq!(store.rename_key(by.clone(), prefix.clone(), "mine".into(), NOON).await.unwrap(), None);
        let rotated = store.rotate_key(by, prefix.clone(), 0, NOON).await.unwrap();
        assert!(matches!(rotated, Rotation::Unknown), "{rotated:?}");
        let revoked = store.revoke_key(Actor::Account(who.id.clone()), prefix.clone(), NOON).await.unwrap();
        assert_eq!(revoked, Revocation::Unknown);
    }
    let rotated = store.rotate_key(Actor::Visitor, key.prefix.clone(), 0, NOON).await.unwrap();
    assert!(matches!(rotated, Rotation::Unknown), "{rotated:?}");
    assert_eq!(store.list_keys(Actor::Operator).await.unwrap().len(), 2);
    assert_eq!(store.find_key(key.prefix.clone()).await.unwrap(), Some(key.clone()));

    let by = Actor::Account(asha.id.clone());
    let renamed = store.rename_key(by, key.prefix.clone(), "website".into(), NOON).await.unwrap().unwrap();
    assert_eq!(renamed, KeyRecord { name: "website".into(), ..key.clone() });
    assert_eq!(store.find_key(key.prefix.clone()).await.unwrap(), Some(renamed));
    let revoked = store.revoke_key(Actor::Account(asha.id), key.prefix.clone(), NOON + 1).await.unwrap();
    assert!(matches!(revoked, Revocation::Revoked(_)), "{revoked:?}");
    let log = events(&*store).await;
    assert_eq!(
        log[2..],
        ["key_created ok x1", "key_created ok x1", "key_renamed ok x1", "key_revoked ok x1"],
        "a request that was refused for lack of a key is not an event"
    );
    let newest = &store.audit_log(None, None, 1).await.unwrap()[0];
    assert_eq!(newest.subject.as_deref(), Some(key.prefix.as_str()));
}

async fn a_rotated_key_remains_valid_for_a_limited_time(database: &impl TestDatabase) {
    let store = database.open().await;
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let origins = vec!["https://a.example".parse().unwrap()];
    let spec = KeySpec { origins, limits: LIMITS, monthly_cap: Some(500), ..KeySpec::named("a") };
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
    assert_eq!(ending.expires_ms, Some(NOON + 24 * HOUR), "an earlier expiry is kept");
    let ended = store.rotate_key(by.clone(), old.prefix, 0, NOON + 24 * HOUR).await.unwrap();
    assert!(matches!(ended, Rotation::Ended), "{ended:?}");
    let at_once = store.rotate_key(by, new.record.prefix, 0, NOON).await.unwrap();
    let Rotation::Rotated { old: ending, .. } = at_once else { panic!("{at_once:?}") };
    assert_eq!(ending.expires_ms, Some(NOON));
}

async fn the_number_of_keys_per_account_is_limited(database: &impl TestDatabase) {
    let store = database.open().await;
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let mut last = None;
    for _ in 0..MAX_KEYS {
        last = Some(key_of(&*store, &account, KeySpec::named("a"), NOON).await.record.prefix);
    }
    let last = last.unwrap();
    let one_more = async || {
        store.create_key(Actor::Account(account.id.clone()), KeySpec::named("b"), NOON).await.unwrap()
    };
    assert!(matches!(one_more().await, KeyCreation::TooMany));
    let by = Actor::Account(account.id.clone());
    let rotated = store.rotate_key(by, last.clone(), 1, NOON).await.unwrap();
    assert!(matches!(rotated, Rotation::TooMany), "{rotated:?}");
    store.revoke_key(Actor::Account(account.id.clone()), last, NOON).await.unwrap();
    assert!(matches!(one_more().await, KeyCreation::Created(_)));
    store.lock_account(Actor::Operator, account.email.clone(), NOON).await.unwrap();
    assert!(matches!(one_more().await, KeyCreation::NoAccount));
}
