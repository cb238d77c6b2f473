//! Single-use tokens and origins, on every store.

use super::{TestDatabase, operator_key};
use shruti_store::{
    Actor, Issuance, IssuedToken, KeyPrefix, KeySpec, MAX_UNUSED_TOKENS, SecretToken, Store, TOKEN_LIFE,
};

super::on_every_store!(
    only_one_of_fifty_uses_of_a_token_succeeds,
    a_token_is_valid_until_it_is_used,
    a_token_expires_after_a_minute_or_with_its_key,
    revoking_a_key_revokes_its_tokens,
    unused_tokens_are_limited_and_removed,
    no_file_contains_a_token,
    an_origin_is_allowed_while_a_valid_key_names_it,
);

const LIFE_MS: i64 = TOKEN_LIFE.as_millis() as i64;

async fn issue(store: &dyn Store, key: &KeyPrefix, now_ms: i64) -> IssuedToken {
    match store.issue_token(key.clone(), now_ms).await.unwrap() {
        Issuance::Issued(token) => token,
        other => panic!("{other:?}"),
    }
}

async fn only_one_of_fifty_uses_of_a_token_succeeds(database: &impl TestDatabase) {
    // two stores behave like two processes
    let stores = [database.open().await, database.open().await];
    let key = operator_key(&*stores[0], KeySpec::named("a"), 1).await.record;
    for _ in 0..5 {
        let token = issue(&*stores[0], &key.prefix, 2).await.secret.hash();
        let mut tries = tokio::task::JoinSet::new();
        for i in 0..50 {
            let store = stores[i % 2].clone();
            tries.spawn(async move { store.consume_token(token, 3).await.unwrap() });
        }
        let let_in: Vec<_> = tries.join_all().await.into_iter().flatten().collect();
        assert_eq!(let_in, std::slice::from_ref(&key));
    }
}

async fn a_token_is_valid_until_it_is_used(database: &impl TestDatabase) {
    let store = database.open().await;
    let origins = vec!["https://a.example".parse().unwrap()];
    let spec = KeySpec { origins, ..KeySpec::named("with a page") };
    let key = operator_key(&*store, spec, 1).await.record;
    let token = issue(&*store, &key.prefix, 2).await;
    let other = issue(&*store, &key.prefix, 2).await;
    for _ in 0..2 {
        let found = store.find_token(token.secret.hash(), 3).await.unwrap();
        assert_eq!(found.as_ref(), Some(&key), "looking does not use it up");
    }
    assert_eq!(store.consume_token(token.secret.hash(), 3).await.unwrap(), Some(key.clone()));
    assert_eq!(store.find_token(token.secret.hash(), 3).await.unwrap(), None);
    assert_eq!(store.consume_token(token.secret.hash(), 3).await.unwrap(), None);
    assert_eq!(store.consume_token(other.secret.hash(), 3).await.unwrap(), Some(key), "each for itself");
    let never_made = SecretToken::generate().unwrap().hash();
    assert_eq!(store.consume_token(never_made, 3).await.unwrap(), None);
}

async fn a_token_expires_after_a_minute_or_with_its_key(database: &impl TestDatabase) {
    let store = database.open().await;
    let lasting = operator_key(&*store, KeySpec::named("a"), 1).await.record.prefix;
    let spec = KeySpec { expires_ms: Some(1_000), ..KeySpec::named("b") };
    let ending = operator_key(&*store, spec, 1).await.record.prefix;
    for (key, expected) in [(&lasting, 100 + LIFE_MS), (&ending, 1_000)] {
        let token = issue(&*store, key, 100).await;
        assert_eq!(token.expires_ms, expected);
        let token = token.secret.hash();
        assert!(store.find_token(token, expected - 1).await.unwrap().is_some());
        assert_eq!(store.find_token(token, expected).await.unwrap(), None);
        assert_eq!(store.consume_token(token, expected).await.unwrap(), None);
        assert!(
            store.consume_token(token, expected - 1).await.unwrap().is_some(),
            "a refusal changes nothing"
        );
    }
}

async fn revoking_a_key_revokes_its_tokens(database: &impl TestDatabase) {
    let store = database.open().await;
    let gone = operator_key(&*store, KeySpec::named("a"), 1).await.record.prefix;
    let other = operator_key(&*store, KeySpec::named("b"), 1).await.record.prefix;
    let (dead, alive) = (issue(&*store, &gone, 2).await, issue(&*store, &other, 2).await);
    store.revoke_key(Actor::Operator, gone.clone(), 3).await.unwrap();
    assert_eq!(store.find_token(dead.secret.hash(), 4).await.unwrap(), None);
    assert_eq!(store.consume_token(dead.secret.hash(), 4).await.unwrap(), None);
    assert!(store.consume_token(alive.secret.hash(), 4).await.unwrap().is_some());
    assert!(matches!(store.issue_token(gone, 4).await.unwrap(), Issuance::NoKey));
    let unknown = KeyPrefix::parse("sk_zzzzzzzz").unwrap();
    assert!(matches!(store.issue_token(unknown, 4).await.unwrap(), Issuance::NoKey));
    let spec = KeySpec { expires_ms: Some(10), ..KeySpec::named("c") };
    let expiring = operator_key(&*store, spec, 1).await.record.prefix;
    assert!(matches!(store.issue_token(expiring.clone(), 9).await.unwrap(), Issuance::Issued(_)));
    assert!(matches!(store.issue_token(expiring, 10).await.unwrap(), Issuance::NoKey));
}

async fn unused_tokens_are_limited_and_removed(database: &impl TestDatabase) {
    let store = database.open().await;
    let key = operator_key(&*store, KeySpec::named("a"), 1).await.record.prefix;
    let other = operator_key(&*store, KeySpec::named("b"), 1).await.record.prefix;
    let first = issue(&*store, &key, 1_000).await;
    for _ in 1..MAX_UNUSED_TOKENS {
        issue(&*store, &key, 2_000).await;
    }
    let too_many = store.issue_token(key.clone(), 2_500).await.unwrap();
    let Issuance::TooMany { free_in_ms } = too_many else { panic!("{too_many:?}") };
    assert_eq!(free_in_ms, 58_500, "until the first of them stops");
    issue(&*store, &other, 2_500).await;
    store.consume_token(first.secret.hash(), 2_500).await.unwrap().unwrap();
    issue(&*store, &key, 2_500).await;
    assert!(matches!(store.issue_token(key.clone(), 2_500).await.unwrap(), Issuance::TooMany { .. }));

    issue(&*store, &key, 2_000 + LIFE_MS).await;
    assert_eq!(database.rows("tokens").await, 3, "those of both keys that have not stopped");
}

async fn no_file_contains_a_token(database: &impl TestDatabase) {
    let store = database.open().await;
    let key = operator_key(&*store, KeySpec::named("a"), 1).await.record.prefix;
    let token = issue(&*store, &key, 2).await;
    assert!(!database.holds(&token.secret.reveal()[4..]).await);
    assert!(database.holds(key.as_str()).await, "the search finds stored data");
}

async fn an_origin_is_allowed_while_a_valid_key_names_it(database: &impl TestDatabase) {
    let store = database.open().await;
    let page = || "https://a.example".parse().unwrap();
    let spec = |expires_ms| KeySpec { origins: vec![page()], expires_ms, ..KeySpec::named("a") };
    let allowed = async |now_ms| store.is_origin_allowed(page(), now_ms).await.unwrap();
    assert!(!allowed(1).await);
    let lasting = operator_key(&*store, spec(None), 1).await.record.prefix;
    operator_key(&*store, spec(Some(10)), 1).await;
    assert!(allowed(10).await);
    assert!(!store.is_origin_allowed("https://b.example".parse().unwrap(), 1).await.unwrap());
    assert!(!store.is_origin_allowed("http://a.example".parse().unwrap(), 1).await.unwrap());
    store.revoke_key(Actor::Operator, lasting, 5).await.unwrap();
    assert!(allowed(9).await, "by the other key");
    assert!(!allowed(10).await);
}
