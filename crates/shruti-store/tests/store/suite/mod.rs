//! Tests that run on every database.
//!
//! A test is a function with a [`TestDatabase`] as its parameter. The list at the start of each file names the tests. A
//! function that is missing in the list is dead code, which the lints reject. Another database can be added with one
//! line in [`on_every_store`].

mod accounts;
mod allowance;
mod audit;
mod cache;
pub(crate) mod deletion;
mod keys;
mod lexicons;
mod playground;
mod promo;
mod sessions;
mod tokens;
mod verification;

use std::collections::BTreeMap;
use std::sync::Arc;

use shruti_store::{
    Account, AccountCreation, Actor, CreatedKey, EmailAddress, KeyCreation, KeySpec, NewPassword, NewSession,
    Password, PasswordChange, Redemption, SignIn, Store,
};

/// Database for one test, which is empty at first and removed at the end.
pub(crate) trait TestDatabase: Sized {
    /// Creates a database. Returns `None` and prints a message if the database program is not installed.
    async fn create() -> Option<Self>;

    /// Opens a store on the database. Two stores on one database behave like two processes.
    async fn open(&self) -> Arc<dyn Store>;

    /// Returns `true` if the stored data contains a text.
    async fn holds(&self, needle: &str) -> bool;

    /// Returns the number of rows of a table.
    async fn rows(&self, table: &str) -> u64;

    /// Returns the unsorted rows of every table, by table name. Each row is a text that contains all columns.
    async fn contents(&self) -> BTreeMap<String, Vec<String>>;
}

/// Generates one test per function of the file and per kind of database.
macro_rules! on_every_store {
    ($($test:ident),+ $(,)?) => {
        super::on_store!(sqlite, crate::sqlite::SqliteDatabase, $($test),+);
        super::on_store!(postgres, shruti_testkit::PostgresDatabase, $($test),+);
        super::on_store!(pgbouncer, shruti_testkit::PooledDatabase, $($test),+);
    };
}
pub(crate) use on_every_store;

/// Generates one test per function of the file, for one kind of database.
macro_rules! on_store {
    ($store:ident, $database:ty, $($test:ident),+) => {
        mod $store {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    let created = <$database as $crate::suite::TestDatabase>::create().await;
                    if let Some(database) = created {
                        super::$test(&database).await;
                    }
                }
            )+
        }
    };
}
pub(crate) use on_store;

/// 2026-11-20 12:00 UTC.
pub(crate) const NOON: i64 = 1_795_176_000_000;
pub(crate) const MINUTE: i64 = 60_000;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;
pub(crate) const PASSWORD: &str = "tidal-kettle-9";

pub(crate) fn email(text: &str) -> EmailAddress {
    text.parse().unwrap()
}

pub(crate) fn new_password(text: &str) -> NewPassword {
    NewPassword::choose(text, &email("nobody@example.org")).unwrap()
}

/// Creates an account with [`PASSWORD`] and without access.
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
    match store.create_key(Actor::Account(account.id.clone()), spec, now_ms).await.unwrap() {
        KeyCreation::Created(key) => *key,
        other => panic!("{other:?}"),
    }
}

/// Creates a key without an account.
pub(crate) async fn operator_key(store: &dyn Store, spec: KeySpec, now_ms: i64) -> CreatedKey {
    store.create_key(Actor::Operator, spec, now_ms).await.unwrap().created().unwrap()
}

/// Redeems a typed code.
pub(crate) async fn redeem(store: &dyn Store, account: &Account, typed: &str, now_ms: i64) -> Redemption {
    store.redeem_promo(account.id.clone(), typed.to_owned(), now_ms).await.unwrap()
}

/// Verifies the address of an account with a link for a forgotten password, and sets [`PASSWORD`] again. No such link
/// may have been requested within the last ten minutes.
pub(crate) async fn verify_by_link(store: &dyn Store, address: &str, now_ms: i64) {
    let link = store.request_link(email(address), now_ms).await.unwrap().unwrap();
    let session = store.use_sign_in_link(link.secret.hash(), now_ms).await.unwrap().unwrap().secret;
    let changed = store.change_password(session.hash(), None, new_password(PASSWORD), now_ms).await.unwrap();
    assert!(matches!(changed, PasswordChange::Changed(_)), "{changed:?}");
}

/// Returns all entries of the audit log, oldest first, as texts such as `sign_in ok x1`.
pub(crate) async fn events(store: &dyn Store) -> Vec<String> {
    let mut log = store.audit_log(None, None, 1_000).await.unwrap();
    log.reverse();
    log.iter().map(|entry| format!("{} {} x{}", entry.event, entry.outcome, entry.times)).collect()
}
