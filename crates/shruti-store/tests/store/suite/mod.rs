//! What the tests of every store share. They know the trait alone, so that another database can stand behind it.
#![allow(
    clippy::unwrap_used,
    dead_code,
    reason = "a test may fail by panicking, and not each test uses all of it"
)]

use std::path::PathBuf;
use std::sync::Arc;

use shruti_store::{
    Account, AccountCreation, CreatedKey, EmailAddress, KeyCreation, KeySpec, NewPassword, NewSession,
    Password, SignIn, SqliteStore, Store,
};

/// 2026-11-20 12:00 UTC.
pub(crate) const NOON: i64 = 1_795_176_000_000;
pub(crate) const MINUTE: i64 = 60_000;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;
pub(crate) const PASSWORD: &str = "tidal-kettle-9";

/// A database that is empty at first and gone at the end.
pub(crate) struct Database(tempfile::TempDir);

impl Database {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A store on it; two are like two processes.
    pub(crate) fn open(&self) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(&self.folder()).unwrap())
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.0.path().join("data")
    }

    /// Whether something is found by searching all that is stored.
    pub(crate) fn holds(&self, needle: &str) -> bool {
        let files = std::fs::read_dir(self.folder()).unwrap();
        let mut contents = files.map(|file| std::fs::read(file.unwrap().path()).unwrap());
        contents.any(|bytes| bytes.windows(needle.len()).any(|window| window == needle.as_bytes()))
    }
}

pub(crate) fn email(text: &str) -> EmailAddress {
    text.parse().unwrap()
}

pub(crate) fn new_password(text: &str) -> NewPassword {
    NewPassword::choose(text, &email("nobody@example.org")).unwrap()
}

/// An account with [`PASSWORD`], locked for access.
pub(crate) async fn sign_up(store: &dyn Store, address: &str, now_ms: i64) -> Account {
    match store.create_account(email(address), new_password(PASSWORD), now_ms).await.unwrap() {
        AccountCreation::Created(account) => account,
        AccountCreation::Exists => panic!("{address} exists"),
    }
}

pub(crate) async fn try_password(store: &dyn Store, address: &str, password: &str, now_ms: i64) -> SignIn {
    store.sign_in(email(address), Password::typed(password), now_ms).await.unwrap()
}

pub(crate) async fn sign_in(store: &dyn Store, address: &str, now_ms: i64) -> NewSession {
    match try_password(store, address, PASSWORD, now_ms).await {
        SignIn::SignedIn(session) => session,
        other => panic!("{other:?}"),
    }
}

pub(crate) async fn key_of(store: &dyn Store, account: &Account, spec: KeySpec, now_ms: i64) -> CreatedKey {
    match store.create_key_of(account.id.clone(), spec, now_ms).await.unwrap() {
        KeyCreation::Created(key) => *key,
        other => panic!("{other:?}"),
    }
}

/// What the log says of everybody, oldest first.
pub(crate) async fn events(store: &dyn Store) -> Vec<String> {
    let mut log = store.audit_log(None, None, 1_000).await.unwrap();
    log.reverse();
    log.iter().map(|entry| format!("{} {} x{}", entry.event, entry.outcome, entry.times)).collect()
}
