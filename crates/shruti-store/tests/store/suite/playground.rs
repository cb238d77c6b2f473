//! Keys of playgrounds, on every store.

use shruti_lang::Language;

use super::{NOON, TestDatabase, events, key_of, operator_key, sign_up};
use shruti_store::{
    AccessLock, AccountId, Actor, Day, Draw, Issuance, KeyCreation, KeyDayUsage, KeyLimits, KeyPrefix,
    KeyPurpose, KeyRecord, KeySpec, MAX_KEYS, PlaygroundSpec, ReportId, Revocation, Rotation, Scope, Store,
    Usage, UsageEntry, UsageReport,
};

super::on_every_store!(
    concurrent_callers_get_the_same_key,
    an_account_cannot_change_its_playground_key,
    the_key_creates_tokens_while_its_account_has_access,
    usage_of_the_key_is_charged_to_the_account,
    the_open_playground_has_the_cap_and_limits_of_the_last_call,
    a_revoked_playground_stays_closed_until_it_is_reopened,
);

const FEW: KeyLimits = KeyLimits { rate: Some(2.0), burst: Some(4), streams: Some(3) };

async fn ensure(store: &dyn Store, spec: PlaygroundSpec) -> KeyRecord {
    store.ensure_playground_key(spec, NOON).await.unwrap().unwrap()
}

fn own(account: AccountId) -> PlaygroundSpec {
    PlaygroundSpec { owner: Some(account), limits: FEW, monthly_cap: None }
}

fn everyone(monthly_cap: u64) -> PlaygroundSpec {
    PlaygroundSpec { owner: None, limits: FEW, monthly_cap: Some(monthly_cap) }
}

async fn can_issue(store: &dyn Store, key: &KeyRecord) -> bool {
    match store.issue_token(key.prefix.clone(), NOON).await.unwrap() {
        Issuance::Issued(token) => {
            let found = store.consume_token(token.secret.hash(), NOON).await.unwrap();
            assert_eq!(found.map(|found| found.prefix), Some(key.prefix.clone()), "it opens what it is for");
            true
        }
        Issuance::NoKey => false,
        other @ Issuance::TooMany { .. } => panic!("{other:?}"),
    }
}

async fn concurrent_callers_get_the_same_key(database: &impl TestDatabase) {
    let stores = [database.open().await, database.open().await];
    let asha = sign_up(&*stores[0], "asha@example.org", NOON).await.id;
    let ravi = sign_up(&*stores[0], "ravi@example.org", NOON).await.id;
    let mut calls = tokio::task::JoinSet::new();
    for i in 0..60 {
        let store = stores[i % 2].clone();
        let of = [own(asha.clone()), own(ravi.clone()), everyone(9)];
        let of = of[i % 3].clone();
        calls.spawn(async move { ensure(&*store, of).await });
    }
    let keys = calls.join_all().await;
    for account in [Some(&asha), Some(&ravi), None] {
        let theirs: Vec<_> = keys.iter().filter(|key| key.account.as_ref() == account).collect();
        assert_eq!(theirs.len(), 20);
        assert!(theirs.iter().all(|&key| key == theirs[0]), "{theirs:?}");
        assert_eq!((theirs[0].purpose, &theirs[0].scopes[..]), (KeyPurpose::Playground, &[Scope::Tts][..]));
    }
    assert_eq!(stores[0].list_keys(Actor::Operator).await.unwrap().len(), 3);
    let made = events(&*stores[0]).await.iter().filter(|event| event.starts_with("key_created")).count();
    assert_eq!(made, 3);
    let nobody = AccountId::parse("acc_zzzzzzzzzzzzzzzzzzzz").unwrap();
    let none = stores[0].ensure_playground_key(own(nobody), NOON).await.unwrap();
    assert_eq!(none, None);
}

async fn an_account_cannot_change_its_playground_key(database: &impl TestDatabase) {
    let store = database.open().await;
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let key = ensure(&*store, own(account.id.clone())).await;
    assert_eq!(key.limits, FEW);
    assert_eq!(store.list_keys(Actor::Account(account.id.clone())).await.unwrap(), []);
    assert_eq!(store.list_keys(Actor::Operator).await.unwrap(), std::slice::from_ref(&key));

    let holder = Actor::Account(account.id.clone());
    for by in [holder, Actor::Operator] {
        let renamed = store.rename_key(by.clone(), key.prefix.clone(), "mine".into(), NOON).await.unwrap();
        assert_eq!(renamed, None, "{by}");
        let rotated = store.rotate_key(by.clone(), key.prefix.clone(), 0, NOON).await.unwrap();
        assert!(matches!(rotated, Rotation::Unknown), "a new one would have a secret: {by} {rotated:?}");
    }
    let revoked =
        store.revoke_key(Actor::Account(account.id.clone()), key.prefix.clone(), NOON).await.unwrap();
    assert_eq!(revoked, Revocation::Unknown);
    assert_eq!(store.find_key(key.prefix.clone()).await.unwrap(), Some(key));

    for _ in 0..MAX_KEYS {
        key_of(&*store, &account, KeySpec::named("a"), NOON).await;
    }
    let one_more = store.create_key(Actor::Account(account.id), KeySpec::named("b"), NOON).await.unwrap();
    assert!(matches!(one_more, KeyCreation::TooMany));
}

async fn the_key_creates_tokens_while_its_account_has_access(database: &impl TestDatabase) {
    let store = database.open().await;
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    let of = own(account.id.clone());
    let ask = async || ensure(&*store, of.clone()).await;
    let key = ask().await;
    assert_eq!(key.lock, Some(AccessLock::NoPromoCode));
    assert!(!can_issue(&*store, &key).await);
    store.unlock_account(Actor::Operator, account.email.clone(), Some(100), NOON).await.unwrap();
    assert_eq!((ask().await.lock, can_issue(&*store, &key).await), (None, true));
    store.lock_account(Actor::Operator, account.email.clone(), NOON).await.unwrap();
    assert_eq!(ask().await.lock, Some(AccessLock::ByOperator));
    assert!(!can_issue(&*store, &key).await);
    let first = store.ensure_first_key(NOON).await.unwrap();
    assert!(first.is_some(), "a playground key is not the first key");

    let operator = store.ensure_operator(NOON).await.unwrap();
    let key = ensure(&*store, own(operator.id)).await;
    assert!(!key.is_metered && can_issue(&*store, &key).await);
}

async fn usage_of_the_key_is_charged_to_the_account(database: &impl TestDatabase) {
    let store = database.open().await;
    let account = sign_up(&*store, "asha@example.org", NOON).await;
    store.unlock_account(Actor::Operator, account.email.clone(), Some(100), NOON).await.unwrap();
    let key = ensure(&*store, own(account.id.clone())).await;
    let drawn = store.draw_allowance(key.prefix.clone(), 1, 60, NOON).await.unwrap();
    assert!(matches!(drawn, Draw::Lent(lease) if lease.chars == 60), "{drawn:?}");
    let state = store.allowance(account.id.clone(), NOON).await.unwrap().unwrap();
    assert_eq!(state.lent, 60);

    let amount = Usage { chars: 5, requests: 1, audio_ms: 400 };
    let (day, voice, language) = (Day::of(NOON), "Ananya".into(), Language::Hindi);
    let entry = UsageEntry { key: key.prefix.clone(), day, voice, language, api: "clip".into(), amount };
    store
        .record_usage(
            UsageReport { entries: vec![entry], ..UsageReport::new(ReportId::first().unwrap()) },
            NOON,
        )
        .await
        .unwrap();
    let by_key = store.usage_by_day_and_key(account.id, day, day).await.unwrap();
    assert_eq!(by_key, [KeyDayUsage { day, key: key.prefix.clone(), amount }]);
    let named = store.find_key(key.prefix).await.unwrap().unwrap().purpose;
    assert_eq!(named, KeyPurpose::Playground);
}

async fn the_open_playground_has_the_cap_and_limits_of_the_last_call(database: &impl TestDatabase) {
    let store = database.open().await;
    let key = ensure(&*store, everyone(50)).await;
    assert_eq!((key.account.clone(), key.limits, key.monthly_cap), (None, FEW, Some(50)));
    assert!(key.is_metered && can_issue(&*store, &key).await);
    let draw = async || store.draw_allowance(key.prefix.clone(), 1, 1_000, NOON).await.unwrap();
    assert!(matches!(draw().await, Draw::Lent(lease) if lease.chars == 50));
    assert!(matches!(draw().await, Draw::Spent { left: 0, .. }));
    assert!(ensure(&*store, everyone(50)).await.is_spent(NOON));

    let before = store.key_revision().await.unwrap();
    ensure(&*store, everyone(50)).await;
    assert_eq!(store.key_revision().await.unwrap(), before, "the same value again is not a change");
    let more = ensure(&*store, everyone(80)).await;
    assert_eq!((&more.prefix, more.monthly_cap, more.is_spent(NOON)), (&key.prefix, Some(80), false));
    assert_eq!(store.key_changes_since(before).await.unwrap().keys, [more], "servers are notified");
    assert!(matches!(draw().await, Draw::Lent(lease) if lease.chars == 30), "drawn characters count");
    ensure(&*store, everyone(10)).await;
    assert!(matches!(draw().await, Draw::Spent { left: 0, .. }));
    let wider = KeyLimits { streams: Some(9), ..FEW };
    let wider = ensure(&*store, PlaygroundSpec { limits: wider, ..everyone(10) }).await;
    assert_eq!(wider.limits.streams, Some(9));
}

async fn a_revoked_playground_stays_closed_until_it_is_reopened(database: &impl TestDatabase) {
    let store = database.open().await;
    let key = ensure(&*store, everyone(50)).await;
    let Issuance::Issued(token) = store.issue_token(key.prefix.clone(), NOON).await.unwrap() else {
        panic!("no token");
    };
    let revoked = store.revoke_key(Actor::Operator, key.prefix.clone(), NOON).await.unwrap();
    assert!(matches!(revoked, Revocation::Revoked(_)), "{revoked:?}");
    assert_eq!(store.consume_token(token.secret.hash(), NOON).await.unwrap(), None);
    for cap in [50, 60] {
        let closed = ensure(&*store, everyone(cap)).await;
        assert_eq!((&closed.prefix, closed.revoked_ms), (&key.prefix, Some(NOON)));
        assert!(!can_issue(&*store, &closed).await);
    }
    let before = store.key_revision().await.unwrap();
    for _ in 0..2 {
        let open = store.reopen_playground(key.prefix.clone(), NOON).await.unwrap().unwrap();
        assert_eq!((open.revoked_ms, open.monthly_cap), (None, Some(60)));
        assert!(can_issue(&*store, &open).await);
    }
    assert_eq!(store.key_changes_since(before).await.unwrap().keys.len(), 1);
    assert_eq!(events(&*store).await[1..], ["key_revoked ok x1", "key_reopened ok x1"]);

    let api = operator_key(&*store, KeySpec::named("a"), NOON).await.record.prefix;
    store.revoke_key(Actor::Operator, api.clone(), NOON).await.unwrap();
    for other in [api.clone(), KeyPrefix::parse("sk_zzzzzzzz").unwrap()] {
        assert_eq!(store.reopen_playground(other, NOON).await.unwrap(), None);
    }
    assert!(store.find_key(api).await.unwrap().unwrap().revoked_ms.is_some());
}
