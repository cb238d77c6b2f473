//! Copies of a store into the other database, and vice versa.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use shruti_store::{
    Actor, CopyError, Draw, KeyLimits, KeySpec, PromoCode, PromoSpec, SignIn, SqliteStore, Store, StorePlace,
    TableCopy, copy,
};
use shruti_testkit::PostgresDatabase;

use crate::sqlite::SqliteDatabase;
use crate::suite::deletion::{Holder, holder};
use crate::suite::{
    DAY, NOON, PASSWORD, TestDatabase, email, events, operator_key, redeem, sign_up, try_password,
};

const ASHA: &str = "asha@example.org";

fn in_folder(database: &SqliteDatabase) -> StorePlace {
    StorePlace::Folder(database.folder())
}

fn in_database(database: &PostgresDatabase) -> StorePlace {
    StorePlace::Database(Box::new(database.url().parse().unwrap()))
}

fn nowhere() -> StorePlace {
    StorePlace::Folder(PathBuf::from("/nowhere/at/all"))
}

/// Creates two accounts with a row in every table, a code that one more account may redeem, and keys without an
/// account.
async fn filled(store: &dyn Store) -> (Holder, PromoCode) {
    let spec = PromoSpec { chars: 1_000, uses: 3, expires_ms: Some(NOON + DAY) };
    let code = store.create_promo(Actor::Operator, spec, NOON).await.unwrap().code;
    holder(store, "ravi@example.org", &code).await;
    let asha = holder(store, ASHA, &code).await;
    let limits = KeyLimits { rate: Some(0.1 + 0.2), ..KeyLimits::default() };
    operator_key(store, KeySpec { limits, ..KeySpec::named("काम \u{1f511}") }, NOON).await;
    // the lease of this key ends, so that the last lease number does not belong to an existing row
    let lapsed = operator_key(store, KeySpec { monthly_cap: Some(9), ..KeySpec::named("b") }, NOON).await;
    let Draw::Lent(lease) = store.draw_allowance(lapsed.record.prefix, 1, 9, NOON).await.unwrap() else {
        panic!()
    };
    store.settle_lease(lease.id, 9, NOON).await.unwrap();
    (asha, code)
}

fn tables(copied: &[TableCopy]) -> BTreeMap<&str, (u64, String)> {
    copied
        .iter()
        .map(|copy| {
            assert_eq!(copy.source, copy.target, "{}", copy.table);
            (copy.table, (copy.source.rows, format!("{:02x?}", copy.source.digest)))
        })
        .collect()
}

/// Returns the sorted rows of each table.
async fn sorted(database: &impl TestDatabase) -> BTreeMap<String, Vec<String>> {
    let mut contents = database.contents().await;
    for rows in contents.values_mut() {
        rows.sort();
    }
    contents
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_is_copied_completely_to_postgresql_and_back() {
    let Some(shared) = PostgresDatabase::create().await else { return };
    let (first, second) = (SqliteDatabase::new(), SqliteDatabase::new());
    let store = first.open().await;
    let (asha, code) = filled(&*store).await;
    let there = copy(&in_folder(&first), &in_database(&shared)).await.unwrap();
    let back = copy(&in_database(&shared), &in_folder(&second)).await.unwrap();
    let empty: Vec<_> = there.iter().filter(|copy| copy.source.rows == 0).map(|copy| copy.table).collect();
    assert!(empty.is_empty(), "nothing is copied of {empty:?}");
    assert_eq!(tables(&there), tables(&back));
    let (mut before, mut after) = (sorted(&first).await, sorted(&second).await);
    for contents in [&mut before, &mut after] {
        // this table also contains the number 0 for tables that have never numbered a row
        contents.get_mut("sqlite_sequence").unwrap().retain(|row| !row.contains("Integer(0)"));
    }
    assert_eq!(after, before);

    let copied = shared.open().await;
    let prefix = asha.key.record.prefix.clone();
    let found = copied.find_key(prefix.clone()).await.unwrap().unwrap();
    assert_eq!(found, store.find_key(prefix.clone()).await.unwrap().unwrap());
    assert_eq!(found.hash, asha.key.secret.hash());
    assert!(copied.find_session(asha.session.hash(), NOON).await.unwrap().is_some());
    assert_eq!(events(&*copied).await, events(&*store).await);
    assert!(matches!(try_password(&*copied, ASHA, "wrong-kettle-9", NOON).await, SignIn::Refused));
    assert!(matches!(try_password(&*copied, ASHA, PASSWORD, NOON).await, SignIn::SignedIn(_)));
    for of in [&store, &copied] {
        let allowance = of.allowance(asha.account.id.clone(), NOON).await.unwrap().unwrap();
        assert_eq!((allowance.chars, allowance.used, allowance.lent), (Some(1_000), 800, 50));
        assert_eq!(of.list_promos().await.unwrap()[0].used, 2);
    }
    // the code is redeemed for the last time, and rows are added after the copied ones
    let maya = sign_up(&*copied, "maya@example.org", NOON).await;
    assert!(matches!(
        redeem(&*copied, &maya, &code.to_string(), NOON).await,
        shruti_store::Redemption::Redeemed { .. }
    ));
    let lent = |draw| match draw {
        Draw::Lent(lease) => lease.id,
        other => panic!("{other:?}"),
    };
    let original = lent(store.draw_allowance(prefix.clone(), 1, 10, NOON).await.unwrap());
    assert_eq!(lent(copied.draw_allowance(prefix.clone(), 1, 10, NOON).await.unwrap()), original);
    let again = second.open().await;
    assert_eq!(lent(again.draw_allowance(prefix, 1, 10, NOON).await.unwrap()), original);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_writes_are_copied_completely_or_not_at_all() {
    let Some(shared) = PostgresDatabase::create().await else { return };
    let (first, second) = (SqliteDatabase::new(), SqliteDatabase::new());
    for (round, source, from, to) in [
        (1, first.open().await, in_folder(&first), in_database(&shared)),
        (2, shared.open().await, in_database(&shared), in_folder(&second)),
    ] {
        let ended = Arc::new(AtomicBool::new(false));
        let (at_work, until) = (Arc::clone(&source), Arc::clone(&ended));
        let (begin, begun) = tokio::sync::oneshot::channel();
        let writer = tokio::spawn(async move {
            let mut begin = Some(begin);
            for made in 1.. {
                let address = format!("a{made}@of{round}.example.org");
                at_work.invite_account(Actor::Operator, email(&address), NOON).await.unwrap();
                if made == 20
                    && let Some(begin) = begin.take()
                {
                    begin.send(()).unwrap();
                }
                if until.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        begun.await.unwrap();
        let copied = copy(&from, &to).await.unwrap();
        ended.store(true, Ordering::Relaxed);
        writer.await.unwrap();
        let copied = tables(&copied);
        // an account, its link and its audit log entry are created in one transaction
        assert!(copied["accounts"].0 >= 20, "{copied:?}");
        assert_eq!(copied["sign_in_links"].0, copied["accounts"].0);
        assert_eq!(copied["audit"].0, copied["accounts"].0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_into_a_non_empty_store_is_rejected() {
    let Some(shared) = PostgresDatabase::create().await else { return };
    let (first, second) = (SqliteDatabase::new(), SqliteDatabase::new());
    sign_up(&*first.open().await, ASHA, NOON).await;
    operator_key(&*second.open().await, KeySpec::named("a"), NOON).await;
    operator_key(&*shared.open().await, KeySpec::named("a"), NOON).await;
    for target in [in_folder(&second), in_database(&shared)] {
        let refused = copy(&in_folder(&first), &target).await.unwrap_err();
        assert!(
            matches!(&refused, CopyError::NotEmpty { holds, .. } if holds == "keys 1, audit 1"),
            "{refused}"
        );
    }
    assert_eq!((second.rows("accounts").await, shared.rows("accounts").await), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_stores_of_this_version_are_copied() {
    let Some(shared) = PostgresDatabase::create().await else { return };
    let old = SqliteDatabase::new();
    drop(old.open().await);
    let file = rusqlite::Connection::open(old.folder().join("shruti.db")).unwrap();
    let newest: i64 = file.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    for (version, expected) in [(newest - 1, "older"), (newest + 1, "newer")] {
        file.pragma_update(None, "user_version", version).unwrap();
        let refused = copy(&in_folder(&old), &in_database(&shared)).await.unwrap_err();
        let found = match refused {
            CopyError::OlderSchema { found, .. } if found == version => "older",
            CopyError::Store(shruti_store::StoreError::NewerSchema { found, .. }) if found == version => {
                "newer"
            }
            other => panic!("{other}"),
        };
        assert_eq!(found, expected);
    }
    // the tables of a target of another version must not be migrated, because they may belong to a store in use
    let new = SqliteDatabase::new();
    drop(new.open().await);
    file.pragma_update(None, "user_version", newest - 1).unwrap();
    let refused = copy(&in_folder(&new), &in_folder(&old)).await.unwrap_err();
    assert!(matches!(refused, CopyError::OlderSchema { .. }), "{refused}");
    let found: i64 = file.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(found, newest - 1, "it was brought up to date");
    let target = SqliteDatabase::new();
    for source in [nowhere(), in_database(&shared)] {
        let refused = copy(&source, &in_folder(&target)).await.unwrap_err();
        assert!(matches!(refused, CopyError::NoStore(_)), "{refused}");
    }
    assert!(!target.folder().exists(), "a rejected copy creates nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_with_differences_is_detected_and_undone() {
    let Some(shared) = PostgresDatabase::create().await else { return };
    let (first, second) = (SqliteDatabase::new(), SqliteDatabase::new());
    filled(&*first.open().await).await;
    drop(shared.open().await);
    drop(SqliteStore::open(&second.folder()).unwrap());
    shared
        .client()
        .await
        .batch_execute(
            "CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN NEW.chars := NEW.chars + 1; RETURN NEW; END';
            CREATE TRIGGER spoil BEFORE INSERT ON usage FOR EACH ROW EXECUTE FUNCTION spoil()",
        )
        .await
        .unwrap();
    let file = rusqlite::Connection::open(second.folder().join("shruti.db")).unwrap();
    file.execute_batch(
        "CREATE TRIGGER spoil AFTER INSERT ON usage BEGIN UPDATE usage SET chars = chars + 1; END",
    )
    .unwrap();
    for target in [in_database(&shared), in_folder(&second)] {
        let error = copy(&in_folder(&first), &target).await.unwrap_err();
        assert!(error.to_string().contains("differs in: usage;"), "{error}");
        let CopyError::Differs(tables) = error else { panic!("{error}") };
        let usage = tables.iter().find(|copy| copy.table == "usage").unwrap();
        assert_eq!((usage.source.rows, usage.target.rows), (2, 2));
    }
    // the error does not quote the rejected row
    let rule = "DROP TRIGGER spoil ON usage; ALTER TABLE accounts ADD CONSTRAINT rule CHECK (email NOT LIKE 'asha%')";
    shared.client().await.batch_execute(rule).await.unwrap();
    let error = copy(&in_folder(&first), &in_database(&shared)).await.unwrap_err();
    let message = format!("{:#}", anyhow::Error::new(error));
    assert!(
        message.contains("\"rule\"") && !message.contains("asha") && !message.contains("argon2"),
        "{message}"
    );
    for table in ["accounts", "keys", "usage", "audit"] {
        assert_eq!((shared.rows(table).await, second.rows(table).await), (0, 0), "{table}");
    }
}
