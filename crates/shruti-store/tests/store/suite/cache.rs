//! What every store does, whatever database is behind it.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use sha2::Digest;
use shruti_store::{
    KeyCache, KeyCheck, KeyLimits, KeyPrefix, KeySpec, Moment, Origin, Revocation, Scope, SecretKey,
    SqliteStore, Store, StoreError,
};

fn open(folder: &tempfile::TempDir) -> Arc<SqliteStore> {
    Arc::new(SqliteStore::open(&folder.path().join("data")).unwrap())
}

fn at(milliseconds: u32) -> Moment {
    let wall_ms = 1_000_000 + i64::from(milliseconds);
    Moment { monotonic: Duration::from_millis(milliseconds.into()), wall_ms }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_first_starts_one_gets_the_key() {
    let folder = tempfile::tempdir().unwrap();
    // two processes, as far as the file is concerned
    let stores = [open(&folder), open(&folder)];
    let mut starts = tokio::task::JoinSet::new();
    for i in 0..20 {
        let store = Arc::clone(&stores[i % 2]);
        starts.spawn(async move { store.ensure_first_key(7).await.unwrap() });
    }
    let made: Vec<_> = starts.join_all().await.into_iter().flatten().collect();
    assert_eq!(made.len(), 1);
    let keys = stores[1].list_keys().await.unwrap();
    assert_eq!(keys, [made[0].record.clone()]);
    assert_eq!(keys[0].limits, KeyLimits::default(), "the first key has no limits");
}

#[tokio::test]
async fn a_revoked_first_key_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let first = store.ensure_first_key(1).await.unwrap().unwrap();
    store.revoke_key(first.record.prefix, 2).await.unwrap();
    assert!(store.ensure_first_key(3).await.unwrap().is_none());
}

#[tokio::test]
async fn a_key_keeps_what_it_was_made_with() {
    let folder = tempfile::tempdir().unwrap();
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
    let made = open(&folder).create_key(spec.clone(), 42).await.unwrap();
    let reopened = open(&folder);
    let found = reopened.find_key(made.secret.prefix()).await.unwrap().unwrap();
    assert_eq!(found, made.record);
    assert_eq!((found.name, found.scopes, found.limits), (spec.name, spec.scopes, spec.limits));
    let origins: Vec<_> = found.origins.iter().map(Origin::as_str).collect();
    assert_eq!(origins, ["http://localhost:3000", "https://b.example"], "sorted, each once");
    assert_eq!((found.monthly_cap, found.is_metered, found.account), (Some(12), true, None));
    assert_eq!((found.created_ms, found.expires_ms, found.revoked_ms), (42, Some(99), None));
    assert_eq!(found.hash, made.secret.hash());
}

#[tokio::test]
async fn revoking_says_what_came_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let prefix = store.create_key(KeySpec::named("a"), 1).await.unwrap().record.prefix;
    let Revocation::Revoked(record) = store.revoke_key(prefix.clone(), 5).await.unwrap() else { panic!() };
    assert_eq!(record.revoked_ms, Some(5));
    let again = store.revoke_key(prefix, 6).await.unwrap();
    assert_eq!(again, Revocation::AlreadyRevoked(record), "the first time stands");
    let unknown = KeyPrefix::parse("sk_zzzzzzzz").unwrap();
    assert_eq!(store.revoke_key(unknown, 7).await.unwrap(), Revocation::Unknown);
}

#[tokio::test]
async fn changes_are_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let made = store.create_key(KeySpec::named("a"), 1).await.unwrap();
    let other = store.create_key(KeySpec::named("b"), 2).await.unwrap();
    let all = store.key_changes_since(0).await.unwrap();
    assert_eq!(all.keys.len(), 2);
    assert_eq!(all.revision, store.key_revision().await.unwrap());
    assert_eq!(store.key_changes_since(all.revision).await.unwrap().keys, []);
    store.revoke_key(made.record.prefix.clone(), 3).await.unwrap();
    let changed = store.key_changes_since(all.revision).await.unwrap();
    let prefixes: BTreeSet<_> = changed.keys.iter().map(|key| key.prefix.clone()).collect();
    assert_eq!(prefixes, BTreeSet::from([made.record.prefix]));
    assert_ne!(changed.keys[0].prefix, other.record.prefix);
}

#[tokio::test]
async fn no_file_holds_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let made = store.create_key(KeySpec::named("a"), 1).await.unwrap();
    let secret = made.secret.reveal().as_bytes()[11..].to_vec();
    for entry in std::fs::read_dir(folder.path().join("data")).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_folder_is_its_owner_s_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let _store = open(&folder);
    let mode = std::fs::metadata(folder.path().join("data")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[tokio::test]
async fn a_newer_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(&folder));
    let file = folder.path().join("data/shruti.db");
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 1_000).unwrap();
    let error = SqliteStore::open(&folder.path().join("data")).unwrap_err();
    assert!(matches!(error, StoreError::NewerSchema { found: 1_000, .. }), "{error}");
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let error = SqliteStore::open(&file.join("data")).unwrap_err();
    assert!(error.to_string().contains("file/data"), "{error}");
}

#[tokio::test]
async fn the_cache_judges_every_kind_of_key() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let valid = store.create_key(KeySpec::named("a"), 1).await.unwrap();
    let short_lived = KeySpec { expires_ms: Some(at(10).wall_ms), ..KeySpec::named("b") };
    let expiring = store.create_key(short_lived, 1).await.unwrap();
    let revoked = store.create_key(KeySpec::named("c"), 1).await.unwrap();
    store.revoke_key(revoked.record.prefix.clone(), 2).await.unwrap();
    let mut forged = valid.secret.reveal().to_owned();
    let last = if forged.pop() == Some('a') { 'b' } else { 'a' };
    forged.push(last);

    let cache = KeyCache::new(store.clone());
    cache.refresh(at(0)).await.unwrap();
    for round in ["from the store", "from memory"] {
        let check = async |key: &str, now| cache.check(key, now).await.unwrap();
        let is_valid = check(valid.secret.reveal(), at(1)).await;
        assert!(matches!(is_valid, KeyCheck::Valid(record) if record.name == "a"), "{round}");
        assert!(matches!(check(expiring.secret.reveal(), at(9)).await, KeyCheck::Valid(_)), "{round}");
        assert_eq!(check(expiring.secret.reveal(), at(10)).await, KeyCheck::Expired, "{round}");
        assert_eq!(check(revoked.secret.reveal(), at(1)).await, KeyCheck::Revoked, "{round}");
        assert_eq!(check(&forged, at(1)).await, KeyCheck::Unknown, "{round}: the prefix alone opens nothing");
        assert_eq!(check("sk_nothing", at(1)).await, KeyCheck::Unknown, "{round}");
    }
}

#[tokio::test]
async fn a_change_is_seen_at_the_next_refresh() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let operator = open(&folder);
    let cache = KeyCache::new(store.clone());
    cache.refresh(at(0)).await.unwrap();
    let made = operator.create_key(KeySpec::named("made beside a running server"), 1).await.unwrap();
    let check = async |now| cache.check(made.secret.reveal(), now).await.unwrap();
    assert!(matches!(check(at(1)).await, KeyCheck::Valid(_)), "a new key works at once");

    operator.revoke_key(made.record.prefix.clone(), 2).await.unwrap();
    assert!(matches!(check(at(499)).await, KeyCheck::Valid(_)), "judged from memory");
    cache.refresh(at(500)).await.unwrap();
    assert_eq!(check(at(501)).await, KeyCheck::Revoked);
}

#[tokio::test]
async fn without_refresh_memory_is_not_trusted_for_long() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let cache = KeyCache::new(store.clone());
    cache.refresh(at(0)).await.unwrap();
    let made = store.create_key(KeySpec::named("a"), 1).await.unwrap();
    let check = async |now| cache.check(made.secret.reveal(), now).await.unwrap();
    assert!(matches!(check(at(1)).await, KeyCheck::Valid(_)));
    store.revoke_key(made.record.prefix.clone(), 2).await.unwrap();
    assert_eq!(check(at(1_500)).await, KeyCheck::Revoked);
}

#[tokio::test]
async fn a_key_in_use_costs_no_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(&folder);
    let made = store.create_key(KeySpec::named("a"), 1).await.unwrap();
    let cache = KeyCache::new(store.clone());
    cache.refresh(at(0)).await.unwrap();
    cache.check(made.secret.reveal(), at(1)).await.unwrap();
    // what is ready at its first poll has waited for no thread
    let mut check = std::pin::pin!(cache.check(made.secret.reveal(), at(2)));
    let polled = std::future::poll_fn(|context| std::task::Poll::Ready(check.as_mut().poll(context))).await;
    assert!(matches!(polled, std::task::Poll::Ready(Ok(KeyCheck::Valid(_)))));
}

#[tokio::test]
async fn keys_of_an_older_version_work_on() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let secret = SecretKey::generate().unwrap();
    let prefix = secret.prefix();
    // the file as the version before accounts wrote it
    std::fs::create_dir(&data).unwrap();
    let old = rusqlite::Connection::open(data.join("shruti.db")).unwrap();
    old.execute_batch(include_str!("../migrations/0001_keys.sql")).unwrap();
    old.execute_batch(include_str!("../migrations/0002_tokens.sql")).unwrap();
    old.execute(
        "INSERT INTO keys (prefix, hash, name, scopes, created_ms, revision) VALUES (?, ?, 'old', 'tts usage:read', 1, 1)",
        (prefix.as_str(), sha2::Sha256::digest(secret.reveal()).as_slice()),
    )
    .unwrap();
    old.execute_batch("UPDATE key_revision SET value = 1; PRAGMA user_version = 2").unwrap();
    drop(old);

    let store = open(&folder);
    let found = store.find_key(prefix).await.unwrap().unwrap();
    assert_eq!((found.hash, found.name.as_str(), found.scopes), (secret.hash(), "old", Scope::ALL.to_vec()));
    assert_eq!((found.account, found.lock, found.is_metered), (None, None, false));
    assert!(store.ensure_first_key(2).await.unwrap().is_none());
    let cache = KeyCache::new(store);
    let check = cache.check(secret.reveal(), at(0)).await.unwrap();
    assert!(matches!(check, KeyCheck::Valid(_)), "{check:?}");
}
