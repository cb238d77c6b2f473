//! Migrations of older and newer files, and folders without a store.

use std::time::Duration;

use sha2::Digest;
use shruti_clock::Moment;
use shruti_store::{
    Actor, Day, DayUsage, KeyCache, KeyCheck, LinkSecret, NamedPromo, PromoDisabling, Redemption, ReportId,
    Scope, SecretKey, SqliteStore, StoreError, Usage, UsageEntry, UsageOf, UsageReport,
};

use super::SqliteDatabase;
use crate::suite::{HOUR, MINUTE, NOON, email, redeem, sign_up};

#[cfg(unix)]
#[tokio::test]
async fn the_folder_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let database = SqliteDatabase::new();
    let _store = database.open();
    let mode = std::fs::metadata(database.folder()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[cfg(unix)]
#[tokio::test]
async fn a_broken_symlink_is_rejected_and_nothing_is_created() {
    let database = SqliteDatabase::new();
    let elsewhere = database.folder().with_file_name("elsewhere.db");
    std::fs::create_dir(database.folder()).unwrap();
    let file = database.folder().join("shruti.db");
    std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
    let error = SqliteStore::open(&database.folder()).unwrap_err();
    assert!(error.to_string().contains("symbolic link to a file that does not exist"), "{error}");
    assert!(!elsewhere.exists());

    // a symbolic link to a database is followed
    std::fs::File::create(&elsewhere).unwrap();
    drop(SqliteStore::open(&database.folder()).unwrap());
    assert!(std::fs::metadata(&elsewhere).unwrap().len() > 0);
}

#[tokio::test]
async fn a_newer_database_is_rejected_and_unchanged() {
    let database = SqliteDatabase::new();
    drop(database.open());
    let file = database.folder().join("shruti.db");
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.pragma_update(None, "user_version", 1_000).unwrap();
    let error = SqliteStore::open(&database.folder()).unwrap_err();
    assert!(matches!(error, StoreError::NewerSchema { found: 1_000, .. }), "{error}");
}

#[tokio::test]
async fn the_error_names_a_folder_that_cannot_be_created() {
    let database = SqliteDatabase::new();
    let file = database.folder().with_file_name("file");
    std::fs::write(&file, "").unwrap();
    let error = SqliteStore::open(&file.join("data")).unwrap_err();
    assert!(error.to_string().contains("file/data"), "{error}");
}

#[tokio::test]
async fn keys_of_an_older_version_remain_valid() {
    let database = SqliteDatabase::new();
    let data = database.folder();
    let secret = SecretKey::generate().unwrap();
    let prefix = secret.prefix();
    // creates a file of schema version 2, before accounts were added
    std::fs::create_dir(&data).unwrap();
    let old = rusqlite::Connection::open(data.join("shruti.db")).unwrap();
    old.execute_batch(include_str!("../../../migrations/0001_keys.sql")).unwrap();
    old.execute_batch(include_str!("../../../migrations/0002_tokens.sql")).unwrap();
    old.execute(
        "INSERT INTO keys (prefix, hash, name, scopes, created_ms, revision) VALUES (?, ?, 'old', 'tts usage:read', \
         1, 1)",
        (prefix.as_str(), sha2::Sha256::digest(secret.reveal()).as_slice()),
    )
    .unwrap();
    old.execute_batch("UPDATE key_revision SET value = 1; PRAGMA user_version = 2").unwrap();
    drop(old);

    let store = database.open();
    let found = store.find_key(prefix).await.unwrap().unwrap();
    assert_eq!((found.hash, found.name.as_str(), found.scopes), (secret.hash(), "old", Scope::ALL.to_vec()));
    assert_eq!((found.account, found.lock, found.is_metered), (None, None, false));
    assert!(store.ensure_first_key(2).await.unwrap().is_none());
    let cache = KeyCache::new(store);
    let now = Moment { monotonic: Duration::ZERO, wall_ms: NOON };
    let check = cache.check(secret.reveal(), now).await.unwrap();
    assert!(matches!(check, KeyCheck::Valid(_)), "{check:?}");
}

/// Creates a file with the tables of schema version 6, which stores promo codes in plain text. The tables are empty.
fn older_database(database: &SqliteDatabase) -> rusqlite::Connection {
    std::fs::create_dir(database.folder()).unwrap();
    let old = rusqlite::Connection::open(database.folder().join("shruti.db")).unwrap();
    old.pragma_update(None, "journal_mode", "WAL").unwrap();
    for step in [
        include_str!("../../../migrations/0001_keys.sql"),
        include_str!("../../../migrations/0002_tokens.sql"),
        include_str!("../../../migrations/0003_accounts.sql"),
        include_str!("../../../migrations/0004_promo_codes.sql"),
        include_str!("../../../migrations/0005_usage.sql"),
        include_str!("../../../migrations/0006_playground_keys.sql"),
    ] {
        old.execute_batch(step).unwrap();
    }
    old.pragma_update(None, "user_version", 6).unwrap();
    old.pragma_update(None, "foreign_keys", true).unwrap();
    old
}

/// Creates a file of schema version 6 that contains promo codes in plain text.
fn database_with_plain_codes(database: &SqliteDatabase) {
    let old = older_database(database);
    old.execute_batch(
        "INSERT INTO accounts (id, email, created_ms, is_operator, access_ms, monthly_chars)
         VALUES ('acc_aaaaaaaaaaaaaaaaaaaa', 'asha@example.org', 1, 0, 1, 500);
         INSERT INTO promo_codes VALUES ('7K2MQ9XD4TBRW0E1', 500, 2, 1, 1, NULL, NULL);
         INSERT INTO promo_codes VALUES ('7K2M000000000000', 300, 1, 0, 2, NULL, 7);
         INSERT INTO promo_redemptions VALUES ('acc_aaaaaaaaaaaaaaaaaaaa', '7K2MQ9XD4TBRW0E1', 1);",
    )
    .unwrap();
}

#[tokio::test]
async fn codes_of_an_older_version_remain_valid_and_are_removed_from_the_file() {
    let database = SqliteDatabase::new();
    database_with_plain_codes(&database);
    assert!(database.holds("7K2MQ9XD4TBRW0E1"));
    let store = database.open();
    assert!(!database.holds("7K2MQ9XD4TBRW0E1") && !database.holds("7K2M000000000000"));
    let listed = store.list_promos().await.unwrap();
    assert_eq!((listed[0].spec.chars, listed[0].used, listed[1].disabled_ms), (500, 1, Some(7)));
    let code = "7K2M-Q9XD-4TBR-W0E1";
    let (asha, ravi) = (
        store.find_account(email("asha@example.org")).await.unwrap().unwrap(),
        sign_up(&*store, "ravi@example.org", NOON).await,
    );
    assert_eq!(redeem(&*store, &asha, code, NOON).await, Redemption::AlreadyRedeemed);
    let redeemed = redeem(&*store, &ravi, code, NOON).await;
    assert!(matches!(redeemed, Redemption::Redeemed { added_chars: 500, .. }), "{redeemed:?}");
    let named = |typed| store.disable_promo(Actor::Operator, NamedPromo::parse(typed).unwrap(), NOON);
    assert_eq!(named("7K2M").await.unwrap(), PromoDisabling::Ambiguous);
    assert!(matches!(named(code).await.unwrap(), PromoDisabling::Disabled(_)));
}

#[tokio::test]
async fn usage_of_an_older_version_is_kept_with_an_unknown_api() {
    let database = SqliteDatabase::new();
    let old = older_database(&database);
    let key = SecretKey::generate().unwrap();
    let prefix = key.prefix();
    let hash = sha2::Sha256::digest(key.reveal());
    old.execute(
        "INSERT INTO keys (prefix, hash, name, scopes, created_ms, revision) VALUES (?, ?, 'old', 'tts', 1, 1)",
        (prefix.as_str(), hash.as_slice()),
    )
    .unwrap();
    let (day, day_number) = (Day::of(NOON), Day::of(NOON).start_ms() / (24 * HOUR));
    for (day, voice, language, chars) in [
        (day_number, "Ananya", "hi", 100),
        (day_number, "Arjun", "ta", 20),
        (day_number - 1, "Ananya", "hi", 3),
    ] {
        old.execute(
            "INSERT INTO usage (prefix, day, voice, language, chars, requests, audio_ms)
             VALUES (?, ?, ?, ?, ?, 2, ?)",
            (prefix.as_str(), day, voice, language, chars, chars * 80),
        )
        .unwrap();
    }
    drop(old);

    let store = database.open();
    let of_key = || UsageOf::Key(prefix.clone());
    let rows = async || store.usage_by_day(of_key(), day.plus(-1), day).await.unwrap();
    let summary = |rows: &[DayUsage]| -> Vec<(i64, String, &str, String, u64)> {
        let row = |row: &DayUsage| {
            let (voice, api) = (row.voice.as_str().to_owned(), row.api.to_string());
            (row.day.start_ms() - day.start_ms(), voice, row.language.code(), api, row.amount.chars)
        };
        rows.iter().map(row).collect()
    };
    let unknown =
        |day, voice: &str, language, chars| (day, voice.to_owned(), language, "unknown".to_owned(), chars);
    let before = [
        unknown(-24 * HOUR, "Ananya", "hi", 3),
        unknown(0, "Ananya", "hi", 100),
        unknown(0, "Arjun", "ta", 20),
    ];
    let found = rows().await;
    assert_eq!(summary(&found), before);
    assert!(found.iter().all(|row| row.amount.requests == 2 && row.amount.audio_ms == row.amount.chars * 80));

    // new usage is stored in separate rows
    let amount = Usage { chars: 7, requests: 1, audio_ms: 560 };
    let (voice, language) = ("Ananya".into(), shruti_lang::Language::Hindi);
    let entry = UsageEntry { key: prefix.clone(), day, voice, language, api: "openai".into(), amount };
    store
        .record_usage(
            UsageReport { entries: vec![entry], ..UsageReport::new(ReportId::first().unwrap()) },
            NOON,
        )
        .await
        .unwrap();
    let found = rows().await;
    assert_eq!(found.len(), 4);
    assert_eq!((found[1].api.as_ref(), found[1].amount), ("openai", amount));
    assert_eq!(found.iter().map(|row| row.amount.chars).sum::<u64>(), 130);
}

#[tokio::test]
async fn a_link_of_an_older_version_signs_in() {
    let database = SqliteDatabase::new();
    let old = older_database(&database);
    let link = LinkSecret::generate().unwrap();
    old.execute_batch(
        "INSERT INTO accounts (id, email, created_ms, is_operator, monthly_chars)
         VALUES ('acc_aaaaaaaaaaaaaaaaaaaa', 'asha@example.org', 1, 0, 0);",
    )
    .unwrap();
    old.execute(
        "INSERT INTO sign_in_links (account, hash, expires_ms) VALUES ('acc_aaaaaaaaaaaaaaaaaaaa', ?, ?)",
        (sha2::Sha256::digest(link.reveal()).as_slice(), NOON + MINUTE),
    )
    .unwrap();
    drop(old);
    let session = database.open().use_sign_in_link(link.hash(), NOON).await.unwrap().unwrap();
    assert_eq!(session.session.account.email, email("asha@example.org"));
}
