//! Results of an inspection. An inspection does not change the store.

use std::io::{Seek, SeekFrom, Write};

use super::SqliteDatabase;
use crate::suite::{HOUR, NOON, operator_key, sign_up};
use shruti_store::{Actor, DiskTrouble, KeyLimits, KeySpec, PlaygroundSpec, SqliteStore, StoreError};

#[tokio::test]
async fn an_intact_store_is_reported_while_a_server_runs() {
    let database = SqliteDatabase::new();
    let server = database.open();
    for expires_ms in [None, Some(NOON + HOUR), Some(NOON)] {
        operator_key(&*server, KeySpec { expires_ms, ..KeySpec::named("a") }, NOON - HOUR).await;
    }
    let revoked = operator_key(&*server, KeySpec::named("b"), NOON).await.record.prefix;
    server.revoke_key(Actor::Operator, revoked, NOON).await.unwrap();
    let account = sign_up(&*server, "asha@example.org", NOON + 7).await;
    server
        .ensure_playground_key(
            PlaygroundSpec { owner: Some(account.id), limits: KeyLimits::default(), monthly_cap: None },
            NOON,
        )
        .await
        .unwrap();

    let inspection = SqliteStore::inspect(&database.folder(), NOON).unwrap();
    assert_eq!(inspection.schema, inspection.known_schema);
    assert_eq!((inspection.damage.as_slice(), inspection.usable_keys), (&[][..], 2));
    assert_eq!(inspection.newest_entry_ms, Some(NOON + 7));
    assert!(inspection.bytes > 0 && inspection.log_bytes > 0, "{inspection:?}");
}

#[tokio::test]
async fn damage_is_detected() {
    let database = SqliteDatabase::new();
    let store = database.open();
    for _ in 0..300 {
        operator_key(&*store, KeySpec::named("a"), NOON).await;
    }
    let copy = tempfile::tempdir().unwrap();
    let file = copy.path().join("shruti.db");
    SqliteStore::backup(&database.folder(), &file).unwrap();
    let pages = std::fs::metadata(&file).unwrap().len() / 4_096;
    let mut damaged = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
    for page in pages - 6..pages {
        damaged.seek(SeekFrom::Start(page * 4_096)).unwrap();
        damaged.write_all(&[0x5a; 4_096]).unwrap();
    }
    drop(damaged);
    let inspection = SqliteStore::inspect(copy.path(), NOON).unwrap();
    assert!(!inspection.damage.is_empty() && inspection.damage.len() <= 10, "{inspection:?}");
}

#[tokio::test]
async fn other_files_and_versions_are_reported_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shruti.db");
    let inspect = || SqliteStore::inspect(folder.path(), NOON);
    assert!(inspect().is_err());
    assert!(!file.exists(), "nothing is created");

    std::fs::write(&file, "no database, and longer than the head of one: ".repeat(40)).unwrap();
    assert!(
        matches!(inspect(), Err(StoreError::Disk { trouble: DiskTrouble::Damaged, .. })),
        "{:?}",
        inspect()
    );
    std::fs::remove_file(&file).unwrap();

    let old = rusqlite::Connection::open(&file).unwrap();
    old.execute_batch(include_str!("../../../migrations/0001_keys.sql")).unwrap();
    old.execute_batch(include_str!("../../../migrations/0002_tokens.sql")).unwrap();
    old.pragma_update(None, "user_version", 2).unwrap();
    let inspection = inspect().unwrap();
    assert_eq!((inspection.schema, inspection.usable_keys, inspection.newest_entry_ms), (2, 0, None));
    assert!(inspection.known_schema > 2);
    let version: i64 = old.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 2, "nothing is upgraded");

    old.pragma_update(None, "user_version", 1_000).unwrap();
    assert!(matches!(inspect(), Err(StoreError::NewerSchema { found: 1_000, .. })), "{:?}", inspect());
}
