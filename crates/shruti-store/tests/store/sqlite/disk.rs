//! Disk behaviour of a store: modes of its files, their content after a clean shutdown, locks and faults.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use super::SqliteDatabase;
use crate::suite::{NOON, key_of, operator_key, sign_up};
use rusqlite::Connection;
use shruti_clock::Moment;
use shruti_store::{
    Actor, AllowanceStore, DiskTrouble, Draw, Issuance, KeyCache, KeyCheck, KeySpec, KeyStore,
    MaintenanceStore, SessionStore, SqliteStore, StoreError, TokenStore,
};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Returns the modes of a folder and of all files in it.
fn modes(folder: &Path) -> (u32, Vec<u32>) {
    let files = fs::read_dir(folder).unwrap().map(|file| mode(&file.unwrap().path()));
    (mode(folder), files.collect())
}

#[tokio::test]
async fn files_are_private_for_any_folder_permissions() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data");
    fs::create_dir(&folder).unwrap();
    set_mode(&folder, 0o755);
    let store = SqliteStore::open(&folder).unwrap();
    operator_key(&store, KeySpec::named("a"), NOON).await;
    assert_eq!(modes(&folder), (0o700, vec![0o600; 3]), "the database, its log and the log's index");

    // an older version created the files with these modes
    let names = ["shruti.db", "shruti.db-wal", "shruti.db-shm", "self-signed.key"];
    fs::write(folder.join("self-signed.key"), "").unwrap();
    for name in names {
        set_mode(&folder.join(name), 0o644);
    }
    set_mode(&folder, 0o755);
    let second = SqliteStore::open(&folder).unwrap();
    assert_eq!(modes(&folder), (0o700, vec![0o600; 4]));
    drop((store, second));
}

#[tokio::test]
async fn a_folder_with_other_files_is_unchanged_but_database_files_are_private() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("letter.txt"), "").unwrap();
    set_mode(&home.path().join("letter.txt"), 0o644);
    set_mode(home.path(), 0o755);
    let store = SqliteStore::open(home.path()).unwrap();
    operator_key(&store, KeySpec::named("a"), NOON).await;
    assert_eq!((mode(home.path()), mode(&home.path().join("letter.txt"))), (0o755, 0o644));
    for file in ["shruti.db", "shruti.db-wal", "shruti.db-shm"] {
        assert_eq!(mode(&home.path().join(file)), 0o600, "{file}");
    }
}

/// Returns the number of keys in a copy of the database file, without its log.
async fn keys_in_a_copy(folder: &Path) -> usize {
    let copy = tempfile::tempdir().unwrap();
    fs::copy(folder.join("shruti.db"), copy.path().join("shruti.db")).unwrap();
    SqliteStore::open(copy.path()).unwrap().list_keys(Actor::Operator).await.unwrap().len()
}

#[tokio::test]
async fn after_a_clean_shutdown_one_file_contains_everything() {
    let database = SqliteDatabase::new();
    for way in ["closed", "dropped"] {
        let store = SqliteStore::open(&database.folder()).unwrap();
        for _ in 0..5 {
            operator_key(&store, KeySpec::named(way), NOON).await;
        }
        if way == "closed" {
            store.close().await;
            assert!(matches!(store.list_keys(Actor::Operator).await, Err(StoreError::Closed)));
        }
        drop(store);
        let left: Vec<_> =
            fs::read_dir(database.folder()).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(left, ["shruti.db"], "{way}");
    }
    assert_eq!(keys_in_a_copy(&database.folder()).await, 10);
}

#[tokio::test]
async fn a_store_that_closes_while_another_is_open_leaves_an_empty_log() {
    let database = SqliteDatabase::new();
    let (one, other) = (database.open(), database.open());
    one.create_key(Actor::Operator, KeySpec::named("a"), NOON).await.unwrap();
    drop(one);
    assert_eq!(fs::metadata(database.folder().join("shruti.db-wal")).unwrap().len(), 0);
    other.create_key(Actor::Operator, KeySpec::named("b"), NOON).await.unwrap();
    other.checkpoint().await.unwrap();
    assert_eq!(keys_in_a_copy(&database.folder()).await, 2);
}

/// Begins a write transaction on another connection, which stays open until the connection is dropped.
fn writer(folder: &Path) -> Connection {
    let connection = Connection::open(folder.join("shruti.db")).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection
}

#[tokio::test]
async fn reads_do_not_wait_for_writers_and_writes_time_out() {
    let database = SqliteDatabase::new();
    let store = SqliteStore::open(&database.folder()).unwrap().with_lock_wait(Duration::from_millis(20));
    let key = store.ensure_first_key(NOON).await.unwrap().unwrap();
    let account = sign_up(&store, "asha@example.org", NOON).await;
    let metered = key_of(&store, &account, KeySpec::named("a"), NOON).await.record.prefix;
    let Issuance::Issued(token) = store.issue_token(key.record.prefix.clone(), NOON).await.unwrap() else {
        panic!("no token")
    };
    let session = crate::suite::sign_in(&store, "asha@example.org", NOON).await.secret;
    let writer = writer(&database.folder());

    // reads for speech and for pages do not wait
    let prefix = key.record.prefix.clone();
    assert!(store.find_key(prefix.clone()).await.unwrap().is_some());
    assert!(store.find_token(token.secret.hash(), NOON).await.unwrap().is_some());
    assert!(!store.key_changes_since(0).await.unwrap().keys.is_empty());
    let later = NOON + 2 * crate::suite::MINUTE;
    assert!(
        store.find_session(session.hash(), later).await.unwrap().is_some(),
        "its use is noted another time"
    );
    store.probe().await.unwrap();
    assert!(store.ensure_first_key(NOON).await.unwrap().is_none(), "a server starts");
    // calls that have to write time out
    let locked =
        |result: Result<(), StoreError>| assert!(matches!(result, Err(StoreError::Locked)), "{result:?}");
    locked(store.consume_token(token.secret.hash(), NOON).await.map(drop));
    locked(store.draw_allowance(metered.clone(), 1, 10, NOON).await.map(drop));
    locked(store.issue_token(prefix, NOON).await.map(drop));
    drop(SqliteStore::open(&database.folder()).unwrap());

    drop(writer);
    assert!(store.consume_token(token.secret.hash(), NOON).await.unwrap().is_some(), "it was not used up");
    assert!(matches!(store.draw_allowance(metered, 1, 10, NOON).await.unwrap(), Draw::Locked(_)));
}

#[tokio::test]
async fn reads_succeed_while_a_write_waits_for_another_process() {
    let database = SqliteDatabase::new();
    let store = database.open();
    let key = operator_key(&*store, KeySpec::named("a"), NOON).await.record.prefix;
    let writer = writer(&database.folder());
    let mut writing = std::pin::pin!(store.create_key(Actor::Operator, KeySpec::named("b"), NOON));
    // the write begins first and waits for up to five seconds
    assert!(writing.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert!(store.find_key(key).await.unwrap().is_some());
    assert!(
        writing.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending(),
        "they waited for it"
    );
    drop(writer);
    writing.await.unwrap();
}

fn trouble<T>(result: Result<T, StoreError>) -> Option<DiskTrouble> {
    match result {
        Err(StoreError::Disk { trouble, .. }) => Some(trouble),
        Err(other) => panic!("{other:?}"),
        Ok(_) => None,
    }
}

#[tokio::test]
async fn a_removed_database_is_detected_before_a_write() {
    let database = SqliteDatabase::new();
    let store = database.open();
    let file = database.folder().join("shruti.db");
    let aside = database.folder().join("aside");
    let make = || store.create_key(Actor::Operator, KeySpec::named("a"), NOON);
    make().await.unwrap();
    fs::rename(&file, &aside).unwrap();
    assert_eq!(trouble(store.probe().await), Some(DiskTrouble::Removed));
    assert_eq!(trouble(make().await), Some(DiskTrouble::Removed));
    assert_eq!(trouble(store.list_keys(Actor::Operator).await), Some(DiskTrouble::Removed));
    fs::copy(&aside, &file).unwrap();
    assert_eq!(trouble(store.probe().await), Some(DiskTrouble::Replaced));
    assert_eq!(trouble(make().await), Some(DiskTrouble::Replaced));
    fs::rename(&aside, &file).unwrap();
    assert_eq!(trouble(store.probe().await), None, "it is back");
    make().await.unwrap();
}

#[tokio::test]
async fn a_damaged_database_is_detected_and_not_written() {
    let database = SqliteDatabase::new();
    let store = database.open();
    operator_key(&*store, KeySpec::named("a"), NOON).await;
    store.checkpoint().await.unwrap();
    let file = database.folder().join("shruti.db");
    let sound = fs::read(&file).unwrap();
    for damaged in [vec![0x5a; sound.len()], vec![0; sound.len()], Vec::new(), sound[..4_096].to_vec()] {
        fs::write(&file, &damaged).unwrap();
        assert_eq!(trouble(store.probe().await), Some(DiskTrouble::Damaged), "{} bytes", damaged.len());
        let written = store.create_key(Actor::Operator, KeySpec::named("b"), NOON).await;
        assert_eq!(trouble(written), Some(DiskTrouble::Damaged));
        assert_eq!(fs::read(&file).unwrap(), damaged, "nothing is written into it");
        fs::write(&file, &sound).unwrap();
        assert_eq!(trouble(store.probe().await), None);
    }
    operator_key(&*store, KeySpec::named("b"), NOON).await;
}

#[tokio::test]
async fn a_change_by_this_process_takes_effect_immediately() {
    let database = SqliteDatabase::new();
    let store = database.open();
    let keys = KeyCache::new(Arc::clone(&store));
    let now = Moment { monotonic: Duration::ZERO, wall_ms: NOON };
    keys.refresh(|| now).await.unwrap();
    let key = operator_key(&*store, KeySpec::named("a"), NOON).await;
    let check = || keys.check(key.secret.reveal(), now);
    assert!(matches!(check().await.unwrap(), KeyCheck::Valid(_)));
    store.revoke_key(Actor::Operator, key.record.prefix.clone(), NOON).await.unwrap();
    assert!(matches!(check().await.unwrap(), KeyCheck::Valid(_)), "memory does not know yet");
    keys.take_over(|| now).await;
    assert_eq!(check().await.unwrap(), KeyCheck::Revoked);
}

#[tokio::test]
async fn a_change_that_cannot_be_applied_is_looked_up() {
    let database = SqliteDatabase::new();
    let store = database.open();
    let keys = KeyCache::new(Arc::clone(&store));
    let now = Moment { monotonic: Duration::ZERO, wall_ms: NOON };
    keys.refresh(|| now).await.unwrap();
    let key = operator_key(&*store, KeySpec::named("a"), NOON).await;
    assert!(matches!(keys.check(key.secret.reveal(), now).await.unwrap(), KeyCheck::Valid(_)));
    let file = database.folder().join("shruti.db");
    let aside = database.folder().join("aside");
    fs::rename(&file, &aside).unwrap();
    keys.take_over(|| now).await;
    assert!(keys.check(key.secret.reveal(), now).await.is_err(), "not believed from memory");
    fs::rename(&aside, &file).unwrap();
    assert!(matches!(keys.check(key.secret.reveal(), now).await.unwrap(), KeyCheck::Valid(_)));
}
