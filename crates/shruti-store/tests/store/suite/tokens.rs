//! What every store does with single-use tokens and origins, whatever database is behind it.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::sync::Arc;
use std::time::Duration;

use shruti_store::{
    Issuance, IssuedToken, KeyCache, KeyCheck, KeyPrefix, KeySpec, MAX_UNUSED_TOKENS, Moment, SecretToken,
    SqliteStore, Store, TOKEN_LIFE,
};

const LIFE_MS: i64 = TOKEN_LIFE.as_millis() as i64;

fn open(folder: &tempfile::TempDir) -> Arc<SqliteStore> {
    Arc::new(SqliteStore::open(&folder.path().join("data")).unwrap())
}

async fn issue(store: &SqliteStore, key: &KeyPrefix, now_ms: i64) -> IssuedToken {
    match store.issue_token(key.clone(), now_ms).await.unwrap() {
        Issuance::Issued(token) => token,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_fifty_who_come_with_a_token_one_gets_in() {
    let folder = tempfile::tempdir().unwrap();
    // two processes, as far as the file is concerned
    let stores = [open(&folder), open(&folder)];
    let key = stores[0].create_key(KeySpec::named("a"), 1).await.unwrap().record;
    for _ in 0..5 {
        let token = issue(&stores[0], &key.prefix, 2).await.secret.hash();
        let mut tries = tokio::task::JoinSet::new();
        for i in 0..50 {
            let store = Arc::clone(&stores[i % 2]);
            tries.spawn(async move { store.consume_token(token, 3).await.unwrap() });
        }
        let let_in: Vec<_> = tries.join_all().await.into_iter().flatten().collect();
        assert_eq!(let_in, std::slice::from_ref(&key));
    }
}

#[tokio::test]
async fn a_token_is_found_until_it_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let origins = vec!["https://a.example".parse().unwrap()];
    let spec = KeySpec { origins, ..KeySpec::named("with a page") };
    let key = store.create_key(spec, 1).await.unwrap().record;
    let token = issue(&store, &key.prefix, 2).await;
    let other = issue(&store, &key.prefix, 2).await;
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

#[tokio::test]
async fn a_token_stops_after_a_minute_or_with_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let lasting = store.create_key(KeySpec::named("a"), 1).await.unwrap().record.prefix;
    let spec = KeySpec { expires_ms: Some(1_000), ..KeySpec::named("b") };
    let ending = store.create_key(spec, 1).await.unwrap().record.prefix;
    for (key, expected) in [(&lasting, 100 + LIFE_MS), (&ending, 1_000)] {
        let token = issue(&store, key, 100).await;
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

#[tokio::test]
async fn a_revoked_key_takes_its_tokens_along() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let gone = store.create_key(KeySpec::named("a"), 1).await.unwrap().record.prefix;
    let other = store.create_key(KeySpec::named("b"), 1).await.unwrap().record.prefix;
    let (dead, alive) = (issue(&store, &gone, 2).await, issue(&store, &other, 2).await);
    store.revoke_key(gone.clone(), 3).await.unwrap();
    assert_eq!(store.find_token(dead.secret.hash(), 4).await.unwrap(), None);
    assert_eq!(store.consume_token(dead.secret.hash(), 4).await.unwrap(), None);
    assert!(store.consume_token(alive.secret.hash(), 4).await.unwrap().is_some());
    assert!(matches!(store.issue_token(gone, 4).await.unwrap(), Issuance::NoKey));
    let unknown = KeyPrefix::parse("sk_zzzzzzzz").unwrap();
    assert!(matches!(store.issue_token(unknown, 4).await.unwrap(), Issuance::NoKey));
    let spec = KeySpec { expires_ms: Some(10), ..KeySpec::named("c") };
    let expiring = store.create_key(spec, 1).await.unwrap().record.prefix;
    assert!(matches!(store.issue_token(expiring.clone(), 9).await.unwrap(), Issuance::Issued(_)));
    assert!(matches!(store.issue_token(expiring, 10).await.unwrap(), Issuance::NoKey));
}

#[tokio::test]
async fn unused_tokens_are_bounded_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let key = store.create_key(KeySpec::named("a"), 1).await.unwrap().record.prefix;
    let other = store.create_key(KeySpec::named("b"), 1).await.unwrap().record.prefix;
    let first = issue(&store, &key, 1_000).await;
    for _ in 1..MAX_UNUSED_TOKENS {
        issue(&store, &key, 2_000).await;
    }
    let too_many = store.issue_token(key.clone(), 2_500).await.unwrap();
    let Issuance::TooMany { free_in_ms } = too_many else { panic!("{too_many:?}") };
    assert_eq!(free_in_ms, 58_500, "until the first of them stops");
    issue(&store, &other, 2_500).await;
    store.consume_token(first.secret.hash(), 2_500).await.unwrap().unwrap();
    issue(&store, &key, 2_500).await;
    assert!(matches!(store.issue_token(key.clone(), 2_500).await.unwrap(), Issuance::TooMany { .. }));

    issue(&store, &key, 2_000 + LIFE_MS).await;
    let file = rusqlite::Connection::open(folder.path().join("data/shruti.db")).unwrap();
    let left: u32 = file.query_row("SELECT count(*) FROM tokens", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 3, "those of both keys that have not stopped");
}

#[tokio::test]
async fn no_file_holds_a_token() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let key = store.create_key(KeySpec::named("a"), 1).await.unwrap().record.prefix;
    let token = issue(&store, &key, 2).await;
    let secret = token.secret.reveal().as_bytes()[4..].to_vec();
    for entry in std::fs::read_dir(folder.path().join("data")).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret));
    }
}

#[tokio::test]
async fn an_origin_is_allowed_while_a_valid_key_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let page = || "https://a.example".parse().unwrap();
    let spec = |expires_ms| KeySpec { origins: vec![page()], expires_ms, ..KeySpec::named("a") };
    let allowed = async |now_ms| store.is_origin_allowed(page(), now_ms).await.unwrap();
    assert!(!allowed(1).await);
    let lasting = store.create_key(spec(None), 1).await.unwrap().record.prefix;
    store.create_key(spec(Some(10)), 1).await.unwrap();
    assert!(allowed(10).await);
    assert!(!store.is_origin_allowed("https://b.example".parse().unwrap(), 1).await.unwrap());
    assert!(!store.is_origin_allowed("http://a.example".parse().unwrap(), 1).await.unwrap());
    store.revoke_key(lasting, 5).await.unwrap();
    assert!(allowed(9).await, "by the other key");
    assert!(!allowed(10).await);
}

#[tokio::test]
async fn the_cache_judges_keys_by_name_and_remembers_origins() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let at = |ms: u32| Moment { monotonic: Duration::from_millis(ms.into()), wall_ms: ms.into() };
    let spec = KeySpec {
        origins: vec!["https://a.example".parse().unwrap()],
        expires_ms: Some(10_000),
        ..KeySpec::named("a")
    };
    let key = store.create_key(spec, 1).await.unwrap().record;
    let cache = KeyCache::new(store.clone());
    cache.refresh(at(0)).await.unwrap();
    let check = async |now| cache.check_again(&key.prefix, now).await.unwrap();
    assert!(matches!(check(at(1)).await, KeyCheck::Valid(found) if *found == key));
    assert_eq!(check(at(10_000)).await, KeyCheck::Expired);
    let unknown = KeyPrefix::parse("sk_zzzzzzzz").unwrap();
    assert_eq!(cache.check_again(&unknown, at(1)).await.unwrap(), KeyCheck::Unknown);

    let allowed = async |now| cache.is_origin_allowed(&key.origins[0], now).await.unwrap();
    assert!(allowed(at(1)).await);
    store.revoke_key(key.prefix.clone(), 2).await.unwrap();
    assert!(allowed(at(1_500)).await, "from memory");
    assert!(!allowed(at(1_501)).await);
    cache.refresh(at(1_502)).await.unwrap();
    assert_eq!(check(at(1_503)).await, KeyCheck::Revoked);
}
